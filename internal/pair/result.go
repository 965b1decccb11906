package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/stats"
)

// SubflowID names a TCP connection in one capture: its connection by the order of
// creation ([conn.Conn.Order]) and its subflow.
type SubflowID struct {
	Conn, Sub int
	Ends      [2]packet.Endpoint // by side
}

// Sides says what the sides of a connection are in the two captures.
type Sides struct {
	Flipped bool   // the receiver's capture calls B what the sender's calls A
	At      [2]End // the capture taken at A and at B, as the sender's capture calls them
}

// side translates a side of capture e into that of the sender's capture, and back.
func (x *Sides) side(e End, s conn.Side) conn.Side {
	if e == AtReceiver && x.Flipped {
		return s.Other()
	}
	return s
}

// Subflow holds what the two captures together show of one TCP connection.
type Subflow struct {
	ID [2]SubflowID // by capture
	Sides
	Dirs    [2]*SubflowDir // by the sender of the data, as the sender's capture calls it
	Changes Changes
}

// SubflowDir holds the figures of one direction of a TCP connection. Segments are MSS
// units, times milliseconds; delays are as the captures give them until
// [clock.Estimate.Correct].
type SubflowDir struct {
	OWD           clock.Delays // per packet with payload
	AckOWD        clock.Delays // per packet without payload, RSTs left out
	IPDV          stats.Dist   // RFC 3393: neighbours in the order of sending
	Jitter        stats.Dist   // RFC 3550, Section 6.4.1: the running value
	ReorderExtent stats.Dist   // how late packets are that others overtook (RFC 4737, Section 4.3)

	Sent           int64 // captured packets with payload at the sending host
	Arrived        int64 // captured packets with payload at the receiving host
	MatchedPackets int64 // sent packets that arrived, at least in part
	SentSegments   int64
	FirstSent      int64 // times of the first and the last packet with payload at the sending host, ns
	LastSent       int64

	Lost        int64 // segments
	LostBytes   int64
	NotCovered  int64 // segments sent while the other capture was not running
	NotCaptured int64 // segments that the other capture missed: they were acknowledged
	Duplicated  int64 // segments that the network sent twice
	Unsent      int64 // segments that the capture at the sender missed
	Reordered   int64 // packets that others overtook (RFC 4737, Section 3)
	Altered     int64 // packets whose TCP options were removed or changed their length on the way
	Split       int64 // arrivals that are a further part of a packet sent as one
	Merged      int64 // arrivals that several sent packets are part of
}

// Changes lists what a middlebox changed in a TCP connection.
type Changes struct {
	Addresses [2]bool // address or port of the end at A, at B
	Sequence  [2]bool // sequence numbers of the data that A, that B sends
	MSS       [2]bool // the MSS option of A, of B
}

// Conn holds what the two captures together show of a connection's data.
type Conn struct {
	ID [2]int // [conn.Conn.Order] by capture
	Sides
	Dirs [2]*DataDir
}

// DataDir holds the figures of one direction of a connection's data.
type DataDir struct {
	// Delivery is the end-to-end delay (REC16), per byte, ms, with the times as
	// the captures give them: from the first transmission of a byte at one host
	// until the byte and all bytes before it have arrived at the other.
	Delivery clock.Delays
	// OneSided counts the bytes of data that were delivered, or acknowledged
	// with a DATA_ACK, but that only one capture shows. If it is 0, the delays
	// of all data are known.
	OneSided int64
	// Unmatched counts the OneSided bytes for which the sending host's capture
	// shows only transmissions that left too late to have arrived first.
	Unmatched int64
	// Reinjected bytes by which transmission came first.
	ReinjectionFirst, OriginalFirst int64
	// Lead is by how much the first transmission came before the second, ms. It holds
	// only data of which neither transmission had arrived when the second one left, and
	// both arrived later: for data that had arrived before, only the order of
	// the transmissions is counted.
	Lead stats.Dist
}
