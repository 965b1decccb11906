package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// Observer follows one connection. Its methods are called in the order of the
// capture, by one goroutine; what they are given is valid during the call. An
// observer embeds [Nop] and overrides what it needs.
type Observer interface {
	// Subflow is called when the connection gains a subflow, before its
	// first packet.
	Subflow(s *Subflow)
	// Packet is called after the trackers have taken a packet.
	Packet(p *Packet)
	// Event is called for what happens besides the flow of data.
	Event(e *Event)
	// Close is called once, at the end; at is the time of the latest packet.
	Close(at int64)
}

// ChunkObserver is an [Observer] that wants to be told of chunks, too.
type ChunkObserver interface {
	Observer
	// Settled is called when the lives of chunks are over that continue each
	// other's data: of what side from sends, first carried on s.
	Settled(s *Subflow, from Side, run []dss.Chunk)
}

// Nop is an observer that does nothing.
type Nop struct{}

// Subflow does nothing.
func (Nop) Subflow(*Subflow) {}

// Packet does nothing.
func (Nop) Packet(*Packet) {}

// Event does nothing.
func (Nop) Event(*Event) {}

// Close does nothing.
func (Nop) Close(int64) {}

// Module makes an observer for each connection that turns up; it may return
// nil for those that it has no use for.
type Module interface {
	Open(c *Conn) Observer
}

// Packet is what one captured packet meant to its connection.
type Packet struct {
	Seg        *packet.Segment
	*Direction // that it belongs to
	// FastPath says that the packet continues an established subflow of a Multipath
	// TCP connection, carries a DSS and no other MPTCP option, all of its options
	// were captured, and it neither opens, closes nor resets anything.
	FastPath bool
	TCP      subflow.Packet

	// Found is what the packet is at the data level: DataAcked in the space of
	// the other end, the rest in that of the sender.
	dss.Result
	Mapping *Mapping // the mapping that the packet announces; nil if none

	// In the space of the other end:
	DataAck         seq.DSN     // position of its DATA_ACK
	HasDataAck      bool        // the packet carries one
	DataAckAdvanced bool        // it is the highest so far
	NewAck          bool        // the packet acknowledges something that none before it did, on its subflow or at the data level
	LateMapped      []dss.Piece // payload of earlier packets whose mapping is known only now

	scratch Event // scratch of eventOf
}

// emit tells the observers of the packet's connection what the packet shows.
func (p *Packet) emit(kind EventKind, detail string) { p.emitWith(kind, detail, Facts{}) }

// emitWith is event with particulars.
func (p *Packet) emitWith(kind EventKind, detail string, f Facts) {
	p.scratch = Event{Time: p.Seg.Time, Sub: p.Sub, From: p.From, Packet: p.Seg.Num, Kind: kind, Detail: detail, Facts: f}
	p.Conn.notify(&p.scratch)
}

// reset makes p that of another packet. TCP is filled whole by the subflow; a
// literal would clear it first, and that costs as much as a table lookup, as
// would giving up the lists' memory.
func (p *Packet) reset(s *packet.Segment, d *Direction) {
	p.Seg, p.Direction, p.Mapping = s, d, nil
	p.Result.Reset()
	p.LateMapped = p.LateMapped[:0]
	p.DataAckAdvanced, p.NewAck = false, false
}

// Mapping is a mapping as it stood in a packet.
type Mapping struct {
	SSN             seq.SSN // relative; -1 where the subflow's origin is not known
	DSN             seq.DSN
	Wire            uint64 // DSN as on the wire
	WireBytes       int    // width of Wire: 4 or 8
	Length          int64  // payload octets, DATA_FIN not counted
	Checksum        int32  // -1 = none
	DataFIN         bool
	Infinite        bool
	ChecksumPending bool // its checksum waits for payload
	Verdict         dss.Verdict
}

// Event is something that happened besides the flow of data.
type Event struct {
	Time   int64    // ns
	Sub    *Subflow // nil where it concerns none, or all
	From   Side     // who sent the packet, or the data of which it tells something; valid with Packet
	Packet uint64   // 0 where no single packet is meant
	Kind   EventKind
	Detail string
	Facts
}

// EventKind names an event.
type EventKind string

// The kinds of event.
const (
	EventJoin        EventKind = "join"
	EventJoinRefused EventKind = "join_refused"
	EventAddAddr     EventKind = "add_addr"
	EventAddAddrEcho EventKind = "add_addr_echo"
	EventRemoveAddr  EventKind = "remove_addr"
	EventPrio        EventKind = "mp_prio"
	EventFail        EventKind = "mp_fail"
	EventFastclose   EventKind = "fastclose"
	EventReset       EventKind = "rst"
	EventFIN         EventKind = "fin"
	EventDataFIN     EventKind = "data_fin"
	EventFallback    EventKind = "fallback"
	EventInfinite    EventKind = "infinite_mapping"
	EventChecksum    EventKind = "checksum_error"
	EventHMAC        EventKind = "hmac_error"
	EventConflict    EventKind = "mapping_conflict"
	EventUnmapped    EventKind = "unmapped_data"
	EventMalformed   EventKind = "malformed_option"
	EventUnknown     EventKind = "unknown_option"
	EventZeroWindow  EventKind = "zero_window"
	EventMerged      EventKind = "subflow_attached"
	EventClock       EventKind = "clock_stepped"
	EventLate        EventKind = "packets_out_of_order"
	EventFastOpen    EventKind = "fast_open"
)

// emit tells the observers of c; outside a table it has none.
func (c *Conn) emit(e Event) { c.notify(&e) }

// notify is event for one that may be told of another one afterwards.
func (c *Conn) notify(e *Event) {
	if c.observer != nil {
		c.observer.Event(e)
	}
}

// Note tells the observers of c of an event that one of them found out; it may
// be called while they take a packet.
func (c *Conn) Note(e Event) { c.emit(e) }
