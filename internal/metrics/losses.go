package metrics

import (
	"cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/subflow"
)

// lossUnit reports drops, retransmission_ratio, retransmission_kinds, hole_fills and
// network_duplicate_segments. Package subflow finds them.
var lossUnit = &unit{key: "losses", report: new(lossReport)}

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
