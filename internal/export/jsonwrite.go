package export

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"mpanalyze/internal/report"
)

const (
	// jsonBuffer is the size in bytes of the write buffer. A single text that
	// does not fit is still written, at the price of an allocation.
	jsonBuffer = 64 << 10
	// jsonSlack is the room that there is before each value: it takes any
	// number and most texts.
	jsonSlack = 4 << 10
)

// jsonWriter writes values by their plans. Its methods append to what is not
// yet written, and return that.
type jsonWriter struct {
	w       io.Writer // nil for a part of a list, which is written as a whole
	err     error     // of w; once it is set, nothing more is written
	reasons map[reasonsAt][]byte
	floats  floatMemo
	makers  int // goroutines that make parts of a long list; 1 within such a part
}

// reasonsAt is a place that keeps reasons, which are many connections', and
// where in the document they stand.
type reasonsAt struct {
	first *report.Reason
	n     int
	plan  *jsonPlan
}

// maxReasons bounds the texts of reasons that are kept.
const maxReasons = 1024

// writeJSON writes the value at v, whose plan it is, and a line break.
//
// Values are read where the plan says that they lie, and not by reflection,
// which takes a third longer. What is read as what follows from the types
// alone, by planJSON.
func writeJSON(w io.Writer, plan *jsonPlan, v unsafe.Pointer) error {
	j := jsonWriter{w: w, reasons: map[reasonsAt][]byte{}, makers: min(runtime.GOMAXPROCS(0), maxMakers)}
	b, err := j.value(make([]byte, 0, jsonBuffer), plan, v)
	if err != nil {
		return err
	}
	j.flush(append(b, '\n'))
	return j.err
}

func (j *jsonWriter) flush(b []byte) []byte {
	if j.err == nil {
		_, j.err = j.w.Write(b)
	}
	return b[:0]
}

// room makes room for more: it writes what there is, or lets it grow.
func (j *jsonWriter) room(b []byte) []byte {
	if j.w == nil {
		return slices.Grow(b, jsonBuffer)
	}
	return j.flush(b)
}

// value writes the value at v. An error names the path to the value that caused
// it, and stands for w's as well, so that a reader who left early ends the work.
func (j *jsonWriter) value(b []byte, plan *jsonPlan, v unsafe.Pointer) ([]byte, error) {
	switch plan.form {
	case formObject:
		return j.object(b, plan, v)
	case formList:
		return j.list(b, plan, v)
	case formFloat:
		f := *(*float64)(v)
		if f-f != 0 {
			return b, notFinite(f)
		}
		b = j.floats.append(b, f)
	case formInt:
		b = appendSigned(b, int64(*(*int)(v)))
	case formInt64:
		b = appendSigned(b, *(*int64)(v))
	case formBool:
		b = strconv.AppendBool(b, *(*bool)(v))
	case formString:
		b = appendJSONString(b, *(*string)(v))
	case formTime:
		b = append((*report.Time)(v).Append(append(b, '"')), '"')
	case formReasons:
		b = j.appendReasons(b, plan, *(*report.Reasons)(v))
	}
	return b, nil
}

func notFinite(f float64) error {
	return &pathError{what: fmt.Sprintf("is %v, which JSON cannot say", f)}
}

// object writes an object, the numbers in it without a call for each.
func (j *jsonWriter) object(b []byte, plan *jsonPlan, v unsafe.Pointer) ([]byte, error) {
	if plan.short != nil {
		if b, short := plan.short(b, v); short {
			return b, nil
		}
	}
	steps := plan.steps
	for i := range steps {
		s := &steps[i]
		if cap(b)-len(b) < jsonSlack {
			b = j.room(b)
		}
		n := len(b)
		*(*[leadRoom]byte)(b[n : n+leadRoom]) = s.lead
		b = b[:n+int(s.length)]
		at := unsafe.Add(v, s.offset)
		if s.pointer {
			if at = *(*unsafe.Pointer)(at); at == nil {
				b = appendOctets(b, jsonNull, 4)
				continue
			}
		}
		if s.form == formInt64 { // as half of all are
			b = appendSigned(b, *(*int64)(at))
			continue
		}
		if s.form == formFloat {
			if f := *(*float64)(at); f-f == 0 {
				b = j.floats.append(b, f)
				continue
			}
		}
		var err error
		if b, err = j.value(b, s.plan, at); err != nil {
			return b, within(err, "."+s.path)
		}
	}
	return append(b, plan.end...), nil
}

// jsonNull is null, the first octet in the lowest one.
const jsonNull = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24

func (j *jsonWriter) list(b []byte, plan *jsonPlan, v unsafe.Pointer) ([]byte, error) {
	all := *(*[]byte)(v) // all slices look alike: where the items are, and how many
	if len(all) == 0 {
		return append(b, "[]"...), nil
	}
	items := unsafe.Pointer(unsafe.SliceData(all))
	var err error
	if j.makers > 1 && len(all) >= longList {
		b, err = j.parts(b, plan, items, len(all))
	} else {
		b, err = j.items(b, plan, items, 0, len(all))
	}
	if err != nil {
		return b, err
	}
	return append(b, plan.end...), nil
}

// items writes those of a list from one to another.
func (j *jsonWriter) items(b []byte, plan *jsonPlan, items unsafe.Pointer, from, to int) ([]byte, error) {
	for i := from; i < to; i++ {
		if cap(b)-len(b) < jsonSlack {
			b = j.room(b)
		}
		if j.err != nil {
			return b, j.err
		}
		lead := plan.next
		if i == 0 {
			lead = plan.first
		}
		var err error
		if b, err = j.value(append(b, lead...), plan.item, unsafe.Add(items, uintptr(i)*plan.stride)); err != nil {
			return b, within(err, "["+strconv.Itoa(i)+"]")
		}
	}
	return b, nil
}

// appendReasons appends reasons. Equal ones share their memory, and few are not
// equal to others.
func (j *jsonWriter) appendReasons(b []byte, plan *jsonPlan, all report.Reasons) []byte {
	if len(all) == 0 {
		return append(b, "{}"...)
	}
	at := reasonsAt{unsafe.SliceData(all), len(all), plan}
	if text, ok := j.reasons[at]; ok {
		return append(b, text...)
	}
	begin, lead := len(b), plan.first
	for i := range all {
		b = append(b, lead...)
		lead = plan.next
		b = appendJSONString(b, all[i].Metric)
		b = append(b, ": "...)
		b = appendJSONString(b, all[i].Why)
	}
	b = append(b, plan.end...)
	if len(j.reasons) < maxReasons {
		j.reasons[at] = bytes.Clone(b[begin:])
	}
	return b
}

// A pathError says what is wrong with a value of the document, and where.
type pathError struct{ path, what string }

func (e *pathError) Error() string { return strings.TrimPrefix(e.path, ".") + " " + e.what }

// within puts a step in front of the path of an error that has one.
func within(err error, step string) error {
	if e := (*pathError)(nil); errors.As(err, &e) {
		e.path = step + e.path
	}
	return err
}
