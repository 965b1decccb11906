package metrics

import (
	"cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/subflow"
)

// lossUnit reports drops, retransmission_ratio, retransmission_kinds, hole_fills and
// network_duplicate_segments. Package subflow finds them.
var lossUnit = &unit{rows: lossRows, report: new(lossReport)}

var lossRows = []catalogue.Metric{
	{
		Name: "hole_fills", JSON: "hole_fills", Unit: "segments", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Count,
		Definition: "Segments that fill a hole in the subflow's sequence so late that reordering on the path cannot be the reason. So they are copies of segments whose first copy is not in the capture.",
		Source:     "this program", Evidence: catalogue.Evidence{Sender: catalogue.Inferred, Receiver: catalogue.Holes, Both: catalogue.Matched},
		Caveats: "At the receiver the first copy was lost on the way, or the capture missed it. At the sender it was lost before the capture point (see drops), or the capture missed it. With two captures the count is the receiver's. With timestamps, too late means sent after the packet that left the hole. Without them it means half a round trip after that packet. A loss at the very end of a subflow leaves no hole. Data that was lost twice leaves one hole.",
	},
	{
		Name: "network_duplicate_segments", JSON: "network_duplicate_segments", BothEnds: true, Unit: "segments", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Count,
		Definition: "Segments that a DSACK reports although they were never sent again: the network duplicated them.",
		Source:     "RFC 2883 Section 4", Evidence: catalogue.Evidence{Sender: catalogue.Inferred, Both: catalogue.Inferred},
		Caveats: "Only two captures are exact (network.duplicated_segments): a report is missing here if the ACK that carried it was lost.",
	},
	{
		Name: "drops", JSON: "drops", Symbol: "D (δ, d1, d2)", Also: []string{"drop_rate", "drop_rate_percent", "drop_rate_per_s", "loss"},
		Figures: map[string]string{"D": "count", "δ": "percent", "d1": "per_s", "d2": "per_s", "drop_rate": "percent", "drop_rate_percent": "percent", "drop_rate_per_s": "per_s", "loss": "percent"},
		Unit:    catalogue.Composite, Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: "*Drops",
		Definition: "Segments lost on the path: their number, their percentage of the segments sent, and their number per second.",
		Formula:    "D (count) and δ (percent) depend on the captures:\n- at the sender: D = retransmitted copies - duplicates that DSACK reports + before_capture; δ = 100 D / (segments + before_capture)\n- at the receiver: D = hole_fills; δ = 100 D / (segments + D), because the lost segments were sent, too\n- two captures: D = segments that left one host and never came to the other\nd1, d2 = D / (last - first data packet of the subflow)", Source: "FI23 Table 3, FED23 Table 1; RFC 2883", Evidence: catalogue.Evidence{Sender: catalogue.Inferred, Receiver: catalogue.Holes, Both: catalogue.Matched},
		Caveats: "Not available at the sender without SACK. A lower bound at the receiver. `before_capture` are segments that the sending host itself dropped (queueing discipline, netem, policer) before the capture saw them. It is a lower bound: hole_fills of the sender's capture, minus those whose first copy had arrived. An acknowledgment, a DSACK, the Eifel detection or an ACK too early for the copy shows that; the capture missed those copies (not_captured_bytes). `unresolved` are segments whose fate the capture does not show. Reinjection is not loss.",
	},
	{
		Name: "retransmission_ratio", JSON: "retransmission_ratio_percent", Unit: "percent", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Number,
		Definition: "Percentage of the sent segments that were retransmissions.",
		Formula:    "100 retransmitted_segments / segments", Source: "MIX", Evidence: catalogue.Everywhere,
		Caveats: "At the receiver only duplicates count.",
	},
	{
		Name: "retransmission_kinds", JSON: "retransmission_kinds", BothEnds: true, Timed: true, Unit: catalogue.Composite, Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: "*Retransmissions",
		Definition: "Segments sent again, by cause: fast, timeout, tail loss probe, unknown. They are retransmitted_segments and hole_fills together. Also those that were not needed, whatever the cause.",
		Formula: "the causes:" +
			"\n- fast: later data was SACKed, or data sent later was acknowledged (RACK), or three duplicate ACKs came. In a recovery that these began, a partial ACK is such a sign, too" +
			"\n- timeout: 0.8 (SRTT + 200 ms) passed without progress and without these signs. Or 0.8 RTO passed after an earlier copy of the segment at SND.UNA. All that is sent again until everything then in flight is acknowledged belongs to it" +
			"\n- tail loss probe: the last segment, sent again before such a time" +
			"\n- unknown: the rest",
		Source: "RFC 5681 Section 3.2, RFC 6582, RFC 6675, RFC 6298, RFC 5682, RFC 8985 Sections 6.2 and 7, RFC 3522, RFC 3708", Evidence: catalogue.Evidence{Sender: catalogue.Inferred, Both: catalogue.Inferred},
		Caveats: "A copy that was not needed can itself be lost: so `spurious` copies are not subtracted from the drops. 200 ms is the least that Linux adds to SRTT. With SACK the first copy of a single segment is a tail loss probe, however late. After a timeout that proves spurious, each later copy gets a cause of its own.",
	},
}

