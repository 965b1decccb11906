package report

import "math"

// NoTime stands in a row's time field for "not seen"; its table cell is empty.
const NoTime int64 = math.MinInt64

// NoSubflow stands in a row's subflow field where the row concerns the whole
// connection; its table cell is empty.
const NoSubflow = -1

// Trit is a truth value that may be unknown; its table cell is then empty.
type Trit uint8

// The truth values.
const (
	Unknown Trit = iota
	False
	True
)

// Cell names the row's place: every table begins with these columns. One that rows
// point to never changes, so that sinks may keep it.
type Cell struct {
	Place      uint64    // equal numbers of one analysis mean equal cells, so that sinks need not look; 0 says nothing
	Connection int       // id of the connection
	Direction  Direction // way that the packet travelled
	Subflow    int       // id of the subflow, or NoSubflow
	Path       string    // label of the path, empty with NoSubflow
}

// SeriesLine is what the rows of one series of one place have in common. It never
// changes, so that sinks may keep it.
type SeriesLine struct {
	*Cell
	Line   uint64 // as Place, of cell and metric together
	Metric string // name of the metric without its unit, as in "srtt"
}

// SeriesRow is one value of one series (series.csv). Of a quantity that keeps
// its value ([catalogue.Metric.Holds]) there may be no row where it is what the
// row before says.
type SeriesRow struct {
	*SeriesLine
	T     int64   // nanoseconds since the connection's start
	Value float64 // in the unit that the report gives the metric in
}

// ChunkRow is the life of one chunk, the part of one captured segment under
// one mapping (chunks.csv). Times are nanoseconds since the connection's start
// as this capture saw them, or [NoTime]. Of two captures each tells what its
// host did, by its clock, and the packet is that of the one at the sending
// host. A retransmission or a reinjection has the time of its passing alone: an
// acknowledgment does not tell which copy it is for, so that the times of
// acknowledgment, arrival and delivery are those of the data, in the row of its
// first transmission.
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

// MappingRow is one DSS mapping as a run of packets carried it (mappings.csv):
// packets of one direction of a subflow between which none has another mapping.
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
	Repeated   bool   // all that it says was known before the run: where the data belongs, and its end
	Checksum   int32  // as in the option, or -1 where it has none
	ChecksumOK Trit   // Unknown where the payload was not captured whole
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

// RowSink takes rows as they settle, some of a kind at a time. It must not keep
// what it is given after it returned; the caller uses it again. An error ends
// the rows.
type RowSink interface {
	Series([]SeriesRow) error
	Chunks([]ChunkRow) error
	Mappings([]MappingRow) error
	Event(*EventRow) error
}

// Unmapped is a [RowSink] that drops mappings, so that none need be made for it.
type Unmapped interface {
	RowSink
	Unmapped()
}

// PacketRow is a packet with payload that two captures were searched for, or
// the part of it that shares one fate (packets.csv). Times are nanoseconds since the
// connection's start in the sender's capture, each by the clock of its own
// capture, or [NoTime].
type PacketRow struct {
	Cell
	SSN           int64 // relative: the first byte of the subflow is 1
	Length        int64 // bytes
	Fate          string
	SentPacket    int64 // number in the capture at the sending host, 0 where it is not in it
	Sent          int64
	ArrivedPacket int64 // number in the capture at the receiving host, 0 where it is not in it
	Arrived       int64
}

// PacketSink takes rows on packets under the rules of [RowSink].
type PacketSink interface {
	Packet(*PacketRow) error
}
