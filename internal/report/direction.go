package report

import (
	"reflect"
	"sync"
)

// Figures are the figures of a direction, a [SubDir] or a [ConnDir]; their fields are made
// from the rows of metrics.
type Figures interface {
	// Figure returns the field with a name in JSON, which can be set; it is not valid where
	// there is none.
	Figure(name string) reflect.Value
}

// Figure implements [Figures].
func (d *SubDir) Figure(name string) reflect.Value { return subDirFields().of(d, name) }

// Figure implements [Figures].
func (d *ConnDir) Figure(name string) reflect.Value { return connDirFields().of(d, name) }

// fieldIndex has the index of each field of a type by its name in JSON.
type fieldIndex map[string]int

var (
	subDirFields  = sync.OnceValue(func() fieldIndex { return indexOf(reflect.TypeFor[SubDir]()) })
	connDirFields = sync.OnceValue(func() fieldIndex { return indexOf(reflect.TypeFor[ConnDir]()) })
)

func indexOf(t reflect.Type) fieldIndex {
	out := fieldIndex{}
	for i := range t.NumField() {
		out[JSONName(t.Field(i))] = i
	}
	return out
}

func (x fieldIndex) of(dir any, name string) (field reflect.Value) {
	if i, ok := x[name]; ok {
		field = reflect.ValueOf(dir).Elem().Field(i)
	}
	return field
}

// Volume returns the data bytes or, if they are not known, the segments, which hold at
// least a byte each. It serves to rank connections and directions.
func (d *ConnDir) Volume() int64 {
	if d == nil {
		return 0
	}
	return volume(d.Bytes, d.Segments)
}

// Volume does the same for a subflow as [ConnDir.Volume] for a connection.
func (d *SubDir) Volume() int64 {
	if d == nil {
		return 0
	}
	return volume(d.Bytes, d.Segments)
}

func volume(bytes *int64, segments int64) int64 {
	if bytes != nil {
		return *bytes
	}
	return segments
}

// Known returns a value; zero where it is not known.
func Known[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
