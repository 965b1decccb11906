package subflow

// Counters are what one direction of a subflow sums up. A segment is an MSS
// unit: a captured segment of n payload octets counts ceil(n / (peer's MSS -
// option octets of that packet)), and a part of it counts ceil(part / that).
type Counters struct {
	MaxIdle          int64 // longest gap between two packets of this direction, ns
	Packets          int64 // captured packets of this direction
	PureACKs         int64 // ACKs with neither payload nor SYN, FIN, RST
	Segments         int64
	CapturedSegments int64 // captured packets with payload
	Bytes            int64 // payload octets, copies included
	FirstData        int64 // time of the first payload, ns; 0 = none
	LastData         int64 // time of the latest payload, ns
	DupACKs          int64
	SACKBlocks       int64
	RexmitSegments   int64
	RexmitBytes      int64
	OutOfOrder       int64 // segments below the highest SSN seen that repeat nothing
	HoleFills        int64 // those of them that came too late for reordering: copies of what was lost before
	DSACKBlocks      int64 // reports of duplicates in this direction, which its other end's ACKs carry
	Resets           int64
	SYNs             int64
	FINs             int64
	ZeroWindows      int64 // times the advertised window became zero
	OptionsCut       int64 // packets, SYNs left out, of which the capture cut TCP options off
	KeepAlives       int64 // keep-alives and window probes: see [Sender.isProbe]
	Strays           int64 // packets whose sequence number fits no window; nothing else counts them
}

// units returns how many segments of unit octets n octets are.
func units(n, unit int64) int64 {
	if n <= unit { // nearly every packet, and a division costs more than the rest
		return min(1, max(0, n))
	}
	return (n + unit - 1) / unit
}
