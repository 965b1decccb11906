package differential

import (
	"math"
	"strconv"
)

// tcptraceExceptions are the disagreements with tcptrace 6.6.7. Each states
// exactly how far the two may be apart.
var tcptraceExceptions = []exception[figure]{
	{"owin-one-more", owinOneMore},
	{"owin-overtaken-ack", owinOvertaken},
	{"syn-and-fin-are-bytes", controlIsByte},
	{"mss-units", mssUnits},
	{"sack-packets", sackPackets},
	{"lone-dsack", loneDSACK},
	{"silence-to-the-end", silenceToTheEnd},
	{"scale-of-one-side", scaleOfOneSide},
	{"dup-ack-with-fin", dupACKWithFIN},
	{"dup-ack-with-news", dupACKWithNews},
	{"dup-ack-inside-segment", dupACKInsideSegment},
	{"dup-ack-overtaken", dupACKOvertaken},
	{"rtt-average", rttAverage},
	{"rtt-of-reset", rttOfReset},
	{"rtt-of-sack", rttOfSACK},
}

// owinOneMore: tcptrace takes what is outstanding from the octet before the
// acknowledged one on, so that nothing in flight is 1.
func owinOneMore(f *figure) bool { return f.column == "max_owin" && f.theirs == f.ours+1 }

func owinOvertaken(f *figure) bool { return f.column == "max_owin" && f.theirs > f.ours+1 }

// controlIsByte: a repeated SYN or FIN is to tcptrace a retransmitted packet of
// one byte, though no data packet.
func controlIsByte(f *figure) bool {
	if f.column != "rexmt_data_pkts" && f.column != "rexmt_data_bytes" {
		return false
	}
	sent := f.row["SYN/FIN_pkts_sent"+f.suffix]
	syns, _ := part(0)(sent)
	fins, _ := part(1)(sent)
	return f.theirs > f.ours && f.theirs-f.ours == max(0, syns-1)+max(0, fins-1)
}

// mssUnits: we count segments of the size that the peer's MSS allows, tcptrace
// captured packets, also where one is a super-segment.
func mssUnits(f *figure) bool {
	return (f.column == "rexmt_data_pkts" || f.column == "outoforder_pkts") && f.superSegments() && f.theirs < f.ours
}

// superSegments reports whether captured packets of the direction hold more
// than one segment.
func (d direction) superSegments() bool { return d.Segments > d.CapturedSegments }

// sackPackets: we count blocks, tcptrace packets with one to four of them.
func sackPackets(f *figure) bool {
	return f.column == "sacks_sent" && f.theirs > 0 && f.theirs < f.ours && f.ours <= 4*f.theirs
}

func loneDSACK(f *figure) bool {
	return f.column == "dsack_pkts_sent" && f.theirs < f.ours
}

// silenceToTheEnd: tcptrace counts the time from a direction's last packet to
// the connection's last as a pause between packets.
func silenceToTheEnd(f *figure) bool {
	whole := float64(f.flow.end-f.flow.start) / 1e6
	return f.column == "idletime_max" && f.theirs > f.ours && f.theirs < whole
}

// scaleOfOneSide: tcptrace forgets the shift of a SYN that no SYN/ACK answered.
func scaleOfOneSide(f *figure) bool {
	return f.column == "adv_wind_scale" && f.theirs == 0 && f.back.WindowScale == nil
}

func dupACKWithFIN(f *figure) bool {
	return f.column == "duplicate_acks" && f.flow.kind != multipath && f.theirs > f.ours && f.theirs-f.ours <= float64(f.back.Fins)
}

func dupACKWithNews(f *figure) bool {
	return f.column == "duplicate_acks" && f.flow.kind == multipath && f.theirs > f.ours
}

func dupACKInsideSegment(f *figure) bool {
	return f.column == "duplicate_acks" && f.superSegments() && f.theirs < f.ours
}

func dupACKOvertaken(f *figure) bool {
	return f.column == "duplicate_acks" && f.theirs == f.ours-1
}

func rttAverage(f *figure) bool {
	n := float64(f.RTTNewest.Samples)
	return f.column == "RTT_avg" && math.Abs(f.ours*n/(n+0.0001)-f.theirs) <= tenth
}

func rttOfReset(f *figure) bool {
	return f.roundTrip() && f.back.Resets > 0 && f.samples() == float64(f.RTTNewest.Samples+1)
}

func rttOfSACK(f *figure) bool {
	if !f.roundTrip() || f.back.SACKBlocks+f.back.DSACKBlocks == 0 && f.RetransmittedBytes == 0 {
		return false
	}
	switch f.column {
	case "RTT_samples":
		return f.ours >= f.theirs
	case "RTT_min":
		return f.ours <= f.theirs
	default:
		return true
	}
}

func (f *figure) roundTrip() bool {
	switch f.column {
	case "RTT_samples", "RTT_min", "RTT_max", "RTT_avg":
		return true
	}
	return false
}

// samples is how many round-trip samples tcptrace has.
func (f *figure) samples() float64 {
	n, _ := strconv.ParseFloat(f.row["RTT_samples"+f.suffix], 64)
	return n
}
