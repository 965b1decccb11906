package subflow

// Counters are the totals of one direction of a subflow. Segments are counted in units
// of the MSS: a captured segment of n payload bytes counts as ceil(n / unit), where
// unit is the peer's MSS without the option bytes of that packet. A part of a segment
// counts as ceil(part / unit).
type Counters struct {
	MaxIdle          int64 // longest gap between two packets of this direction, ns
	Packets          int64 // captured packets of this direction
	PureACKs         int64 // ACKs with neither payload nor SYN, FIN, RST
	Segments         int64
	CapturedSegments int64 // captured packets with payload
	Bytes            int64 // payload bytes, retransmissions included
	FirstData        int64 // time of the first payload, ns; 0 = none
	LastData         int64 // time of the latest payload, ns
	DupACKs          int64
	SACKBlocks       int64
	RexmitSegments   int64
	RexmitBytes      int64
	OutOfOrder       int64 // segments below the highest SSN seen that are originals, not retransmissions
	HoleFills        int64 // segments below the highest SSN seen that came too late for reordering: retransmissions whose original was lost before the capture point
	DSACKBlocks      int64 // DSACK blocks about duplicates of this direction, sent by the other end
	Resets           int64
	SYNs             int64
	FINs             int64
	ZeroWindows      int64 // times the advertised window became zero
	OptionsCut       int64 // packets whose TCP options the capture cut, SYNs not counted
	KeepAlives       int64 // keep-alives and window probes: see [Sender.isProbe]
	Strays           int64 // packets whose sequence number is too far from the window; no other counter has them
}

// segments returns how many segments of unit bytes n bytes take.
func segments(n, unit int64) int64 {
	if n <= unit { // nearly always; a division costs more than all else here
		return min(1, max(0, n))
	}
	return (n + unit - 1) / unit
}
