package differential

import (
	"math"
	"slices"
	"strconv"
)

// tcptraceExceptions are the disagreements with tcptrace 6.6.7. Each says how
// far the two may be apart, exactly where that can be said.
var tcptraceExceptions = []exception[figure]{
	{"mss-units", mssUnits},
	{"sack-packets", sackPackets},
	{"dup-ack-of-reset", dupACKOfReset},
	{"dup-ack-with-news", dupACKWithNews},
	{"rtt-of-sack", rttOfSACK},
	{"zero-window-events", zeroWindowEvents},
	{"dsack-above-ack", dsackAboveACK},

	{"syn-and-fin-are-bytes", controlIsByte},
	{"owin-one-more", owinOneMore},
	{"owin-overtaken-ack", owinOvertaken},
	{"dup-ack-overtaken", dupACKOvertaken},
	{"dup-ack-with-fin", dupACKWithFIN},
	{"dup-ack-inside-segment", dupACKInsideSegment},
	{"silence-to-the-end", silenceToTheEnd},
	{"scale-unanswered", scaleUnanswered},
	{"timestamp-of-reset", timestampOfReset},
	{"mss-below-zero", mssBelowZero},
	{"owin-below-zero", owinBelowZero},
	{"rtt-of-reset", rttOfReset},
	{"rtt-average", rttAverage},
	{"capture-times-out-of-order", captureTimesOutOfOrder},
	{"port-reused-with-same-isn", func(f *figure) bool { return f.capture == sameISN }},
}

// The first group are differences of definition.

// mssUnits: we count segments of the size that the peer's MSS allows, tcptrace
// captured packets, also where one is a super-segment.
func mssUnits(f *figure) bool {
	return f.is("rexmt_data_pkts", "outoforder_pkts") && f.superSegments() && f.theirs < f.ours
}

// superSegments reports whether captured packets of the direction hold more
// than one segment.
func (d direction) superSegments() bool { return d.Segments > d.CapturedSegments }

// sackPackets: we count blocks, tcptrace packets with one to four of them.
func sackPackets(f *figure) bool {
	return f.is("sacks_sent") && f.theirs > 0 && f.theirs < f.ours && f.ours <= 4*f.theirs
}

// dupACKWithNews: an ACK that repeats the acknowledged number and moves the
// DATA_ACK, or carries an address or MP_FAIL, tells something new. tcptrace sees
// TCP only.
func dupACKWithNews(f *figure) bool {
	return f.is("duplicate_acks") && f.flow.kind != plain && f.theirs > f.ours && f.theirs <= float64(f.back.PureAcks+f.back.Fins)
}

// zeroWindowEvents: we count how often the window closes, tcptrace all packets
// that say that it is closed.
func zeroWindowEvents(f *figure) bool {
	return f.is("zero_win_adv") && f.ours > 0 && f.theirs > f.ours
}

// dsackAboveACK: a lone SACK block above the acknowledged number that lies in
// what was SACKed before reports a duplicate (RFC 2883, Section 4), for beside a
// DATA_ACK there is no room for the second block that tcptrace asks for.
func dsackAboveACK(f *figure) bool {
	return f.is("dsack_pkts_sent") && f.flow.kind == multipath && f.theirs < f.ours && *f.SACKBlocks > 0
}

// rttOfSACK: we take a sample from a segment when it is first acknowledged,
// also by SACK, unless it was sent twice. tcptrace takes one when the
// cumulative acknowledgment stands at its end, unless anything before it was
// sent twice. So ours are more, and the least of ours is no larger.
func rttOfSACK(f *figure) bool {
	if *f.back.SACKBlocks+*f.back.DSACKBlocks == 0 && f.RetransmittedBytes == 0 {
		return false
	}
	return f.is("RTT_samples") && f.ours >= f.theirs || f.is("RTT_min") && f.ours <= f.theirs || f.is("RTT_max", "RTT_avg")
}

// The second group are tcptrace's own. quotes has the packets.

// controlIsByte: a repeated SYN or FIN is to tcptrace a retransmitted data
// packet of one byte; neither is payload (RFC 9293, Section 3.4).
func controlIsByte(f *figure) bool {
	if !f.is("rexmt_data_pkts", "rexmt_data_bytes") {
		return false
	}
	sent := f.row["SYN/FIN_pkts_sent"+f.suffix]
	syns, _ := part(0)(sent)
	fins, _ := part(1)(sent)
	return f.theirs > f.ours && f.theirs-f.ours == max(0, syns-1)+max(0, fins-1)
}

// owinOneMore: tcptrace counts what is outstanding from the last acknowledged
// byte on and not from SND.UNA (RFC 9293, Section 3.3.1), so it has one more.
func owinOneMore(f *figure) bool { return f.is("max_owin") && f.theirs == f.ours+1 }

// overtaken are the captures in which an ACK that a later one overtook comes
// at a moment that makes a difference.
func (f *figure) overtaken() bool {
	return f.capture == "v0/ndiffports/server.pcap.zst" || f.capture == "campaign/reno/run2/server.pcap.zst"
}

// owinOvertaken: tcptrace takes the latest ACK for SND.UNA, also where a higher
// one came before it, which RFC 9293, Section 3.10.7.4 has ignored.
func owinOvertaken(f *figure) bool {
	return f.is("max_owin") && f.overtaken() && f.theirs > f.ours+1
}

