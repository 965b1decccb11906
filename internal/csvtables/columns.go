package csvtables

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/schemas"
)

// A Column is a column of a table.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`        // integer, unsigned (up to 2^64-1), number, boolean, text, time (RFC 3339), numbers (separated by semicolons) or count (of a list's items)
	Field       string `json:"field"`       // its path in the report, as in "a2b.drops.percent"; empty in tables that stream
	Description string `json:"description"` // with the unit

	of []member // where it is in the report, from the outside; empty in tables that stream
}

// member is a field of a type of the report.
type member struct {
	of   reflect.Type
	name string
}

// A Table is one of the files of a directory of tables.
type Table struct {
	Name    string   `json:"name"`    // of the file
	Row     string   `json:"row"`     // what a row stands for
	Columns []Column `json:"columns"` // in the order of the file
}

// streamColumns has the columns of the streamed tables, and under "place" the first ones of all of
// them. Columns may be added at the end.
//
//go:embed streams.json
var streamColumns []byte

var streams = sync.OnceValue(func() map[string][]Column { return catalogue.Read[map[string][]Column](streamColumns) })

// placeColumns say the place of a row.
func placeColumns() []Column { return streams()["place"] }

// streamed returns the columns of a streamed table.
func streamed(table string) []Column { return slices.Concat(placeColumns(), streams()[table]) }

// header returns the first line of a table.
func header(columns []Column) string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return strings.Join(names, ",")
}

// Tables describes every table that a [Writer] writes. For columns of the report, the
// descriptions come from the report's schema.
func Tables() []Table {
	s := catalogue.Read[schema](schemas.Of("report"))
	facts := slices.Clone(eventFactColumns)
	for i := range facts { // the schema has them as fields of an event
		facts[i].Field, facts[i].of = "", []member{{reflect.TypeFor[report.Event](), facts[i].Name}}
	}
	return []Table{
		{"connections.csv", "a connection of Multipath TCP", s.described(connectionsTable().columns)},
		{"subflows.csv", "a direction of a subflow", s.described(subflowsTable().columns)},
		{"tcp.csv", "a direction of a connection of plain TCP", s.described(tcpTable().columns)},
		{"events.csv", "an event of a connection of Multipath TCP", slices.Concat(streamed("events"), s.described(facts))},
		{"series.csv", "a value of a metric (--tables)", streamed("series")},
		{"mappings.csv", "a run of packets with the same mapping", streamed("mappings")},
		{"chunks.csv", "a transmission of a chunk, the part of a packet's payload under one mapping (--tables chunks)", streamed("chunks")},
		{"packets.csv", "a packet with payload of two captures, or the part of it with one fate (--tables packets)", streamed("packets")},
	}
}

// schema holds the part of the report's schema that this package needs.
type schema struct {
	Defs map[string]struct {
		Properties map[string]struct {
			Description string
		}
	} `json:"$defs"`
}

// described returns the columns with the descriptions of their fields, from the outside.
func (s *schema) described(columns []Column) []Column {
	out := slices.Clone(columns)
	for i := range out {
		var words []string
		for k, m := range out[i].of {
			about := s.Defs[m.of.Name()].Properties[m.name].Description
			if prefix, ok := directionPrefix[report.Direction(m.name)]; ok && k+1 < len(out[i].of) {
				about = prefix
			}
			words = append(words, about)
		}
		if len(words) > 0 {
			out[i].Description = strings.Join(words, " ")
		}
	}
	return out
}

// directionPrefix holds the beginnings of descriptions of columns about one direction of a connection.
var directionPrefix = map[report.Direction]string{report.A2B: "From a to b:", report.B2A: "From b to a:"}
