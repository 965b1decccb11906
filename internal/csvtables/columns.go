package csvtables

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"mpanalyze/internal/report"
)

// A Column is a column of a table.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`        // integer, unsigned (up to 2^64-1), number, boolean, text, time (RFC 3339), numbers (separated by semicolons) or count (of a list's items)
	Field       string `json:"field"`       // its path in the report, as in "a2b.drops.percent"; empty in tables that stream
	Description string `json:"description"` // with the unit
}

// A Table is one of the files of a directory of tables.
type Table struct {
	Name    string   `json:"name"`    // of the file
	Row     string   `json:"row"`     // what a row stands for
	Columns []Column `json:"columns"` // in the order of the file
}

// The columns of the streamed tables. Columns may be added at the end.
var (
	placeColumns = []Column{
		{"connection", "integer", "", "Number of the connection, as in connections.csv."},
		{"direction", "text", "", "Direction of the data, a2b or b2a; in events.csv that of the packet."},
		{"subflow", "integer", "", "Number of the subflow, as in subflows.csv; empty where the row is about the whole connection."},
		{"path", "text", "", "Label of the path (--label), or its two addresses; empty where subflow is."},
	}
	seriesColumns = behind(
		Column{"metric", "text", "", "Name of the metric without its unit, as in mpanalyze explain."},
		Column{"t_s", "number", "", "Time since the connection's first packet, s."},
		Column{"value", "number", "", "Value, in the unit that mpanalyze explain gives for the metric."},
	)
	chunksColumns = behind(
		Column{"packet", "integer", "", "Number of the packet that carried the chunk; of two captures in the one at the host that sent it."},
		Column{"dsn", "integer", "", "Data sequence number of its first byte; the first byte of the connection is 1."},
		Column{"ssn", "integer", "", "Subflow sequence number of its first byte; the first byte of the subflow is 1."},
		Column{"length", "integer", "", "Length, bytes."},
		Column{"kind", "text", "", "first, retransmission or reinjection."},
		Column{"sent_s", "number", "", "When it left its sender, s; of a capture at the receiver empty."},
		Column{"acked_s", "number", "", "When it was acknowledged or SACKed on the subflow, s; in rows of first transmissions."},
		Column{"data_acked_s", "number", "", "When a DATA_ACK covered it, s; in rows of first transmissions."},
		Column{"arrived_s", "number", "", "When it reached its receiver, s; of a capture at the sender empty."},
		Column{"delivered_s", "number", "", "When every byte below it had arrived too, s; of a capture at the sender empty."},
	)
	mappingsColumns = behind(
		Column{"packet", "integer", "", "Number of the run's first packet."},
		Column{"packets", "integer", "", "Packets of the run: packets one after the other with the same mapping."},
		Column{"t_s", "number", "", "Time of its first packet since the connection's first one, s."},
		Column{"dsn", "integer", "", "First data sequence number; the first byte of the connection is 1."},
		Column{"wire_dsn", "unsigned", "", "The same as in the option."},
		Column{"dsn_octets", "integer", "", "Width of wire_dsn in bytes, 4 or 8."},
		Column{"ssn", "integer", "", "First subflow sequence number; the first byte of the subflow is 1."},
		Column{"length", "integer", "", "Length, bytes, without the DATA_FIN; 0 of an infinite mapping."},
		Column{"data_fin", "boolean", "", "Whether the mapping ends in a DATA_FIN."},
		Column{"infinite", "boolean", "", "Whether it is infinite: the stream maps one to one from here on (RFC 8684, Section 3.7)."},
		Column{"repeated", "boolean", "", "Whether all that it says was known before."},
		Column{"checksum", "integer", "", "DSS checksum as in the option; empty without one."},
		Column{"checksum_ok", "boolean", "", "Whether the checksum fits the data; empty where the payload was not captured whole."},
	)
	packetsColumns = behind(
		Column{"ssn", "integer", "", "Subflow sequence number of the first byte; the first byte of the subflow is 1."},
		Column{"length", "integer", "", "Length, bytes."},
		Column{"fate", "text", "", "What became of it between the captures, as in arrived or lost."},
		Column{"sent_packet", "integer", "", "Its number in the capture at the host that sent it; empty where it is not there."},
		Column{"sent_s", "number", "", "Its time there, s."},
		Column{"arrived_packet", "integer", "", "Its number in the capture at the host that received it; empty where it is not there."},
		Column{"arrived_s", "number", "", "Its time there, by that capture's clock, s."},
	)
	eventsColumns = behind(
		Column{"packet", "integer", "", "Number of the packet; empty where no single packet is meant."},
		Column{"t_s", "number", "", "Time since the connection's first packet, s."},
		Column{"kind", "text", "", "What happened, as in join, handover or fallback."},
		Column{"detail", "text", "", "The same in words, with more."},
	)
)

