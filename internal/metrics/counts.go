package metrics

import (
	"cmp"
	"fmt"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

// countUnit reports the packets, segments and bytes that the trackers count, and what
// the handshake negotiated.
var countUnit = &unit{rows: countRows, report: new(countReport)}

var countRows = []catalogue.Metric{
	{
		Name: "segments", JSON: "segments", Unit: "segments", Levels: catalogue.InBothDirs, Better: catalogue.NeitherIsBetter, Form: catalogue.Total,
		Definition: "Data segments sent, counted in units of the MSS, so that hosts which merge segments before the capture count alike.",
		Formula:    "sum over captured packets of ceil(payload / (MSS option of the peer - option bytes of the packet))",
		Source:     "RFC 9293 Section 3.7.1; equals data_segs_out of Linux", Evidence: catalogue.Everywhere,
		Caveats: fmt.Sprintf("An MSS of %d is assumed where the peer's SYN is not in the capture or has no MSS option. This holds for every count of segments. captured_segments counts packets and needs no MSS. A packet of several segments counts by the smaller MSS option of both ends.", subflow.DefaultMSS),
	},
	{
		Name: "captured_segments", JSON: "captured_segments", Unit: "packets", Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: catalogue.Total,
		Definition: "Packets with payload, counted as they are in the capture.", Source: "this program", Evidence: catalogue.Everywhere,
		Caveats: "Segmentation and receive offload make one packet of many segments.",
	},
	{
		Name: "bytes", JSON: "bytes", Unit: "bytes", Levels: catalogue.InSubflowDir, Better: catalogue.HigherIsBetter, Form: catalogue.Count,
		Definition: "Payload that was captured, copies included; on a subflow of Multipath TCP only what a mapping covers, and data in the SYN that was accepted (TCP Fast Open).",
		Source:     "RFC 8684 Section 3.3.1", Evidence: catalogue.Everywhere,
		Caveats: "Lengths come from the IP headers, so a snapshot length changes nothing unless it cuts mappings off.",
	},
	{
		Name: "bytes", JSON: "bytes", Unit: "bytes", Levels: catalogue.InConnDir, Better: catalogue.HigherIsBetter, Form: catalogue.Count,
		Definition: "Application data: data sequence numbers seen, each once, without the DATA_FIN; and data in the SYN that was accepted (TCP Fast Open), which has no data sequence numbers.",
		Source:     "RFC 8684 Section 3.3 and Appendix B.2", Evidence: catalogue.Everywhere,
		Caveats: "Absent, with all that follows from it, where the snapshot length cut mappings off.",
	},
	{
		Name: "bytes_unique", JSON: "bytes_unique", Unit: "bytes", Levels: catalogue.InSubflowDir, Better: catalogue.HigherIsBetter, Form: catalogue.Count,
		Definition: "Payload that was captured, each position of the subflow's stream counted once.",
		Formula:    "bytes - retransmitted_bytes", Source: "RFC 9293 Section 3.4", Evidence: catalogue.Everywhere,
	},
	{
		Name: "retransmitted_segments", JSON: "retransmitted_segments", Unit: "segments", Levels: catalogue.InBothDirs, Better: catalogue.LowerIsBetter, Form: catalogue.Total,
		Definition: "Data segments with any byte that had been sent before on the same subflow.",
		Source:     "FI23, MIX; equals total_retrans of Linux at the sender", Evidence: catalogue.Everywhere,
		Caveats: "At the receiver only duplicates show: a copy whose original was lost fills a hole there (hole_fills).",
	},
	{
		Name: "retransmitted_bytes", JSON: "retransmitted_bytes", Unit: "bytes", Levels: catalogue.InBothDirs, Better: catalogue.LowerIsBetter, Form: catalogue.Total,
		Definition: "Payload that had been sent before on the same subflow; of Multipath TCP, like bytes, only what a mapping covers.",
		Source:     "MIX", Evidence: catalogue.Everywhere,
		Caveats: "At the receiver only duplicates show. Where the snapshot length cut mappings off, all payload counts.",
	},
	{
		Name: "not_captured", JSON: "not_captured_bytes", Unit: "bytes", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Total,
		Definition: "Payload that was acknowledged or SACKed on the subflow and is not in the capture, because the capture lost packets. Other payload of the direction is in it.",
		Source:     "this program", Evidence: catalogue.Everywhere,
		Caveats: "It is not loss: the data arrived. Warning capture_lost_packets sums it up. Payload that was never acknowledged does not count.",
	},
	{
		Name: "reinjected_segments", JSON: "reinjected_segments", Unit: "segments", Levels: catalogue.InBothDirs, Better: catalogue.LowerIsBetter, Form: catalogue.Count,
		Definition: "Data segments at a new position of the subflow's stream whose data had been sent before, on any subflow.",
		Source:     "RFC 8684 Section 3.3.6", Evidence: catalogue.Everywhere,
	},
	{
		Name: "reinjected_bytes", JSON: "reinjected_bytes", Unit: "bytes", Levels: catalogue.InBothDirs, Better: catalogue.LowerIsBetter, Form: catalogue.Count,
		Definition: "Payload at new positions of the subflow's stream whose data had been sent before.",
		Source:     "RFC 8684 Section 3.3.6", Evidence: catalogue.Everywhere,
		Caveats: "At the receiver the copy that arrives second counts, even if it was sent first.",
	},
	{
		Name: "reinjected_same_subflow_bytes", JSON: "reinjected_same_subflow_bytes", Unit: "bytes", Levels: catalogue.InBothDirs, Better: catalogue.LowerIsBetter, Form: catalogue.Count,
		Definition: "The part of reinjected_bytes whose data only this very subflow had carried; Linux does that after it has considered a path failed for a while.",
		Source:     "RFC 8684 Section 3.3.6", Evidence: catalogue.Everywhere,
	},
	{
		Name: "out_of_order_segments", JSON: "out_of_order_segments", Unit: "segments", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Total,
		Definition: "Segments below the highest subflow position seen that are no retransmissions.",
		Source:     "RFC 4737 Section 3", Evidence: catalogue.Everywhere,
		Caveats: "At the sender the host itself causes it; reordering by the network shows at the receiver.",
	},
	{
		Name: "pure_acks", JSON: "pure_acks", Unit: "packets", Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: catalogue.Total,
		Definition: "Packets that acknowledge and carry neither payload nor SYN, FIN or RST.",
		Source:     "tcptrace", Evidence: catalogue.Everywhere,
	},
	{
		Name: "dup_acks", JSON: "dup_acks", BothEnds: true, Unit: "packets", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Count,
		Definition: "Pure ACKs with the acknowledgment number and window of the one before while data is in flight.",
		Source:     "RFC 5681 Section 2", Evidence: catalogue.Everywhere,
		Caveats: "An ACK that moves the DATA_ACK, or has an MPTCP option other than DSS, is none. Absent where the snapshot length cut options of this side's packets off.",
	},
	{
		Name: "sack_blocks", JSON: "sack_blocks", Unit: "blocks", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Count,
		Definition: "Blocks in SACK options, reports of duplicates left out.", Source: "RFC 2018 Section 3", Evidence: catalogue.Everywhere,
		Caveats: "Absent where the snapshot length cut options of this side's packets off.",
	},
	{
		Name: "dsack_blocks", JSON: "dsack_blocks", Unit: "blocks", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Count,
		Definition: "SACK blocks that report data received twice.", Source: "RFC 2883", Evidence: catalogue.Everywhere,
		Caveats: "Beside timestamps and a DATA_ACK of 8 bytes an ACK has room for one block. A block above the cumulative ACK is then a report of a duplicate only if it was reported before. Absent where the snapshot length cut options of this side's packets off.",
	},
	{
		Name: "resets", JSON: "resets", Unit: "packets", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Total,
		Definition: "Packets with RST.", Source: "RFC 9293 Section 3.5.2", Evidence: catalogue.Everywhere,
		Caveats: "RSTs that the receiver ignores count, too; their events have effective: false.",
	},
	{
		Name: "mp_tcprst", JSON: "mp_tcprst", Unit: "packets", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Count,
		Definition: "Packets with RST that carry MP_TCPRST, the option that says why a subflow is reset.",
		Source:     "RFC 8684 Section 3.6; MPRstTx of Linux at the sender", Evidence: catalogue.Everywhere,
	},
	{
		Name: "mp_tcprst_reasons", JSON: "mp_tcprst_reasons", Also: []string{"reason_code", "transient"}, Unit: catalogue.Composite, Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: "List[ResetReason]",
		Definition: "What MP_TCPRST options say: reason code, its name, flag T (transient: the same path may work later), and how many packets say so.",
		Source:     "RFC 8684 Section 3.6", Evidence: catalogue.Everywhere,
	},
	{
		Name: "fins", JSON: "fins", Unit: "packets", Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: catalogue.Total,
		Definition: "Packets with FIN, copies included.", Source: "RFC 9293 Section 3.6", Evidence: catalogue.Everywhere,
	},
	{
		Name: "mss", JSON: "mss", Unit: "bytes", Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: "*int",
		Definition: "Largest segment that this side says it accepts.", Source: "RFC 9293 Section 3.7.1", Evidence: catalogue.Everywhere,
		Caveats: "A middlebox may have lowered it.",
	},
	{
		Name: "window_scale", JSON: "window_scale", Unit: "bits", Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: "*int",
		Definition: "By how many bits this side's window fields are to be shifted.", Source: "RFC 7323 Section 2", Evidence: catalogue.Everywhere,
		Caveats: "In force only where both sides offer it.",
	},
	{
		Name: "sack_permitted", JSON: "sack_permitted", Unit: "true or false", Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: "*bool",
		Definition: "Whether this side's SYN permits selective acknowledgments.", Source: "RFC 2018 Section 2", Evidence: catalogue.Everywhere,
	},
	{
		Name: "timestamps", JSON: "timestamps", Unit: "true or false", Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: "*bool",
		Definition: "Whether this side's SYN carries TCP timestamps.", Source: "RFC 7323 Section 3", Evidence: catalogue.Everywhere,
	},
	{
		Name: "zero_window_events", JSON: "zero_window_events", Unit: "events", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Total,
		Definition: "How often the window that this side advertises fell to 0; each time is an event of kind zero_window, too.",
		Source:     "RFC 9293 Section 3.8.6.1", Evidence: catalogue.Everywhere,
	},
	{
		Name: "keep_alives", JSON: "keep_alives", Unit: "packets", Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: catalogue.Total,
		Definition: "Keep-alives and window probes: packets with the sequence number of the last byte acknowledged, while nothing is outstanding.",
		Source:     "RFC 9293 Sections 3.8.4 and 3.8.6.1", Evidence: catalogue.Everywhere,
		Caveats: "Some carry one byte, which does not count as payload. Such a packet counts only after a second of silence; otherwise it is a retransmission.",
	},
	{
		Name: "stray_packets", JSON: "stray_packets", Unit: "packets", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Total,
		Definition: "Packets whose sequence number lies more than 2^30 from the end of the stream, farther than any window is wide; nothing else counts them.",
		Source:     "RFC 7323 Section 2.3", Evidence: catalogue.Everywhere,
		Caveats: "They come from a middlebox, from an earlier connection of the same ports, or are forged.",
	},
	{
		Name: "idle_max", JSON: "idle_max_ms", Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Number,
		Definition: "Longest pause between two packets of this direction, with or without payload; stray packets do not count.", Source: "tcptrace", Evidence: catalogue.Everywhere,
	},
}

type countReport struct{}

// noSYN is the reason why figures from a SYN are absent.
const noSYN = "the SYN of this side is not in the capture"

func (*countReport) reportSubflow(v *view, out *report.SubDir) {
	h, other := &v.sub.Sub.Senders[v.from], &v.sub.Sub.Senders[v.from.Other()]
	out.Segments, out.CapturedSegments, out.RetransmittedSegments = h.Segments, h.CapturedSegments, h.RexmitSegments
	out.PureAcks, out.OutOfOrderSegments = h.PureACKs, h.OutOfOrder
	out.Resets, out.Fins, out.ZeroWindowEvents = h.Resets, h.FINs, h.ZeroWindows
	out.KeepAlives, out.StrayPackets = h.KeepAlives, h.Strays
	out.NotCapturedBytes, _ = h.NotCaptured()
	v.carried(out)
	v.ackOptions(out, h, other)
	v.resetReasons(out)
	v.negotiated(out, h, other)
	switch {
	case h.Packets == 0:
		v.Set("idle_max_ms", "no packet of this direction was captured")
	case v.m.hasGaps():
		v.Set("idle_max_ms", acrossGap)
	default:
		out.IdleMax = v.Float(ms(h.MaxIdle))
	}
}

// carried fills in how much of the connection's data the payload is.
func (v *view) carried(out *report.SubDir) {
	c := v.m.Carried(v.sub, v.from)
	out.RetransmittedBytes = c.Retransmitted
	if c.Cut == "" {
		out.Bytes, out.BytesUnique = v.Mem.Ints.Of(c.Bytes), v.Mem.Ints.Of(c.Unique)
	} else {
		v.Set("bytes", c.Cut)
		v.Set("bytes_unique", c.Cut)
	}
	if v.cut != "" {
		v.reinjectionsCut()
		return
	}
	space := v.sub.Sub.Spaces[v.from]
	out.ReinjectedSegments, out.ReinjectedBytes = v.Mem.Ints.Of(space.ReinjectedSegments), v.Mem.Ints.Of(space.ReinjectedBytes)
	out.ReinjectedSameSubflowBytes = v.Mem.Ints.Of(space.ReinjectedSame)
}

// ackOptions fills in the figures from the options of this side's acknowledgments.
func (v *view) ackOptions(out *report.SubDir, h, other *subflow.Sender) {
	if why := v.sub.OptionsCut(v.from); why != "" {
		for _, name := range []string{"dup_acks", "sack_blocks", "dsack_blocks"} {
			v.Set(name, why)
		}
		return
	}
	if why := v.m.Lacks(v.from); why != "" { // nor which DATA_ACKs advance
		v.Set("dup_acks", why)
	} else {
		out.DupAcks = v.Mem.Ints.Of(h.DupACKs)
	}
	out.SACKBlocks, out.DSACKBlocks = v.Mem.Ints.Of(h.SACKBlocks-other.DSACKBlocks), v.Mem.Ints.Of(other.DSACKBlocks)
}

// resetReasons counts the RSTs with MP_TCPRST.
func (v *view) resetReasons(out *report.SubDir) {
	var packets int64
	for _, k := range v.sub.Sub.Resets(v.from) {
		out.ResetReasons = append(out.ResetReasons, report.ResetReason{Code: int(k.Reason), Reason: k.Reason.String(), Transient: k.Transient, Packets: k.Packets})
		packets += k.Packets
	}
	if why := v.sub.OptionsCut(v.from); why != "" && out.Resets > packets {
		v.Set("mp_tcprst", why)
		return
	}
	out.TCPRSTs = v.Mem.Ints.Of(packets)
}

// negotiated fills in what this side's SYN offered.
func (v *view) negotiated(out *report.SubDir, h, other *subflow.Sender) {
	if h.SYNs == 0 {
		for _, name := range []string{"mss", "window_scale", "sack_permitted", "timestamps"} {
			v.Set(name, noSYN)
		}
		return
	}
	cut := v.sub.OffersCut(v.from)
	if mss := other.MSS(); mss > 0 {
		out.MSS = v.Mem.Small.Of(mss)
	} else {
		v.Set("mss", cmp.Or(cut, "this side's SYN has no MSS option"))
	}
	if shift, ok := h.WScale(); ok {
		out.WindowScale = v.Mem.Small.Of(int(shift))
	} else {
		v.Set("window_scale", cmp.Or(cut, "this side's SYN offers no window scaling"))
	}
	out.SACKPermitted = v.offer("sack_permitted", h.SACKPermitted(), cut)
	out.Timestamps = v.offer("timestamps", h.Timestamps(), cut)
}

// offer returns whether a SYN has an option; nil if the capture may have cut the option
// off.
func (v *view) offer(name string, has bool, cut string) *bool {
	if !has && cut != "" {
		v.Set(name, cut)
		return nil
	}
	return v.Mem.Bools.Of(has)
}

// reportConnection adds up the subflows.
func (*countReport) reportConnection(v *view, out *report.ConnDir) {
	v.Mem.Sums(out, v.named, int(v.from), v.cut == "")
	if v.cut != "" {
		v.Set("bytes", v.cut)
		v.reinjectionsCut()
	}
}

// reinjectionsCut sets the reason why reinjections are unknown.
func (v *view) reinjectionsCut() {
	for _, name := range []string{"reinjected_segments", "reinjected_bytes", "reinjected_same_subflow_bytes"} {
		v.Set(name, v.cut)
	}
}
