package pair

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/stats"
)

// FlowID names a TCP connection in one capture: its connection by the order of
// creation ([conn.Conn.Order]) and its subflow.
type SubflowID struct {
	Conn, Sub int
	Ends      [2]packet.Endpoint // by side
}

// Flow is what two captures together say of one TCP connection.
type Subflow struct {
	ID      [2]SubflowID // by capture
	Flipped bool         // the receiver's capture calls B what the sender's calls A
	At      [2]End       // the capture taken at A and at B, as the sender's capture calls them
	Dirs    [2]*Dir      // by the sender of the data, as the sender's capture calls it
	Changes Changes
}

// Dir holds the figures of one direction of a TCP connection. Segments are MSS
// units, times milliseconds; delays are as the stamps give them until
// [Clock.Correct].
type Dir struct {
	OWD           Delays     // per packet with payload
	AckOWD        Delays     // per packet without payload, RSTs left out
	IPDV          stats.Dist // RFC 3393: neighbours in the order of sending
	Jitter        stats.Dist // RFC 3550, Section 6.4.1: the running value
	ReorderExtent stats.Dist // how late packets are that others overtook

	Sent           int64 // captured packets with payload at the sending host
	Arrived        int64 // captured packets with payload at the receiving host
	MatchedPackets int64 // of those sent: arrived, at least in part
	SentSegments   int64
	FirstSent      int64 // times of the first and the last packet with payload at the sending host, ns
	LastSent       int64

	Lost        int64 // segments
	LostBytes   int64
	NotCovered  int64 // segments sent while the other capture was not running
	NotCaptured int64 // segments that the other capture missed: they were acknowledged
	Duplicated  int64 // segments that the network doubled
	Unsent      int64 // segments that the capture at the sender missed
	Reordered   int64 // packets that others overtook
	Altered     int64 // packets whose TCP options were removed or changed their length on the way
	Split       int64 // arrivals that are a further part of a packet sent as one
	Merged      int64 // arrivals that several sent packets are part of
}

// Changes are what a middlebox did to a TCP connection.
type Changes struct {
	Addresses [2]bool // address or port of the end at A, at B
	Sequence  [2]bool // sequence numbers of the data that A, that B sends
	MSS       [2]bool // the MSS option of A, of B
}

// changes compares what both captures say of a connection.
func (l *subflowPair) changes() (c Changes) {
	for s := range c.Addresses {
		side := conn.Side(s)
		far := l.side(AtReceiver, side) // the mapping is its own inverse
		x, y := l.ends[AtSender].sub, l.ends[AtReceiver].sub
		c.Addresses[s] = x.Ends[side] != y.Ends[far]
		nx, fx := x.Senders[side].ISN()
		ny, fy := y.Senders[far].ISN()
		c.Sequence[s] = fx && fy && nx != ny
		// A half knows the MSS that its other end's SYN allows.
		mx, my := x.Senders[side.Other()].MSS(), y.Senders[far.Other()].MSS()
		c.MSS[s] = mx != 0 && my != 0 && mx != my
	}
	return c
}

// Conn is what two captures together say of one direction of a connection's
// data; see [Pair.Conns].
type Conn struct {
	ID      [2]int // [conn.Conn.Order] by capture
	Flipped bool
	At      [2]End
	Dirs    [2]*ConnDir
}

// ConnDir holds the figures of one direction of a connection's data.
type ConnDir struct {
	// Delivery is the end-to-end delay: first transmission of a byte at one
	// host until it and every byte below it are there at the other (REC16),
	// per byte, ms, as the stamps give it.
	Delivery Delays
	// OneSided are the octets of data that were delivered, or acknowledged
	// with a DATA_ACK, of which one capture alone shows that. Where there are
	// none, delays of the data are known at both ends.
	OneSided int64
	// Unmatched are the octets among these of which the sending host's capture
	// shows only copies that left too late to be what arrived first.
	Unmatched int64
	// Worth of reinjected bytes by which copy came first.
	CopyFirst, OriginalFirst int64
	// By how much the first copy came before the second, ms, where neither had
	// arrived when the second left and both did later: of data that was there
	// before, only the order is kept ([pairedData.again]).
	Lead stats.Dist
}

// Results returns what was matched; call it when both tables are finished.
func (p *Pair) Results() ([]Subflow, []Conn) { return p.subflows, p.conns }

// Unpaired returns how many TCP connections of each capture have no
// counterpart in the other.
func (p *Pair) Unpaired() (n [2]int64) {
	for e := range p.captures {
		x := &p.captures[e].index
		x.closed = slices.DeleteFunc(x.closed, func(g *endSubflow) bool { return g.both != nil })
		n[e] = p.captures[e].unpaired + int64(len(p.captures[e].index.closed))
	}
	return n
}
