package campaign

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// AnyConnection asks for the connection of a report with the most data bytes in both
// directions together; among equal ones it is the one with the smallest id.
const AnyConnection = -1

// Extract takes the figures of one connection out of a report. If the report has no such
// connection, or the connection carries no data, it returns an error with a message for the
// user.
func Extract(doc *report.Document, connection int) (*Run, error) {
	c, err := chooseConnection(doc, connection)
	if err != nil {
		return nil, err
	}
	r := &Run{
		Connection: c.ID, Connections: len(doc.Connections), Version: c.Version, Vantage: c.Vantage, Both: doc.Clock != nil,
		Bulk: c.Bulk(), FellBack: c.Fallback != nil, Addresses: addressesOf(c),
	}
	r.noteMaking(doc)
	if r.Both && doc.MadeBy != nil {
		r.End = report.Host(doc.MadeBy.Options.End)
	}
	labels := c.PathLabels()
	for _, d := range report.Directions {
		conn := c.Dir(d)
		if conn == nil { // the report was made with --direction
			continue
		}
		r.addAll(string(d), connPlan(), reflect.ValueOf(conn).Elem())
		r.noteSenderOnly(conn, d)
		for i := range c.Subflows {
			if sub := c.Subflows[i].Dir(d); labels[i] != "" && sub != nil {
				r.addAll(string(d)+"."+labels[i], subPlan(), reflect.ValueOf(sub).Elem())
			}
		}
	}
	for _, d := range report.Directions {
		r.addKernel(c, d, labels)
	}
	r.sort()
	r.dropOtherEnd()
	for i, l := range labels {
		r.AllPaths = Once(r.AllPaths, c.Subflows[i].Path)
		if l != "" {
			r.Paths = Once(r.Paths, c.Subflows[i].Path)
		}
	}
	return r, nil
}

// noteMaking notes the captures of a report and how the report was made.
func (r *Run) noteMaking(doc *report.Document) {
	r.MadeBy = doc.MadeBy
	r.Exchanged = slices.ContainsFunc(doc.Warnings, func(w report.Warning) bool { return w.Code == report.WarnExchanged })
	for i := range doc.Captures {
		c := &doc.Captures[i]
		if c.SHA256 != nil {
			r.Captures = append(r.Captures, *c.SHA256)
		}
		if c.First != nil && c.Last != nil {
			r.Captures = append(r.Captures, extentOf(c))
		}
	}
}

// extentOf names a capture by what is in it. A large capture has no hash unless it was asked
// for, and a copy with another compression has another hash.
func extentOf(c *report.Capture) string {
	return fmt.Sprintf("%d packets, %d bytes, %v to %v", c.Packets, c.Bytes, *c.First, *c.Last)
}

// addressesOf returns the addresses of the subflows of a connection, sorted.
func addressesOf(c *report.Connection) (out []string) {
	for i := range c.Subflows {
		for _, e := range []*report.Endpoint{&c.Subflows[i].A, &c.Subflows[i].B} {
			out = append(out, e.Addr)
		}
	}
	return distinct(out)
}

// noteSenderOnly notes for which figures of a direction only the capture at its sender was
// used: the order is then the order of sending, and the HoL degree is too low.
func (r *Run) noteSenderOnly(c *report.ConnDir, d report.Direction) {
	if o, x := c.OutOfOrder, c.DSNOffset; o != nil && o.Evidence == report.SendOrder || x != nil && x.Evidence == report.SendOrder {
		r.SendOrder = append(r.SendOrder, d)
	}
	if h, b := c.HoLDegree, c.HoLBlocking; h != nil && h.Evidence == report.Observed || b != nil && b.Evidence == report.Observed {
		r.HoLAtSender = append(r.HoLAtSender, d)
	}
}

