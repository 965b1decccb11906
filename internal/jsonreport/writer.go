package jsonreport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"mpanalyze/internal/jsontext"
	"mpanalyze/internal/report"
)

const (
	// jsonBuffer is the size in bytes of the write buffer. A single text that
	// does not fit is still written, at the price of an allocation.
	jsonBuffer = 64 << 10
	// jsonSlack is the room that is free before each value. It is enough for any number
	// and most texts.
	jsonSlack = 4 << 10
)

// jsonWriter writes values by their plans. Its methods append to the bytes that are not
// written yet, and return them.
type jsonWriter struct {
	w       io.Writer
	err     error // error of w; once it is set, nothing more is written
	reasons map[reasonsAt][]byte
	floats  floatCache
}

// reasonsAt is the key for the text of a list of reasons: its memory, which many
// connections share, and its place in the document.
type reasonsAt struct {
	first *report.Reason
	n     int
	plan  *jsonPlan
}

// maxReasons bounds the texts of reasons that the writer keeps.
const maxReasons = 1024

// writeJSON writes a report, by its plan, and a line break.
//
// Values are read at the offsets in the plan, because reflection takes a third longer.
// planJSON derives these offsets and their types from the Go types alone, so the reads
// are safe.
func writeJSON(w io.Writer, plan *jsonPlan, s report.Source) error {
	j := jsonWriter{w: w, reasons: map[reasonsAt][]byte{}}
	b, err := j.document(make([]byte, 0, jsonBuffer), plan, s)
	if err != nil {
		return err
	}
	j.flush(append(b, '\n'))
	return j.err
}

// document writes a document; s gives its connections one by one.
func (j *jsonWriter) document(b []byte, plan *jsonPlan, s report.Source) ([]byte, error) {
	head := unsafe.Pointer(s.Head())
	for i := range plan.steps {
		step := &plan.steps[i]
		b = append(b, step.lead[:step.length]...)
		at := unsafe.Add(head, step.offset)
		if step.pointer {
			if at = *(*unsafe.Pointer)(at); at == nil {
				b = append(b, "null"...)
				continue
			}
		}
		var err error
		switch step.path {
		case "connections":
			b, err = j.items(b, step.plan, s.NumConnections(), func(i int) (unsafe.Pointer, error) {
				c, err := s.ConnectionAt(i)
				return unsafe.Pointer(c), err
			})
		case "tcp":
			b, err = j.items(b, step.plan, s.NumTCP(), func(i int) (unsafe.Pointer, error) {
				c, err := s.TCPAt(i)
				return unsafe.Pointer(c), err
			})
		default:
			b, err = j.value(b, step.plan, at)
		}
		if err != nil {
			return b, within(err, "."+step.path)
		}
	}
	return append(b, plan.end...), nil
}

func (j *jsonWriter) flush(b []byte) []byte {
	if j.err == nil {
		_, j.err = j.w.Write(b)
	}
	return b[:0]
}

// value writes the value at v. An error names the path to the value that caused it. An
// error of w is returned, too, so that the work ends when the reader of the output has
// gone.
func (j *jsonWriter) value(b []byte, plan *jsonPlan, v unsafe.Pointer) ([]byte, error) {
	switch plan.form {
	case formObject:
		return j.object(b, plan, v)
	case formList:
		return j.list(b, plan, v)
	case formFloat:
		f := *(*float64)(v)
		if f-f != 0 {
			return b, &pathError{what: fmt.Sprintf("is %v, which JSON cannot say", f)}
		}
		b = j.floats.append(b, f)
	case formInt:
		b = strconv.AppendInt(b, int64(*(*int)(v)), 10)
	case formInt64:
		b = strconv.AppendInt(b, *(*int64)(v), 10)
	case formBool:
		b = strconv.AppendBool(b, *(*bool)(v))
	case formString:
		b = jsontext.AppendString(b, *(*string)(v))
	case formTime:
		b = append((*report.Time)(v).Append(append(b, '"')), '"')
	case formCounts:
		b = appendCounts(b, plan, *(*report.Counts)(v))
	case formReasons:
		b = j.appendReasons(b, plan, *(*report.Reasons)(v))
	}
	return b, nil
}

