package csvtables

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"mpanalyze/internal/report"
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

// The columns of the streamed tables. Columns may be added at the end.
var (
	placeColumns = []Column{
		column("connection", "integer", "Number of the connection, as in connections.csv."),
		column("direction", "text", "Direction of the data, a2b or b2a; in events.csv that of the packet."),
		column("subflow", "integer", "Number of the subflow, as in subflows.csv; empty where the row is about the whole connection."),
		column("path", "text", "Label of the path (--label), or its two addresses; empty where subflow is."),
	}
	seriesColumns = behind(
		column("metric", "text", "Name of the metric without its unit, as in mpanalyze explain."),
		column("t_s", "number", "Time since the connection's first packet, s."),
		column("value", "number", "Value, in the unit that mpanalyze explain gives for the metric."),
	)
	chunksColumns = behind(
		column("packet", "integer", "Number of the packet that carried the chunk; of two captures in the one at the host that sent it."),
		column("dsn", "integer", "Data sequence number of its first byte; the first byte of the connection is 1."),
		column("ssn", "integer", "Subflow sequence number of its first byte; the first byte of the subflow is 1."),
		column("length", "integer", "Length, bytes."),
		column("kind", "text", "first, retransmission or reinjection."),
		column("sent_s", "number", "When it left its sender, s; of a capture at the receiver empty."),
		column("acked_s", "number", "When it was acknowledged or SACKed on the subflow, s; in rows of first transmissions."),
		column("data_acked_s", "number", "When a DATA_ACK covered it, s; in rows of first transmissions."),
		column("arrived_s", "number", "When it reached its receiver, s; of a capture at the sender empty."),
		column("delivered_s", "number", "When every byte below it had arrived too, s; of a capture at the sender empty."),
	)
	mappingsColumns = behind(
		column("packet", "integer", "Number of the run's first packet."),
		column("packets", "integer", "Packets of the run: packets one after the other with the same mapping."),
		column("t_s", "number", "Time of its first packet since the connection's first one, s."),
		column("dsn", "integer", "First data sequence number; the first byte of the connection is 1."),
		column("wire_dsn", "unsigned", "The same as in the option."),
		column("dsn_octets", "integer", "Width of wire_dsn in bytes, 4 or 8."),
		column("ssn", "integer", "First subflow sequence number; the first byte of the subflow is 1."),
		column("length", "integer", "Length, bytes, without the DATA_FIN; 0 of an infinite mapping."),
		column("data_fin", "boolean", "Whether the mapping ends in a DATA_FIN."),
		column("infinite", "boolean", "Whether it is infinite: the stream maps one to one from here on (RFC 8684, Section 3.7)."),
		column("repeated", "boolean", "Whether all that it says was known before."),
		column("checksum", "integer", "DSS checksum as in the option; empty without one."),
		column("checksum_ok", "boolean", "Whether the checksum fits the data; empty where the payload was not captured whole."),
	)
	packetsColumns = behind(
		column("ssn", "integer", "Subflow sequence number of the first byte; the first byte of the subflow is 1."),
		column("length", "integer", "Length, bytes."),
		column("fate", "text", "What became of it between the captures, as in arrived or lost."),
		column("sent_packet", "integer", "Its number in the capture at the host that sent it; empty where it is not there."),
		column("sent_s", "number", "Its time there, s."),
		column("arrived_packet", "integer", "Its number in the capture at the host that received it; empty where it is not there."),
		column("arrived_s", "number", "Its time there, by that capture's clock, s."),
	)
	eventsColumns = behind(
		column("packet", "integer", "Number of the packet; empty where no single packet is meant."),
		column("t_s", "number", "Time since the connection's first packet, s."),
		column("kind", "text", "What happened, as in join, handover or fallback."),
		column("detail", "text", "The same in words, with more."),
	)
)

// column returns a column of a streamed table.
func column(name, kind, description string) Column {
	return Column{Name: name, Type: kind, Description: description}
}

// behind returns the columns that say the place of a row, followed by these columns.
func behind(columns ...Column) []Column {
	return append(placeColumns[:len(placeColumns):len(placeColumns)], columns...)
}

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
func Tables() ([]Table, error) {
	var s schema
	if err := json.Unmarshal(report.Schema(), &s); err != nil {
		return nil, fmt.Errorf("schema of the report: %w", err)
	}
	facts := slices.Clone(eventFactColumns)
	for i := range facts { // the schema has them as fields of an event
		facts[i].Field, facts[i].of = "", []member{{reflect.TypeFor[report.Event](), facts[i].Name}}
	}
	return []Table{
		{"connections.csv", "a connection of Multipath TCP", s.described(connectionsTable().columns)},
		{"subflows.csv", "a direction of a subflow", s.described(subflowsTable().columns)},
		{"tcp.csv", "a direction of a connection of plain TCP", s.described(tcpTable().columns)},
		{"events.csv", "an event of a connection of Multipath TCP", slices.Concat(eventsColumns, s.described(facts))},
		{"series.csv", "a value of a metric (--series)", seriesColumns},
		{"mappings.csv", "a run of packets with the same mapping", mappingsColumns},
		{"chunks.csv", "a transmission of a chunk, the part of a packet's payload under one mapping (--chunks)", chunksColumns},
		{"packets.csv", "a packet with payload of two captures, or the part of it with one fate (--packets)", packetsColumns},
	}, nil
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
