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
	for _, f := range []struct {
		name   string
		header []cell
		rows   func(put func([]cell))
	}{
		{"connections.csv", connectionCells(&report.Connection{}), func(put func([]cell)) {
			for i := range d.Connections {
				put(connectionCells(&d.Connections[i]))
			}
		}},
		{"subflows.csv", subflowCells(0, report.A2B, &report.Subflow{}), func(put func([]cell)) {
			for i := range d.Connections {
				for j := range d.Connections[i].Subflows {
					s := &d.Connections[i].Subflows[j]
					put(subflowCells(d.Connections[i].ID, report.A2B, s))
					put(subflowCells(d.Connections[i].ID, report.B2A, s))
				}
			}
		}},
		{"tcp.csv", tcpCells(report.A2B, &report.TCP{}), func(put func([]cell)) {
			for i := range d.TCP {
				put(tcpCells(report.A2B, &d.TCP[i]))
				put(tcpCells(report.B2A, &d.TCP[i]))
			}
		}},
	} {
		if err := t.whole(f.name, f.header, f.rows); err != nil {
			return fmt.Errorf("writing tables: %w", err)
		}
	}
	return nil
}

// whole writes a table of flattened structs.
func (t *Tables) whole(name string, header []cell, rows func(put func([]cell))) error {
	var line []byte
	for i, c := range header {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, c.name...)
	}
	out, err := createTable(t.dir, name, string(line))
	if err != nil {
		return err
	}
	rows(func(cells []cell) {
		b := out.row()
		for i, c := range cells {
			if i > 0 {
				b = append(b, ',')
			}
			b = c.appendTo(b)
		}
		out.write(b)
	})
	return out.close()
}

// connectionCells is a row of connections.csv.
func connectionCells(c *report.Connection) []cell {
	cells := flatten(nil, "", reflect.TypeFor[report.Connection](), reflect.ValueOf(c).Elem())
	return rename(cells, map[string]string{"id": "connection"})
}

// subflowCells is a row of subflows.csv.
func subflowCells(connection int, dir report.Direction, s *report.Subflow) []cell {
	return perDirection([]cell{{"connection", reflect.ValueOf(connection)}}, "subflow", dir, reflect.ValueOf(s).Elem())
}

// tcpCells is a row of tcp.csv.
func tcpCells(dir report.Direction, c *report.TCP) []cell {
	return perDirection(nil, "connection", dir, reflect.ValueOf(c).Elem())
}

// perDirection flattens a struct with an A2B and a B2A of which only one has
// its columns here. Its id becomes the column id, so that tables join.
func perDirection(dst []cell, id string, dir report.Direction, v reflect.Value) []cell {
	data := v.FieldByName("A2B")
	if dir == report.B2A {
		data = v.FieldByName("B2A")
	}
	dst = append(dst, cell{"direction", reflect.ValueOf(dir)})
	both := slices.DeleteFunc(flatten(nil, "", v.Type(), v), func(c cell) bool {
		return strings.HasPrefix(c.name, "a2b_") || strings.HasPrefix(c.name, "b2a_")
	})
	dst = append(dst, rename(both, map[string]string{"id": id, "unavailable": "unavailable_of_both"})...)
	return flatten(dst, "", data.Type(), data)
}

// rename gives columns other names, so that tables join and no name stands
// twice.
func rename(cells []cell, names map[string]string) []cell {
	for i, c := range cells {
		if name, ok := names[c.name]; ok {
			cells[i].name = name
		}
	}
	return cells
}
