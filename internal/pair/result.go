package pair

import (
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

// Subflow is what two captures together say of one TCP connection.
type Subflow struct {
	ID      [2]SubflowID // by capture
	Flipped bool         // the receiver's capture calls B what the sender's calls A
	At      [2]End       // the capture taken at A and at B, as the sender's capture calls them
	Dirs    [2]*Dir      // by the sender of the data, as the sender's capture calls it
	Changes Changes
}

// Dir holds the figures of one direction of a TCP connection. Segments are MSS
// units, times milliseconds; delays are as the captures give them until
// [clock.Estimate.Correct].
type Dir struct {
	OWD           clock.Delays // per packet with payload
	AckOWD        clock.Delays // per packet without payload, RSTs left out
	IPDV          stats.Dist   // RFC 3393: neighbours in the order of sending
	Jitter        stats.Dist   // RFC 3550, Section 6.4.1: the running value
	ReorderExtent stats.Dist   // how late packets are that others overtook (RFC 4737, Section 4.3)

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
	Reordered   int64 // packets that others overtook (RFC 4737, Section 3)
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

// Conn is what two captures together say of a connection's data.
type Conn struct {
	ID      [2]int // [conn.Conn.Order] by capture
	Flipped bool   // the receiver's capture calls B what the sender's calls A
	At      [2]End // the capture taken at A and at B, as the sender's capture calls them
	Dirs    [2]*ConnDir
}

// ConnDir holds the figures of one direction of a connection's data.
type ConnDir struct {
	// Delivery is the end-to-end delay: first transmission of a byte at one
	// host until it and every byte below it are there at the other (REC16),
	// per byte, ms, as the captures give it.
	Delivery clock.Delays
	// OneSided are the bytes of data that were delivered, or acknowledged with a
	// DATA_ACK, but that one capture alone shows. Where there are none, delays of
	// the data are known at both ends.
	OneSided int64
	// Unmatched are the bytes among these of which the sending host's capture
	// shows only copies that left too late to be what arrived first.
	Unmatched int64
	// Reinjected bytes by which copy came first.
	CopyFirst, OriginalFirst int64
	// By how much the first copy came before the second, ms, where neither had
	// arrived when the second left and both did later: of data that was there
	// before, only the order is kept.
	Lead stats.Dist
}
