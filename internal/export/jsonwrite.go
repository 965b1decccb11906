package export

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"mpanalyze/internal/report"
)

const (
	// jsonBuffer is the size in bytes of the write buffer. A single text that
	// does not fit is still written, at the price of an allocation.
	jsonBuffer = 64 << 10
	// jsonFull is the fill from which the buffer is written out before the
	// next value; what is left takes any number and most texts.
	jsonFull = jsonBuffer - 4<<10
)

// jsonWriter writes values by their plans.
type jsonWriter struct {
	w   io.Writer
	b   []byte // not yet written
	err error  // of w; once it is set, nothing more is written
}

// writeJSON writes the value v, which must be addressable, and a line break.
func writeJSON(w io.Writer, plan *jsonPlan, v reflect.Value) error {
	j := jsonWriter{w: w, b: make([]byte, 0, jsonBuffer)}
	if err := j.value(plan, v); err != nil {
		return err
	}
	j.b = append(j.b, '\n')
	j.flush()
	return j.err
}

func (j *jsonWriter) flush() {
	if j.err == nil {
		_, j.err = j.w.Write(j.b)
	}
	j.b = j.b[:0]
}

// value writes v. An error names the path to the value that caused it, and
// stands for w's as well, so that a reader who left early ends the work.
func (j *jsonWriter) value(plan *jsonPlan, v reflect.Value) error {
	switch plan.form {
	case formObject:
		return j.object(plan, v)
	case formList:
		return j.list(plan, v)
	case formFloat:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return &pathError{what: fmt.Sprintf("is %v, which JSON cannot say", f)}
		}
		j.b = appendJSONFloat(j.b, f)
	case formInt:
		j.b = strconv.AppendInt(j.b, v.Int(), 10)
	case formBool:
		j.b = strconv.AppendBool(j.b, v.Bool())
	case formString:
		j.b = appendJSONString(j.b, v.String())
	case formTime:
		j.b = append(v.Addr().Interface().(*report.Time).Append(append(j.b, '"')), '"')
	case formReasons:
		j.reasons(plan, *v.Addr().Interface().(*report.Reasons))
	}
	return nil
}

func (j *jsonWriter) object(plan *jsonPlan, v reflect.Value) error {
	for i := range plan.fields {
		f := &plan.fields[i]
		if len(j.b) > jsonFull {
			j.flush()
		}
		j.b = append(j.b, f.lead...)
		var fv reflect.Value
		if len(f.index) == 1 {
			fv = v.Field(f.index[0])
		} else {
			fv = v.FieldByIndex(f.index)
		}
		if f.pointer {
			if fv.IsNil() {
				j.b = append(j.b, "null"...)
				continue
			}
			fv = fv.Elem()
		}
		if err := j.value(f.plan, fv); err != nil {
			return within(err, "."+f.name)
		}
	}
	j.b = append(j.b, plan.end...)
	return nil
}

func (j *jsonWriter) list(plan *jsonPlan, v reflect.Value) error {
	n := v.Len()
	if n == 0 {
		j.b = append(j.b, "[]"...)
		return nil
	}
	lead := plan.first
	for i := range n {
		if len(j.b) > jsonFull {
			j.flush()
		}
		if j.err != nil {
			return j.err
		}
		j.b = append(j.b, lead...)
		lead = plan.next
		if err := j.value(plan.item, v.Index(i)); err != nil {
			return within(err, "["+strconv.Itoa(i)+"]")
		}
	}
	j.b = append(j.b, plan.end...)
	return nil
}

func (j *jsonWriter) reasons(plan *jsonPlan, all report.Reasons) {
	if len(all) == 0 {
		j.b = append(j.b, "{}"...)
		return
	}
	lead := plan.first
	for _, r := range all {
		j.b = append(j.b, lead...)
		lead = plan.next
		j.b = appendJSONString(j.b, r.Metric)
		j.b = append(j.b, ": "...)
		j.b = appendJSONString(j.b, r.Why)
	}
	j.b = append(j.b, plan.end...)
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
