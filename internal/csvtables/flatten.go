package csvtables

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/decimal"
	"mpanalyze/internal/report"
)

// A flatField is a field of a struct. It is one column of a table, or several if the field is
// a struct. A row is made field by field, so each value is read once, and values below a nil
// pointer are not read.
type flatField struct {
	index   int                                // in the struct
	omit    bool                               // the columns stay empty
	pointer bool                               // the field is a pointer; nil is null
	empty   string                             // the columns of a null: a comma for each
	fields  []flatField                        // for a struct: its fields
	append  func([]byte, reflect.Value) []byte // for any other type: appends the value
}

// flatFields returns the fields of t and their columns. The name of a nested field is its path, as
// in "srtt_ms_avg". Fields with one of the JSON names in without are left out.
func flatFields(t reflect.Type, without ...string) (fields []flatField, columns []Column) {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, ft := report.JSONName(sf), sf.Type
		if name == report.NoJSON || slices.Contains(without, name) {
			continue
		}
		f := flatField{index: i, pointer: ft.Kind() == reflect.Pointer}
		if f.pointer {
			ft = ft.Elem()
		}
		own := []Column{{Name: name, Field: name, of: []member{{t, name}}}}
		switch {
		case sf.Anonymous:
			f.fields, own = flatFields(ft)
			for k := range own {
				own[k].of[0].of = t
			}
		case ft.Kind() == reflect.Struct:
			f.fields, own = flatFields(ft)
			for k := range own {
				c := &own[k]
				c.Name, c.Field, c.of = name+"_"+c.Name, name+"."+c.Field, append([]member{{t, name}}, c.of...)
			}
		default:
			own[0].Type, f.append = valueOf(ft)
		}
		f.empty = strings.Repeat(",", len(own))
		fields, columns = append(fields, f), append(columns, own...)
	}
	return fields, columns
}

// appendFields appends the columns of a struct, and a comma behind each.
func appendFields(b []byte, fields []flatField, of reflect.Value) []byte {
	for i := range fields {
		f := &fields[i]
		if f.omit {
			b = append(b, f.empty...)
			continue
		}
		v := of.Field(f.index)
		if f.pointer {
			if v.IsNil() {
				b = append(b, f.empty...)
				continue
			}
			v = v.Elem()
		}
		if f.fields != nil {
			b = appendFields(b, f.fields, v)
		} else {
			b = append(f.append(b, v), ',')
		}
	}
	return b
}

// valueOf returns the type of a column with values of t, and a function that appends one as a CSV
// field. A list of numbers is one field with semicolons between the numbers. Of any other list
// the field holds the length, because its items are rows of another table.
func valueOf(t reflect.Type) (column string, appended func([]byte, reflect.Value) []byte) {
	switch t {
	case reflect.TypeFor[report.Time]():
		return "time", func(b []byte, v reflect.Value) []byte { return report.Time(v.Int()).Append(b) }
	case reflect.TypeFor[report.Reasons]():
		return "text", func(b []byte, v reflect.Value) []byte {
			return appendReasons(b, *v.Addr().Interface().(*report.Reasons))
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean", func(b []byte, v reflect.Value) []byte { return strconv.AppendBool(b, v.Bool()) }
	case reflect.Float64:
		return "number", func(b []byte, v reflect.Value) []byte { return decimal.AppendRounded(b, v.Float()) }
	case reflect.String:
		return "text", func(b []byte, v reflect.Value) []byte { return appendText(b, v.String()) }
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Float64 {
			return "numbers", appendNumbers
		}
		return "count", func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, int64(v.Len()), 10) }
	}
	return "integer", func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }
}

// appendNumbers appends the numbers of a list.
func appendNumbers(b []byte, list reflect.Value) []byte {
	for i := range list.Len() {
		if i > 0 {
			b = append(b, ';')
		}
		b = decimal.AppendRounded(b, list.Index(i).Float())
	}
	return b
}

// appendReasons appends why metrics are absent as one CSV field, in the order of the list.
func appendReasons(b []byte, r report.Reasons) []byte {
	texts := make([]string, len(r))
	for i, x := range r {
		texts[i] = x.Metric + ": " + x.Why
	}
	return appendText(b, strings.Join(texts, "; "))
}