type lossReport struct{ nop }

func (*lossReport) reportSubflow(v *view, out *report.SubDir) {
	h := &v.sub.Sub.Senders[v.from]
	out.Drops, out.RetransmissionKinds = v.drops(h), nil
	switch why := v.repeatsCut(h); {
	case v.role == Sender && why != "":
		v.Set("retransmission_kinds", why)
	case v.role == Sender:
		l := &h.Loss
		out.RetransmissionKinds = v.Mem.Kinds.Of(report.Retransmissions{
			Fast: l.ByCause[subflow.FastRetransmit], Timeout: l.ByCause[subflow.Timeout], TailProbe: l.ByCause[subflow.TailLossProbe],
			Unknown: l.ByCause[subflow.UnknownCause], Spurious: l.Spurious + l.Missed,
		})
	default:
		v.Set("retransmission_kinds", atSenderOnly)
	}
	if v.role == Receiver || v.role == Sender {
		out.HoleFills = v.Mem.Ints.Of(h.HoleFills)
	} else {
		v.Set("hole_fills", atNeitherEnd)
	}
	if why := v.doublesReason(h); why == "" {
		out.NetworkDuplicates = v.Mem.Ints.Of(h.Loss.NetDuplicate)
	} else {
		v.Set("network_duplicate_segments", why)
	}
	if h.Segments > 0 {
		out.RetransmissionRatio = v.Mem.Floats.Of(100 * float64(h.RexmitSegments) / float64(h.Segments))
	} else {
		v.Set("retransmission_ratio_percent", noData)
	}
}

// repeatsCut returns why it is not known which retransmissions were spurious: options
// of acknowledgments are missing. It is empty if there are no retransmissions or no
// options are missing.
func (v *view) repeatsCut(h *subflow.Sender) string {
	if h.RexmitSegments == 0 {
		return ""
	}
	return v.sub.OptionsCut(v.from.Other())
}

// doublesReason returns why it is not known which segments the network duplicated;
// empty where acknowledgments show it.
func (v *view) doublesReason(h *subflow.Sender) string {
	if v.role != Sender {
		return atSenderOnly
	}
	return cmp.Or(v.sackReason(h), v.sub.OptionsCut(v.from.Other()))
}

// sackReason returns why acknowledgments do not show single segments; empty where SACK
// is in use, or may be.
func (v *view) sackReason(h *subflow.Sender) string {
	other := &v.sub.Sub.Senders[v.from.Other()]
	switch {
	case other.RefusesSACK() || h.RefusesSACK():
		return "SACK is not in use, so lost copies cannot be told from needless ones"
	case other.SACKPermitted() && h.SACKPermitted():
		return ""
	}
	return cmp.Or(v.sub.OffersCut(v.from), v.sub.OffersCut(v.from.Other()))
}

// drops returns the segments lost by the best evidence that the capture has.
func (v *view) drops(h *subflow.Sender) *report.Drops {
	count, before, why := v.lost(h)
	if why != "" {
		v.Set("drops", why)
		return nil
	}
	out := v.Mem.Drops.Of(report.Drops{Count: count, Evidence: report.Inferred})
	sent := h.Segments + before
	if v.role == Sender {
		out.Unresolved, out.BeforeCapture = h.UnresolvedSegments(), v.Mem.Ints.Of(before)
	} else {
		out.Evidence = report.Holes
		sent += count // what was lost did not arrive
		v.Set("drops.before_capture", atSenderOnly)
	}
	fill.RelateDrops(v, v.Mem, out, sent, h.LastData-h.FirstData)
	return out
}

// lost returns how many segments were lost, by the best evidence that the capture has,
// and how many of them were lost before the capture point. If that is not known, it
// returns why.
func (v *view) lost(h *subflow.Sender) (count, before int64, why string) {
	switch v.role {
	case Sender:
		if why := cmp.Or(v.sub.Lacks(v.from.Other()), v.sackReason(h), v.repeatsCut(h)); why != "" {
			return 0, 0, why
		}
		return h.LostSegments(), h.LostBeforeCapture(), ""
	case Receiver:
		return h.HoleFills, 0, ""
	}
	return 0, 0, atNeitherEnd
}
