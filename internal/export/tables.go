package export

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

// Document writes the tables that hold the report itself: connections.csv,
// subflows.csv and tcp.csv, the latter two with a row per direction.
func (t *Tables) Document(d *report.Document) error {
	for _, table := range []func(*report.Document) error{t.connectionRows, t.subflowRows, t.tcpRows} {
		if err := table(d); err != nil {
			return fmt.Errorf("writing tables: %w", err)
		}
	}
	return nil
}

func (t *Tables) connectionRows(d *report.Document) error {
	cols := tableColumns(nil, 0, "", reflect.TypeFor[report.Connection](), nil)
	return t.whole("connections.csv", rename(cols, map[string]string{"id": "connection"}), func(put func(...reflect.Value)) {
		for i := range d.Connections {
			put(reflect.ValueOf(&d.Connections[i]).Elem())
		}
	})
}

func (t *Tables) subflowRows(d *report.Document) error {
	cols := append([]tableColumn{{name: "connection", source: 3}}, perDirection("subflow", reflect.TypeFor[report.Subflow]())...)
	return t.whole("subflows.csv", cols, func(put func(...reflect.Value)) {
		for i := range d.Connections {
			c := &d.Connections[i]
			id := reflect.ValueOf(c.ID)
			for j := range c.Subflows {
				s := &c.Subflows[j]
				both := reflect.ValueOf(s).Elem()
				put(directionA2B, both, reflect.ValueOf(&s.A2B).Elem(), id)
				put(directionB2A, both, reflect.ValueOf(&s.B2A).Elem(), id)
			}
		}
	})
}

func (t *Tables) tcpRows(d *report.Document) error {
	return t.whole("tcp.csv", perDirection("connection", reflect.TypeFor[report.TCP]()), func(put func(...reflect.Value)) {
		for i := range d.TCP {
			c := &d.TCP[i]
			both := reflect.ValueOf(c).Elem()
			put(directionA2B, both, reflect.ValueOf(&c.A2B).Elem())
			put(directionB2A, both, reflect.ValueOf(&c.B2A).Elem())
		}
	})
}

var (
	directionA2B = reflect.ValueOf(report.A2B)
	directionB2A = reflect.ValueOf(report.B2A)
)

// perDirection returns the columns of a struct with an A2B and a B2A of which
// only one has its columns here. Its id becomes the column id, so that tables
// join. The values of a row are the direction, the struct, and its A2B or B2A.
func perDirection(id string, t reflect.Type) []tableColumn {
	both := slices.DeleteFunc(tableColumns(nil, 1, "", t, nil), func(c tableColumn) bool {
		return strings.HasPrefix(c.name, "a2b_") || strings.HasPrefix(c.name, "b2a_")
	})
	cols := append([]tableColumn{{name: "direction", source: 0}}, rename(both, map[string]string{"id": id, "unavailable": "unavailable_of_both"})...)
	return tableColumns(cols, 2, "", reflect.TypeFor[report.SubDir](), nil)
}

// whole writes a table of flattened structs, of which rows puts the values.
func (t *Tables) whole(name string, cols []tableColumn, rows func(put func(...reflect.Value))) error {
	names := make([]string, len(cols))
	for i := range cols {
		names[i] = cols[i].name
	}
	out, err := createTable(t.dir, name, strings.Join(names, ","))
	if err != nil {
		return err
	}
	rows(func(row ...reflect.Value) {
		b := out.row()
		for i := range cols {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, cols[i].value(row))
		}
		out.write(b)
	})
	return out.close()
}

// rename gives columns other names, so that tables join and no name stands
// twice.
func rename(cols []tableColumn, names map[string]string) []tableColumn {
	for i, c := range cols {
		if name, ok := names[c.name]; ok {
			cols[i].name = name
		}
	}
	return cols
}