// dupACKOvertaken: an ACK after one that was overtaken repeats the greatest
// number, so it is a duplicate (RFC 5681, Section 2, e); tcptrace compares it
// with the overtaken one.
func dupACKOvertaken(f *figure) bool {
	return f.is("duplicate_acks") && f.overtaken() && f.theirs == f.ours-1
}

// dupACKWithFIN: to tcptrace a FIN without payload is a duplicate ACK, but RFC
// 5681, Section 2, c asks for SYN and FIN to be off. On a Multipath TCP subflow
// this hides in dupACKWithNews.
func dupACKWithFIN(f *figure) bool {
	return f.is("duplicate_acks") && f.flow.kind != multipath && f.theirs > f.ours && f.theirs-f.ours <= float64(f.back.Fins)
}

// dupACKOfReset: to tcptrace a RST that repeats the acknowledged number is a
// duplicate ACK, too. It ends the connection: its receiver takes nothing else
// from it (RFC 9293, Section 3.10.7.4, second check).
func dupACKOfReset(f *figure) bool {
	return f.is("duplicate_acks") && f.theirs > f.ours && f.theirs-f.ours <= float64(f.back.Resets)
}

// timestampOfReset: tcptrace takes a timestamp in a RST, of an end that sent no
// SYN, for the wish to use them, which only a SYN states (RFC 7323, Section 3.2).
func timestampOfReset(f *figure) bool {
	syns, _ := part(0)(f.row["SYN/FIN_pkts_sent"+f.suffix])
	return f.is("req_1323_ws/ts") && f.theirs == 1 && f.ours == 0 && f.Resets > 0 && syns == 0
}

// mssBelowZero: tcptrace reads the MSS as a number of 16 bits with a sign, so
// that 65,495, as on the loopback device, becomes 2^32 - 41.
func mssBelowZero(f *figure) bool {
	return f.is("mss_requested") && f.ours >= 1<<15 && f.theirs == f.ours+1<<32-1<<16
}

// owinBelowZero: tcptrace computes what is outstanding without a sign. Where a
// packet ends below what was acknowledged, it is just below 2^64.
func owinBelowZero(f *figure) bool { return f.is("max_owin") && f.theirs >= 1<<63 }

// dupACKInsideSegment: tcptrace counts ACKs at the packet that ends where they
// stand. An ACK into the middle of a super-segment stands at none.
func dupACKInsideSegment(f *figure) bool {
	return f.is("duplicate_acks") && f.superSegments() && f.theirs < f.ours
}

// silenceToTheEnd: tcptrace counts the time from a direction's last packet to
// the connection's last as a pause between packets; where the connection was
// neither closed nor reset, the time to the capture's last packet.
func silenceToTheEnd(f *figure) bool {
	whole := float64(f.flow.end-f.flow.start) / 1e6
	toTheEnd := float64(f.flow.last-f.flow.start) / 1e6
	after := float64(f.flow.last-f.flow.end) / 1e6
	ended := f.Resets+f.back.Resets > 0 || f.Fins > 0 && f.back.Fins > 0
	return f.is("idletime_max") && f.theirs > f.ours && (f.theirs < whole || !ended && f.theirs >= after-tenth && f.theirs <= toTheEnd+tenth)
}

// scaleUnanswered: tcptrace forgets the shift of a SYN that a RST answered. We
// report what the SYN offers (RFC 7323, Section 2.2).
func scaleUnanswered(f *figure) bool {
	return f.is("adv_wind_scale") && f.theirs == 0 && f.back.WindowScale == nil && f.back.Resets > 0
}

// rttOfReset: tcptrace takes a sample from the acknowledgment of a RST, from
// which a sender takes nothing (RFC 9293, Section 3.10.7.4, second check).
func rttOfReset(f *figure) bool {
	n, _ := strconv.ParseInt(f.row["RTT_samples"+f.suffix], 10, 64)
	return f.is("RTT_samples", "RTT_min", "RTT_max", "RTT_avg") && f.back.Resets > 0 && n == f.RTTNewest.Samples+1
}

// rttAverage: tcptrace divides by the number of samples and 0.0001 more.
func rttAverage(f *figure) bool {
	if f.RTTNewest == nil {
		return false
	}
	n := float64(f.RTTNewest.Samples)
	return f.is("RTT_avg") && math.Abs(f.ours*n/(n+0.0001)-f.theirs) <= tenth
}

// captureTimesOutOfOrder: we put packets in the order of their timestamps, tcptrace
// takes them as they stand in the file. In one capture a packet stands before
// four with earlier stamps.
func captureTimesOutOfOrder(f *figure) bool {
	return f.capture == "v0/upload/server.pcap.zst" && f.is("outoforder_pkts") && f.theirs == f.ours+4
}

// sameISN is the one capture in which a port is used again with the same initial
// sequence number after a RST. tcptrace takes the second SYN for a repetition of
// the first, and begins the second connection with its SYN/ACK, whose sender
// thus becomes host a. A host that completed the handshake repeats no SYN.
const sameISN = "suites/pd-fastclose_receive_fastclose_with_rst_v4-ipv4.pcap.zst"

// is reports whether the figure's column is one of those named.
func (f *figure) is(columns ...string) bool {
	return slices.Contains(columns, f.column)
}
