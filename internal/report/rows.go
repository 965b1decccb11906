package report

import (
	"math"
	"strconv"
)

// NoTime is the value of a time field for "not seen"; its table cell is empty.
const NoTime int64 = math.MinInt64

// NoSubflow is the value of a subflow field if the row concerns the whole connection;
// its table cell is empty.
const NoSubflow = -1

// Cell holds the first columns of every table, which say where a row belongs. A Cell
// that rows point to never changes, so sinks may keep it.
type Cell struct {
	Place      uint64    // within one analysis, equal numbers mean equal cells, so sinks need not compare the other fields; 0 = not set
	Connection int       // id of the connection
	Direction  Direction // direction of the packet
	Subflow    int       // id of the subflow, or NoSubflow
	Path       string    // label of the path, empty with NoSubflow
}

// SeriesLine is the common part of the rows of one series of one Cell. It never
// changes, so sinks may keep it.
type SeriesLine struct {
	*Cell
	Line   uint64 // like Place, for cell and metric together
	Metric string // name of the metric without its unit, as in "srtt"
}

// SeriesRow is one value of one series (series.csv). If a quantity keeps its value
// until it changes ([catalogue.Metric.Holds]), rows that repeat the value of the row
// before may be left out.
type SeriesRow struct {
	*SeriesLine
	T     int64   // nanoseconds since the connection's start
	Value float64 // in the unit that the report gives the metric in

	Weight float64 // bytes of the data that the value is of; 0 for a value of no data
}

// ChunkRow is the life of one chunk, the part of one captured segment under one mapping
// (chunks.csv). Times are nanoseconds since the connection's start as this capture saw
// them, or [NoTime]. With two captures, each gives the times at its host, by its clock;
// Packet is the number in the capture at the sending host. A retransmission or a
// reinjection has only the time at which it passed. An acknowledgment does not show
// which copy it is for, so the times of acknowledgment, arrival and delivery belong to
// the data and are in the row of its first transmission.
type ChunkRow struct {
	*Cell
	Packet    int64 // number of the packet that carried it
	DSN       int64 // data sequence number of its first byte, relative: the first byte of the connection is 1
	SSN       int64 // subflow sequence number of its first byte, relative: the first byte of the subflow is 1
	Length    int64 // bytes
	Kind      ChunkKind
	Sent      int64 // left the sender (sender vantage)
	Acked     int64 // acknowledged or SACKed on the subflow
	DataAcked int64 // covered by a DATA_ACK
	Arrived   int64 // reached the receiver (receiver vantage)
	Delivered int64 // every lower data sequence number had arrived too (receiver vantage)
}

// MappingRow is one DSS mapping that a run of packets carried (mappings.csv). The run
// is the packets of one direction of a subflow, without a packet with another mapping
// between them.
type MappingRow struct {
	*Cell
	Packet     int64  // number of the run's first packet
	Packets    int64  // packets of the run
	T          int64  // the first packet's time, nanoseconds since the connection's start
	DSN        int64  // relative: the first byte of the connection is 1
	WireDSN    uint64 // as in the option
	DSNBytes   int    // width of WireDSN, 4 or 8
	SSN        int64  // relative: the first byte of the subflow is 1
	Length     int64  // data-level length in bytes, the DATA_FIN not counted; 0 with Infinite
	DataFin    bool   // the mapping ends in a DATA_FIN
	Infinite   bool   // data-level length 0: from here on the stream maps one to one (RFC 8684, Section 3.7)
	Repeated   bool   // the run added nothing: the place of the data and its end were known before
	Checksum   int32  // as in the option, or -1 where it has none
	ChecksumOK *bool  // nil where the payload was not captured whole
}

// EventRow is one event (events.csv). Its Direction is that of the packet, or of the
// data that an rb2loc or a handover is about; empty where no single packet is meant.
type EventRow struct {
	Cell
	Packet int64 // number of the packet, 0 where no single packet is meant
	T      int64 // nanoseconds since the connection's start
	Kind   EventKind
	Detail string
	EventFacts
}

// RowSink takes rows when they are final, several of one kind at a time. It must not
// keep them after it has returned, because the caller uses their memory again. After an
// error no more rows come.
type RowSink interface {
	Series([]SeriesRow) error
	Chunks([]ChunkRow) error
	Mappings([]MappingRow) error
	Event(*EventRow) error
}

// Unmapped is a [RowSink] that does not want mappings, so none are made for it.
type Unmapped interface {
	RowSink
	Unmapped()
}

// Omitting is a [RowSink] that is told how many rows of series it does not get. These are rows of
// cells without data. Of a long pause only the first and the last cell have a row.
type Omitting interface {
	RowSink
	Omitted(n int64)
}

// PacketRow is a packet with payload that was searched for in two captures, or a part
// of one, if its parts were not treated alike (packets.csv). Times are nanoseconds
// since the connection's start in the sender's capture, each by the clock of its own
// capture, or [NoTime].
type PacketRow struct {
	Cell
	SSN           int64 // relative: the first byte of the subflow is 1
	Length        int64 // bytes
	Fate          string
	SentPacket    int64 // number in the capture at the sending host, 0 if the packet is not in it
	Sent          int64
	ArrivedPacket int64 // number in the capture at the receiving host, 0 if the packet is not in it
	Arrived       int64
}

// PacketSink takes rows on packets under the rules of [RowSink].
type PacketSink interface {
	Packet(*PacketRow) error
}

// NopRows takes rows and does nothing with them. A sink of some kinds of rows embeds it; no mappings
// are made for such a sink ([Unmapped]).
type NopRows struct{}

// Chunks takes rows of chunks.
func (NopRows) Chunks([]ChunkRow) error { return nil }

// Mappings takes rows of mappings.
func (NopRows) Mappings([]MappingRow) error { return nil }

// Event takes a row of an event.
func (NopRows) Event(*EventRow) error { return nil }

// Unmapped says that mappings are of no use.
func (NopRows) Unmapped() {}

// CellText returns a text as a cell of a CSV table. Spreadsheets run a text that begins with one of
// = + - @, or with one of these behind a tab or carriage return, as a formula. Names and labels
// may come from strangers, so an apostrophe stands before such a text. A number gets none.
func CellText(s string) string {
	if s == "" {
		return s
	}
	switch s[0] {
	case '=', '+', '-', '@', '\t', '\r':
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}
