package record

import (
	"fmt"
	"reflect"
	"sync"
)

// A kind says how a value is written.
type kind uint8

const (
	kindInt kind = iota
	kindInt64
	kindBool
	kindFloat
	kindText
	kindList
	kindShared // a list that several values share in memory
	kindObject
)

// plan says how the values of one type are written.
type plan struct {
	kind   kind
	size   uintptr // of a value, bytes
	room   int     // number of the slab for such values
	item   *plan   // plan of the items of a list
	fields []field // fields of an object, with the fields of structs inside it
}

// field is a value inside an object, or a value to which the object points.
type field struct {
	offset  uintptr
	kind    kind
	pointer bool
	of      *plan
}

// plans has the result of [planned] for the types asked for before: reflection takes longer than
// the analysis of a short capture.
var plans sync.Map // of planKey to *typePlans

// planKey is a type and the type of list that its values share.
type planKey struct{ of, shared reflect.Type }

// typePlans are the plans of a type and of all types in it.
type typePlans struct {
	top   *plan
	types []reflect.Type // by number of slab
}

// planned returns the plans of a type.
func planned(of, shared reflect.Type) *typePlans {
	key := planKey{of, shared}
	if known, ok := plans.Load(key); ok {
		return known.(*typePlans)
	}
	p := planner{known: map[reflect.Type]*plan{}, shared: shared}
	top := p.plan(of)
	made, _ := plans.LoadOrStore(key, &typePlans{top, p.types})
	return made.(*typePlans)
}

// planner makes the plans of types that refer to each other.
type planner struct {
	known  map[reflect.Type]*plan
	shared reflect.Type
	types  []reflect.Type // by number of slab
}

// plan returns the plan of a type. It panics if this package cannot write the type, which is a
// mistake in the program.
func (p *planner) plan(t reflect.Type) *plan {
	if known, ok := p.known[t]; ok {
		return known
	}
	out := &plan{size: t.Size(), room: len(p.types)}
	p.known[t], p.types = out, append(p.types, t)
	switch t.Kind() {
	case reflect.Int:
		out.kind = kindInt
	case reflect.Int64:
		out.kind = kindInt64
	case reflect.Bool:
		out.kind = kindBool
	case reflect.Float64:
		out.kind = kindFloat
	case reflect.String:
		out.kind = kindText
	case reflect.Slice:
		out.kind, out.item = kindList, p.plan(t.Elem())
		if t == p.shared {
			out.kind = kindShared
		}
	case reflect.Struct:
		out.kind = kindObject
		p.fields(out, t, 0)
	default:
		panic(fmt.Sprintf("record: no form for %v", t))
	}
	return out
}

// fields adds the fields of a struct that is at an offset inside an object.
func (p *planner) fields(out *plan, t reflect.Type, at uintptr) {
	for f := range t.Fields() {
		ft := f.Type
		if ft.Kind() == reflect.Struct {
			p.fields(out, ft, at+f.Offset)
			continue
		}
		pointer := ft.Kind() == reflect.Pointer
		if pointer {
			ft = ft.Elem()
		}
		of := p.plan(ft)
		out.fields = append(out.fields, field{at + f.Offset, of.kind, pointer, of})
	}
}
