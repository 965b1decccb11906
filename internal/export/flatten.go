package export

import (
	"reflect"
	"strconv"

	"mpanalyze/internal/report"
)

// A cell is one column of a flattened struct; its value is invalid where the
// document holds null.
type cell struct {
	name  string
	value reflect.Value
}

// flatten appends the columns of t, with the values of v, which may be the
// invalid Value: the columns are the same then, and empty. The column of a
// nested field is named by its path, as in "srtt_ms_avg". Lists become their
// length, for their items have rows elsewhere.
func flatten(dst []cell, prefix string, t reflect.Type, v reflect.Value) []cell {
	for i := range t.NumField() {
		f, fv := t.Field(i), reflect.Value{}
		if v.IsValid() {
			fv = v.Field(i)
		}
		name := prefix + report.JSONName(f)
		if f.Anonymous {
			dst = flatten(dst, prefix, f.Type, fv)
			continue
		}
		ft := f.Type
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
			if fv.IsValid() {
				fv = fv.Elem() // invalid where the pointer is nil
			}
		}
		if ft.Kind() == reflect.Struct {
			dst = flatten(dst, name+"_", ft, fv)
			continue
		}
		dst = append(dst, cell{name, fv})
	}
	return dst
}

// appendTo appends the cell's value as a CSV field.
func (c cell) appendTo(b []byte) []byte {
	v := c.value
	if !v.IsValid() {
		return b
	}
	switch x := v.Interface().(type) {
	case report.Time:
		return append(b, x.String()...)
	case report.Reasons:
		return appendText(b, reasons(x))
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Float64:
		return appendNumber(b, v.Float())
	case reflect.String:
		return appendText(b, v.String())
	case reflect.Slice:
		return strconv.AppendInt(b, int64(v.Len()), 10)
	}
	return strconv.AppendInt(b, v.Int(), 10)
}

// reasons lists why metrics are absent, sorted by metric, in one line.
func reasons(r report.Reasons) string {
	var out []byte
	for i, reason := range r {
		if i > 0 {
			out = append(out, "; "...)
		}
		out = append(append(append(out, reason.Metric...), ": "...), reason.Why...)
	}
	return string(out)
}