// object writes an object. It writes numbers without a function call for each.
func (j *jsonWriter) object(b []byte, plan *jsonPlan, v unsafe.Pointer) ([]byte, error) {
	if plan.short != nil {
		if b, short := plan.short(b, v); short {
			return b, nil
		}
	}
	for i := range plan.steps {
		s := &plan.steps[i]
		if cap(b)-len(b) < jsonSlack {
			b = j.flush(b)
		}
		n := len(b)
		*(*[leadRoom]byte)(b[n : n+leadRoom]) = s.lead
		b = b[:n+int(s.length)]
		at := unsafe.Add(v, s.offset)
		if s.pointer {
			if at = *(*unsafe.Pointer)(at); at == nil {
				b = append(b, "null"...)
				continue
			}
		}
		if s.form == formInt64 { // half of all values are
			b = strconv.AppendInt(b, *(*int64)(at), 10)
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

func (j *jsonWriter) list(b []byte, plan *jsonPlan, v unsafe.Pointer) ([]byte, error) {
	all := *(*[]byte)(v) // all slices have the same layout: address and number of items
	items := unsafe.Pointer(unsafe.SliceData(all))
	return j.items(b, plan, len(all), func(i int) (unsafe.Pointer, error) {
		return unsafe.Add(items, uintptr(i)*plan.stride), nil
	})
}

// items writes a list of n items; at returns them one by one.
func (j *jsonWriter) items(b []byte, plan *jsonPlan, n int, at func(int) (unsafe.Pointer, error)) ([]byte, error) {
	if n == 0 {
		return append(b, "[]"...), nil
	}
	lead := plan.first
	for i := range n {
		if cap(b)-len(b) < jsonSlack {
			b = j.flush(b)
		}
		if j.err != nil {
			return b, j.err
		}
		v, err := at(i)
		if err != nil {
			return b, err
		}
		if b, err = j.value(append(b, lead...), plan.item, v); err != nil {
			return b, within(err, "["+strconv.Itoa(i)+"]")
		}
		lead = plan.next
	}
	return append(b, plan.end...), nil
}

// appendReasons appends reasons. Equal reasons share their memory, and most are equal
// to others, so their texts are kept.
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
		b = jsontext.AppendString(b, all[i].Metric)
		b = append(b, ": "...)
		b = jsontext.AppendString(b, all[i].Why)
	}
	b = append(b, plan.end...)
	if len(j.reasons) < maxReasons {
		j.reasons[at] = bytes.Clone(b[begin:])
	}
	return b
}

// appendCounts appends numbers by name.
func appendCounts(b []byte, plan *jsonPlan, all report.Counts) []byte {
	if len(all) == 0 {
		return append(b, "{}"...)
	}
	lead := plan.first
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b = append(b, lead...)
		lead = plan.next
		b = jsontext.AppendString(b, name)
		b = append(b, ": "...)
		b = strconv.AppendInt(b, all[name], 10)
	}
	return append(b, plan.end...)
}

// A pathError says which value of the document is wrong, and what is wrong.
type pathError struct{ path, what string }

func (e *pathError) Error() string {
	return "writing the report as JSON: " + strings.TrimPrefix(e.path, ".") + " " + e.what
}

// within adds a step at the front of the path of an error, if the error has a path.
func within(err error, step string) error {
	if e := (*pathError)(nil); errors.As(err, &e) {
		e.path = step + e.path
	}
	return err
}

// documentPlan is made on first use: not every run writes JSON.
var documentPlan = sync.OnceValues(func() (*jsonPlan, error) {
	return planJSON(reflect.TypeFor[report.Document]())
})

// Write writes a report as JSON, indented by one space a level and followed by a line
// break. An object that can hold neither objects nor lists is written on one line.
// Except for white space these are the bytes that [encoding/json.Encoder] would write.
// That encoder would need memory for the whole text twice. Equal documents give equal
// bytes. Write fails if a number is not finite, with the number's path in the document,
// or if w fails; then w has got the beginning of the document.
func Write(w io.Writer, s report.Source) error {
	plan, err := documentPlan()
	if err == nil {
		err = writeJSON(w, plan, s)
	}
	return err
}