// behind returns the columns that say the place of a row, followed by these columns.
func behind(columns ...Column) []Column {
	return append(placeColumns[:len(placeColumns):len(placeColumns)], columns...)
}

// header returns the first line of a table.
func header(columns []Column) string { return strings.Join(columnNames(columns), ",") }

func columnNames(columns []Column) (names []string) {
	for i := range columns {
		names = append(names, columns[i].Name)
	}
	return names
}

// Tables describes every table that a [Writer] writes. For columns of the report, the
// descriptions come from the report's schema.
func Tables() ([]Table, error) {
	var s schema
	if err := json.Unmarshal(report.Schema(), &s); err != nil {
		return nil, fmt.Errorf("schema of the report: %w", err)
	}
	conn := describe{&s, reflect.TypeFor[report.Connection]()}
	sub, tcp := describe{&s, reflect.TypeFor[report.Subflow]()}, describe{&s, reflect.TypeFor[report.TCP]()}
	facts := describe{&s, reflect.TypeFor[report.EventFacts]()}.columns("Event")
	for i := range facts {
		facts[i].Field = ""
	}
	return []Table{
		{"connections.csv", "a connection of Multipath TCP", renamed(conn.columns("Connection"), "id", "connection")},
		{"subflows.csv", "a direction of a subflow", sub.perDirection("subflow", placeColumns[:1])},
		{"tcp.csv", "a direction of a connection of plain TCP", tcp.perDirection("connection", nil)},
		{"events.csv", "an event of a connection of Multipath TCP", append(eventsColumns[:len(eventsColumns):len(eventsColumns)], facts...)},
		{"series.csv", "a value of a metric (--series)", seriesColumns},
		{"mappings.csv", "a run of packets with the same mapping", mappingsColumns},
		{"chunks.csv", "a transmission of a chunk, the part of a packet's payload under one mapping (--chunks)", chunksColumns},
		{"packets.csv", "a packet with payload of two captures, or the part of it with one fate (--packets)", packetsColumns},
	}, nil
}

// perDirection returns the columns of [perDirection], in its order.
func (d describe) perDirection(id string, lead []Column) []Column {
	columns := append(lead[:len(lead):len(lead)], Column{"direction", "text", "", "Direction of what is counted, a2b or b2a."})
	columns = append(columns, renamed(d.columns(d.t.Name(), report.A2B, report.B2A), "id", id, "unavailable", "unavailable_of_both")...)
	return append(columns, describe{d.schema, reflect.TypeFor[report.SubDir]()}.columns("SubDir")...)
}

// renamed gives columns other names, in pairs of the old and the new one.
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

// schema holds the part of the report's schema that this package needs.
type schema struct {
	Defs map[string]struct {
		Properties map[string]struct {
			Description string
		}
	} `json:"$defs"`
}

// describe makes the descriptions of columns for one type of package report.
type describe struct {
	schema *schema
	t      reflect.Type
}

// columns returns the columns of d's type in the order of [flatFields]. def is the name of the
// type in the schema. Fields with a name in without are left out.
func (d describe) columns(def string, without ...report.Direction) (out []Column) {
	for sf := range d.t.Fields() {
		name, t := report.JSONName(sf), sf.Type
		if name == report.NoJSON || name == kernelField || len(without) > 0 && (name == string(without[0]) || name == string(without[1])) {
			continue
		}
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		about := d.schema.Defs[def].Properties[name].Description
		switch inner := (describe{d.schema, t}); {
		case sf.Anonymous:
			out = append(out, inner.columns(def)...)
		case t.Kind() == reflect.Struct:
			if prefix, ok := directionPrefix[report.Direction(name)]; ok {
				about = prefix
			}
			for _, c := range inner.columns(t.Name()) {
				c.Name, c.Field, c.Description = name+"_"+c.Name, name+"."+c.Field, about+" "+c.Description
				out = append(out, c)
			}
		default:
			out = append(out, Column{name, columnType(t), name, about})
		}
	}
	return out
}

// directionPrefix holds the beginnings of descriptions of columns about one direction of a connection.
var directionPrefix = map[report.Direction]string{report.A2B: "From a to b:", report.B2A: "From b to a:"}

// columnType says how [appenderOf] writes a type.
func columnType(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[report.Time]():
		return "time"
	case reflect.TypeFor[report.Reasons]():
		return "text"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	case reflect.String:
		return "text"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Float64 {
			return "numbers"
		}
		return "count"
	}
	return "integer"
}
