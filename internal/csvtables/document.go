package csvtables

import (
	"errors"
	"reflect"
	"slices"

	"mpanalyze/internal/report"
)

// Document writes the tables that hold the report itself: connections.csv, subflows.csv and
// tcp.csv. The last two have a row per direction. The files get their names when Close is called.
func (t *Writer) Document(s report.Source) error {
	for _, write := range []func(report.Source) error{t.connectionRows, t.tcpRows} {
		if err := write(s); err != nil {
			t.failed = true
			return err
		}
	}
	return nil
}

// kernelField is the field of a report with what the kernels of the hosts say. It has no columns:
// the report has two hosts' figures of it, and series.csv has the values.
const kernelField = "kernel"

// flatTable is a table whose rows begin with columns of the table itself. The columns of
// flattened structs follow.
type flatTable struct {
	columns []Column
	parts   [][]flatField // of each struct
	brief   []flatField   // in place of the last of parts, for connections that the report has in short
}

// The tables of the report itself.
func connectionsTable() *flatTable {
	fields, columns := flatFields(reflect.TypeFor[report.Connection](), kernelField)
	return &flatTable{columns: renamed(columns, "id", "connection"), parts: [][]flatField{fields}}
}

func subflowsTable() *flatTable {
	return perDirection("subflow", reflect.TypeFor[report.Subflow](), placeColumns()[0])
}

func tcpTable() *flatTable { return perDirection("connection", reflect.TypeFor[report.TCP]()) }

// connectionRows writes connections.csv and subflows.csv.
func (t *Writer) connectionRows(s report.Source) error {
	var lead []byte
	return t.whole("connections.csv", connectionsTable(), func(conn putRow) error {
		return t.whole("subflows.csv", subflowsTable(), func(sub putRow) error {
			for i := range s.NumConnections() {
				c, err := s.ConnectionAt(i)
				if err != nil {
					return err
				}
				conn(nil, false, reflect.ValueOf(c).Elem())
				lead = appendInt(lead[:0], int64(c.ID))
				for j := range c.Subflows {
					s := &c.Subflows[j]
					sub.directions(lead, reflect.ValueOf(s).Elem(), c.Short, s.A2B, s.B2A)
				}
			}
			return nil
		})
	})
}

func (t *Writer) tcpRows(s report.Source) error {
	return t.whole("tcp.csv", tcpTable(), func(put putRow) error {
		for i := range s.NumTCP() {
			c, err := s.TCPAt(i)
			if err != nil {
				return err
			}
			put.directions(nil, reflect.ValueOf(c).Elem(), c.Short, c.A2B, c.B2A)
		}
		return nil
	})
}

// perDirection returns the table of a struct with fields A2B and B2A. A row has the columns in
// lead, the direction, the other columns of the struct, and then the columns of A2B or of B2A.
// The column of the struct's id gets the name id, so that tables can be joined.
func perDirection(id string, t reflect.Type, lead ...Column) *flatTable {
	both, columns := flatFields(t, string(report.A2B), string(report.B2A), kernelField)
	one, ofOne := flatFields(reflect.TypeFor[report.SubDir]())
	direction := Column{Name: "direction", Type: "text", Description: "Direction of what is counted, a2b or b2a."}
	return &flatTable{
		columns: slices.Concat(lead, []Column{direction}, renamed(columns, "id", id, "unavailable", "unavailable_of_both"), ofOne),
		parts:   [][]flatField{both, one}, brief: only(one, ofOne, "bytes", "bytes_unique"),
	}
}

// only returns a copy of the fields in which all columns stay empty, except those in keep.
func only(fields []flatField, columns []Column, keep ...string) []flatField {
	out, first := slices.Clone(fields), 0
	for i := range out {
		out[i].omit = !slices.Contains(keep, columns[first].Name)
		first += len(out[i].empty)
	}
	return out
}

// putRow adds a row. lead holds the first columns, with a comma behind each. The columns of the
// structs follow; with short, most columns of the last struct stay empty.
type putRow func(lead []byte, short bool, structs ...reflect.Value)

// directions adds the rows of a struct with fields A2B and B2A: one row for each direction that
// is not nil.
func (put putRow) directions(lead []byte, both reflect.Value, short bool, a2b, b2a *report.SubDir) {
	if a2b != nil {
		put(append(append(lead, report.A2B...), ','), short, both, reflect.ValueOf(a2b).Elem())
	}
	if b2a != nil {
		put(append(append(lead, report.B2A...), ','), short, both, reflect.ValueOf(b2a).Elem())
	}
}

// whole writes a whole table of flattened structs. It calls rows, which adds the rows.
func (t *Writer) whole(name string, f *flatTable, rows func(putRow) error) error {
	out, err := t.createTable(name, f.columns)
	if err != nil {
		return err
	}
	err = rows(func(lead []byte, short bool, structs ...reflect.Value) {
		b := append(out.row(), lead...)
		for i, v := range structs {
			fields := f.parts[i]
			if short && i == len(structs)-1 {
				fields = f.brief
			}
			b = appendFields(b, fields, v)
		}
		out.write(b[:len(b)-1]) // no comma behind the last column
	})
	return errors.Join(err, out.close())
}

// renamed gives columns other names, in pairs of the old and the new one, so that tables can be
// joined and every name is unique.
func renamed(columns []Column, names ...string) []Column {
	for i := range columns {
		for j := 0; j < len(names); j += 2 {
			if columns[i].Name == names[j] {
				columns[i].Name = names[j+1]
				break
			}
		}
	}
	return columns
}
