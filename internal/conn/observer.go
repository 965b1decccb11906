package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// Observer follows one connection. Its methods are called in the order of the capture, one
// at a time. Their arguments are valid during the call. An observer embeds [Nop] and
// overrides what it needs.
//
// With [Options.Goroutines], packets of different connections are processed at the same time:
// then Packet, Event and Settled of their observers may be called at the same time.
type Observer interface {
	// Subflow is called for each new subflow, before its first packet.
	Subflow(s *Subflow)
	// Packet is called after the connection, subflow and dss have processed a packet.
	Packet(p *Packet)
	// Event is called for what happens besides the transfer of data.
	Event(e *Event)
	// Close is called once, at the end; at is the time of the latest packet, ns.
	Close(at int64)
}

// ChunkObserver is an [Observer] that gets chunks, too.
type ChunkObserver interface {
	Observer
	// Settled is called with chunks that cannot change any more. Each one continues the
	// data of the one before. Side from sent them, first on subflow s.
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

// Module makes an observer for each new connection. It may return nil.
type Module interface {
	Open(c *Conn) Observer
}

// Packet is what one captured packet means to its connection.
type Packet struct {
	Seg         *packet.Segment
	*SubflowDir // of the packet
	// FastPath says that the packet continues an established subflow of a Multipath TCP
	// connection, has a DSS and no other MPTCP option, its options were captured whole,
	// and it has neither SYN, FIN nor RST.
	FastPath bool
	TCP      subflow.Packet

	// Result says what the packet is at the data level: DataAcked belongs to the space
	// of the other end, the rest to that of the sender.
	dss.Result
	Mapping *Mapping // the mapping in the packet; nil if there is none

	// In the space of the other end:
	DataAck         seq.DSN     // position of its DATA_ACK
	HasDataAck      bool        // the packet has one
	DataAckAdvanced bool        // it is above all before it
	NewAck          bool        // the packet acknowledges something for the first time, on its subflow or at the data level
	LateMapped      []dss.Piece // payload of earlier packets whose mapping is known only now

	// Goroutine is the number, from 0, of the goroutine that processes the packet. Packets of
	// different connections may be processed at the same time, each on its own goroutine.
	Goroutine int

	// Temporary memory:
	scratch    Event        // of emitWith
	ownMapping Mapping      // of takeMapping and capableMapping
	checksum   dss.Checksum // of placeMapping
	super      *superSegment
}

// HasPayload reports whether the packet carries a part of its stream: the byte of a keep-alive and the
// text of a RST are none.
func (p *Packet) HasPayload() bool { return !p.TCP.Sent.Range.Empty() }

// emit reports an event that the packet shows.
func (p *Packet) emit(kind EventKind, detail string) { p.emitWith(kind, detail, Facts{}) }

// emitWith reports an event with particulars.
func (p *Packet) emitWith(kind EventKind, detail string, f Facts) {
	p.scratch = Event{Time: p.Seg.Time, Sub: p.Sub, From: p.From, Packet: p.Seg.Num, Kind: kind, Detail: detail, Facts: f}
	p.Conn.notify(&p.scratch)
}

// reset prepares p for another packet. It assigns field by field: a literal would clear
// TCP, which is filled later anyway, and lose the memory of the lists.
func (p *Packet) reset(s *packet.Segment, d *SubflowDir) {
	p.Seg, p.SubflowDir, p.Mapping = s, d, nil
	p.Result.Reset()
	p.LateMapped = p.LateMapped[:0]
	p.DataAckAdvanced, p.NewAck = false, false
}

// Mapping is a mapping as a packet has it.
type Mapping struct {
	DSS             mptcp.DSS // as on the wire; for an MP_CAPABLE the same as a DSS
	SSN             seq.SSN   // relative to the ISN; -1 where the origin of the subflow is not known
	DSN             seq.DSN
	Infinite        bool
	ChecksumPending bool // its checksum waits for payload
	Verdict         dss.Verdict
}

// Event is something that happened besides the transfer of data.
type Event struct {
	Time   int64    // ns
	Sub    *Subflow // nil where it concerns no subflow, or all
	From   Side     // the sender of the packet, or of the data that the event is about; valid with Packet
	Packet uint64   // 0 where it is about no single packet
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
	EventConvert     EventKind = "convert"
	EventICMP        EventKind = "icmp"
)

// emit reports an event. A connection outside of a table has no observers.
func (c *Conn) emit(e Event) { c.notify(&e) }

// notify reports an event that e points to.
func (c *Conn) notify(e *Event) {
	if c.observer != nil {
		c.observer.Event(e)
	}
}

// Note reports an event that an observer found out. It may be called while a packet is
// processed.
func (c *Conn) Note(e Event) { c.emit(e) }
