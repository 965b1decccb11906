package metrics

import (
	"cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/subflow"
)

// lossUnit reports drops, retransmission_ratio, retransmission_kinds, hole_fills and
// network_duplicate_segments, which subflow finds.
var lossUnit = &unit{open: func(*Dir) meter { return &lossMeter{} }}

type lossMeter struct{ nop }

func (*lossMeter) reportSubflow(v *view, out *report.SubDir) {
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

// repeatsCut returns why it is not known which retransmissions were needless:
// options of acknowledgments are missing. It is empty without any.
func (v *view) repeatsCut(h *subflow.Sender) string {
	if h.RexmitSegments == 0 {
		return ""
	}
	return v.sub.OptionsCut(v.from.Other())
}

// doublesReason returns why it is not known what the network doubled; empty
// where acknowledgments tell.
func (v *view) doublesReason(h *subflow.Sender) string {
	if v.role != Sender {
		return atSenderOnly
	}
	return cmp.Or(v.sackReason(h), v.sub.OptionsCut(v.from.Other()))
}

// sackReason returns why acknowledgments say nothing of single segments; empty
// where SACK is in use, or may be.
func (v *view) sackReason(h *subflow.Sender) string {
	other := &v.sub.Sub.Senders[v.from.Other()]
	if other.SACKPermitted() && h.SACKPermitted() {
		return ""
	}
	cut := cmp.Or(v.sub.OffersCut(v.from), v.sub.OffersCut(v.from.Other()))
	if cut == "" && other.SYNs > 0 {
		return "SACK is not in use, so lost copies cannot be told from needless ones"
	}
	return cut
}

// drops returns the segments lost by the best evidence that the capture has.
func (v *view) drops(h *subflow.Sender) *report.Drops {
	out, sent := v.Mem.Drops.Of(report.Drops{Evidence: report.Inferred}), h.Segments
	why := cmp.Or(v.sackReason(h), v.repeatsCut(h))
	switch {
	case v.role == Sender && why != "":
		v.Set("drops", why)
		return nil
	case v.role == Sender:
		out.Count, out.Unresolved, out.BeforeCapture = h.LostSegments(), h.UnresolvedSegments(), v.Mem.Ints.Of(h.LostBeforeCapture())
		sent += *out.BeforeCapture
	case v.role == Receiver:
		out.Evidence = report.Holes
		out.Count = h.HoleFills
		v.Set("drops.before_capture", atSenderOnly)
	default:
		v.Set("drops", atNeitherEnd)
		return nil
	}
	fill.RelateDrops(v, v.Mem, out, sent, h.LastData-h.FirstData)
	return out
}
