package jsonreport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"mpanalyze/internal/report"
)

// bufferBytes is how much is written at once. What is between two looks at it, the
// members of an object, may be more, at the price of an allocation.
const bufferBytes = 64 << 10

// writer writes values by their plans. Its methods append to what is not yet written, and
// return that.
type writer struct {
	w       io.Writer
	source  report.Source
	err     error // of w; once it is set, nothing more is written
	reasons map[reasonsAt][]byte
	floats  floatTexts
}

// reasonsAt is a list of reasons, which many connections share, and where in the document
// it stands.
type reasonsAt struct {
	first *report.Reason
	n     int
	plan  *plan
}

// maxReasons bounds the texts of reasons that are kept.
const maxReasons = 1024

func (w *writer) flush(b []byte) []byte {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
	return b[:0]
}

// members writes the members of an object. An error names the path to the value that
// caused it, and stands for w's as well, so that a reader who left early ends the work.
func (w *writer) members(b []byte, p *plan, object reflect.Value) (_ []byte, err error) {
	if len(b) > bufferBytes/2 {
		b = w.flush(b)
	}
	for i := range p.members {
		m := &p.members[i]
		v := object.Field(m.field)
		if m.pointer {
			if v = v.Elem(); !v.IsValid() {
				b = append(b, m.null...)
				continue
			}
		}
		b = append(b, m.lead...)
		if m.form == formInt { // as half of all are
			b = strconv.AppendInt(b, v.Int(), 10)
		} else if b, err = w.value(b, m.plan, v); err != nil {
			if m.form != formInner {
				err = within(err, "."+m.path)
			}
			return b, err
		}
	}
	return b, nil
}

// value writes a value.
func (w *writer) value(b []byte, p *plan, v reflect.Value) (_ []byte, err error) {
	switch p.form {
	case formInt:
		b = strconv.AppendInt(b, v.Int(), 10)
	case formFloat:
		f := v.Float()
		if f-f != 0 {
			return b, &pathError{what: fmt.Sprintf("is %v, which JSON cannot say", f)}
		}
		b = w.floats.append(b, f)
	case formString:
		b = appendString(b, v.String())
	case formBool:
		b = strconv.AppendBool(b, v.Bool())
	case formTime:
		b = append(report.Time(v.Int()).Append(append(b, '"')), '"')
	case formReasons:
		b = w.appendReasons(b, p, *v.Addr().Interface().(*report.Reasons))
	case formInner:
		return w.members(b, p, v)
	case formObject:
		if p.short != nil {
			if b, short := p.short(b, v.Addr().Interface()); short {
				return b, nil
			}
		}
		b, err = w.members(b, p, v)
		b = append(b, p.end...)
	case formList:
		return w.items(b, p, v.Len(), func(i int) (reflect.Value, error) { return v.Index(i), nil })
	case formConnections:
		return w.items(b, p, w.source.NumConnections(), func(i int) (reflect.Value, error) {
			c, err := w.source.ConnectionAt(i)
			return reflect.ValueOf(c).Elem(), err
		})
	case formTCP:
		return w.items(b, p, w.source.NumTCP(), func(i int) (reflect.Value, error) {
			c, err := w.source.TCPAt(i)
			return reflect.ValueOf(c).Elem(), err
		})
	}
	return b, err
}

// items writes a list of n items that at gives one by one.
func (w *writer) items(b []byte, p *plan, n int, at func(int) (reflect.Value, error)) ([]byte, error) {
	if n == 0 {
		return append(b, "[]"...), nil
	}
	lead := p.first
	for i := range n {
		if len(b) > bufferBytes/2 {
			b = w.flush(b)
		}
		if w.err != nil {
			return b, w.err
		}
		v, err := at(i)
		if err != nil {
			return b, err
		}
		if b, err = w.value(append(b, lead...), p.item, v); err != nil {
			return b, within(err, "["+strconv.Itoa(i)+"]")
		}
		lead = p.next
	}
	return append(b, p.end...), nil
}

// appendReasons appends reasons. Equal ones share their memory, and few are not
// equal to others.
func (w *writer) appendReasons(b []byte, p *plan, all report.Reasons) []byte {
	if len(all) == 0 {
		return append(b, "{}"...)
	}
	at := reasonsAt{&all[0], len(all), p}
	if text, ok := w.reasons[at]; ok {
		return append(b, text...)
	}
	begin, lead := len(b), p.first
	for i := range all {
		b = append(b, lead...)
		lead = p.next
		b = appendString(b, all[i].Metric)
		b = append(b, ": "...)
		b = appendString(b, all[i].Why)
	}
	b = append(b, p.end...)
	if len(w.reasons) < maxReasons {
		w.reasons[at] = bytes.Clone(b[begin:])
	}
	return b
}

// A pathError says what is wrong with a value of the document, and where.
type pathError struct{ path, what string }

func (e *pathError) Error() string { return strings.TrimPrefix(e.path, ".") + " " + e.what }

// within puts a name in front of the path of an error that has one.
func within(err error, name string) error {
	if e := (*pathError)(nil); errors.As(err, &e) {
		e.path = name + e.path
	}
	return err
}