// chooseConnection returns the connection with that id, or the one with the most data.
func chooseConnection(doc *report.Document, connection int) (*report.Connection, error) {
	best := doc.Connection(connection)
	if best != nil {
		return best, nil
	}
	for i := range doc.Connections {
		if c := &doc.Connections[i]; best == nil || c.A2B.Volume()+c.B2A.Volume() > best.A2B.Volume()+best.B2A.Volume() {
			best = c
		}
	}
	switch {
	case connection != AnyConnection:
		return nil, fmt.Errorf("has no MPTCP connection %d, it has %d", connection, len(doc.Connections))
	case best == nil && len(doc.TCP) > 0:
		return nil, fmt.Errorf("has no MPTCP connection, only %s", textwrap.Count(len(doc.TCP), "plain TCP connection"))
	case best == nil:
		return nil, errors.New("has no TCP connection")
	case best.A2B.Volume()+best.B2A.Volume() == 0:
		return nil, errors.New("its MPTCP connections carry no data")
	}
	return best, nil
}

// numericField is one numeric field of a report's type.
type numericField struct {
	name string // its path below the direction, as in ".srtt_ms.max"
	at   []int  // fields to go down, pointers followed
}

var (
	connPlan = sync.OnceValue(func() []numericField { return appendNumericFields(nil, "", reflect.TypeFor[report.ConnDir](), nil) })
	subPlan  = sync.OnceValue(func() []numericField { return appendNumericFields(nil, "", reflect.TypeFor[report.SubDir](), nil) })
)

// appendNumericFields appends the numeric fields of t, with those of structures in it.
// It leaves lists out: their items differ from run to run.
func appendNumericFields(dst []numericField, prefix string, t reflect.Type, at []int) []numericField {
	for i := range t.NumField() {
		f := t.Field(i)
		here := append(at[:len(at):len(at)], i)
		name := prefix
		if !f.Anonymous {
			name += "." + report.JSONName(f)
		}
		ft := f.Type
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		switch ft.Kind() {
		case reflect.Struct:
			dst = appendNumericFields(dst, name, ft, here)
		case reflect.Int, reflect.Int64, reflect.Float64:
			dst = append(dst, numericField{name, here})
		}
	}
	return dst
}

// addAll adds every figure of v that is not null.
func (r *Run) addAll(prefix string, fields []numericField, v reflect.Value) {
	for i := range fields {
		if x, ok := fields[i].in(v); ok {
			r.add(prefix+fields[i].name, nonNegativeZeta(fields[i].name, x))
		}
	}
}

// nonNegativeZeta replaces a negative zeta_max by 0, as the mean over runs is defined:
// a run without blocking does not make up for the blocking of another.
func nonNegativeZeta(name string, v float64) float64 {
	if name == ".hol_degree_ms.max" {
		return max(v, 0)
	}
	return v
}

// in returns the number of the field, and whether v has it.
func (f *numericField) in(v reflect.Value) (float64, bool) {
	for _, i := range f.at {
		v = v.Field(i)
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return 0, false
			}
			v = v.Elem()
		}
	}
	if v.Kind() == reflect.Float64 {
		return v.Float(), true
	}
	return float64(v.Int()), true
}

// numberIn returns the number that a part of a report has in one of the fields, by its name.
func numberIn(part reflect.Value, fields []numericField, name string) (float64, bool) {
	i := slices.IndexFunc(fields, func(f numericField) bool { return f.name == "."+name })
	if i < 0 {
		return 0, false
	}
	return fields[i].in(part)
}

// ConnNumber returns a number of a direction of a connection by its name, as in bytes or
// throughput_mbps.avg.
func ConnNumber(d *report.ConnDir, name string) (float64, bool) {
	if d == nil {
		return 0, false
	}
	return numberIn(reflect.ValueOf(d).Elem(), connPlan(), name)
}

// SubNumber does the same for a subflow as [ConnNumber] for a connection.
func SubNumber(d *report.SubDir, name string) (float64, bool) {
	if d == nil {
		return 0, false
	}
	return numberIn(reflect.ValueOf(d).Elem(), subPlan(), name)
}

// sort orders the figures by name.
func (r *Run) sort() {
	have := r.figures()
	r.Names = slices.Sorted(maps.Keys(have))
	for i, name := range r.Names {
		r.Values[i] = have[name]
	}
}

// Figure returns one of the run's figures, and whether the run has it.
func (r *Run) Figure(name string) (float64, bool) {
	i, ok := slices.BinarySearch(r.Names, name)
	if !ok {
		return 0, false
	}
	return r.Values[i], true
}
