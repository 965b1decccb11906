package export

import (
	"reflect"
	"slices"
	"strconv"

	"mpanalyze/internal/report"
)

// A tableColumn is one column of a table whose rows are flattened structs. The name
// of a nested field is its path, as in "srtt_ms_avg".
type tableColumn struct {
	name   string
	source int   // which of the row's values it is taken from
	path   []int // fields to go down from there, pointers followed
}

// tableColumns appends those of t, which is a row's value number source. Lists
// become their length, for their items have rows elsewhere.
func tableColumns(dst []tableColumn, source int, prefix string, t reflect.Type, path []int) []tableColumn {
	for i := range t.NumField() {
		f := t.Field(i)
		name := prefix + report.JSONName(f)
		at := append(path[:len(path):len(path)], i)
		ft := f.Type
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		switch {
		case f.Anonymous:
			dst = tableColumns(dst, source, prefix, ft, at)
		case ft.Kind() == reflect.Struct:
			dst = tableColumns(dst, source, name+"_", ft, at)
		default:
			dst = append(dst, tableColumn{name, source, at})
		}
	}
	return dst
}

// value finds the column's value in a row; it is invalid where the document
// holds null.
func (c *tableColumn) value(row []reflect.Value) reflect.Value {
	v := row[c.source]
	for _, i := range c.path {
		v = v.Field(i)
		if v.Kind() != reflect.Pointer {
			continue
		}
		if v.IsNil() {
			return reflect.Value{}
		}
		v = v.Elem()
	}
	return v
}

var (
	timeType    = reflect.TypeFor[report.Time]()
	reasonsType = reflect.TypeFor[report.Reasons]()
)

// appendValue appends v as a CSV field; nothing where it is invalid.
func appendValue(b []byte, v reflect.Value) []byte {
	if !v.IsValid() {
		return b
	}
	switch v.Type() {
	case timeType:
		return report.Time(v.Int()).Append(b)
	case reasonsType:
		return appendReasons(b, *v.Addr().Interface().(*report.Reasons))
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

// appendReasons appends why metrics are absent, sorted by metric, as one CSV
// field. A server's capture has thousands of them, so that no text is made of
// each.
func appendReasons(b []byte, r report.Reasons) []byte {
	quote := slices.ContainsFunc(r, func(x report.Reason) bool { return asksForQuotes(x.Metric) || asksForQuotes(x.Why) })
	if quote {
		b = append(b, '"')
	}
	for i := range r {
		if i > 0 {
			b = append(b, "; "...)
		}
		b = appendQuoted(append(appendQuoted(b, r[i].Metric), ": "...), r[i].Why)
	}
	if quote {
		b = append(b, '"')
	}
	return b
}
