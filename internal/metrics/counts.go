package metrics

import (
	"cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

// countUnit reports the packets, segments and bytes that the trackers count, and what
// the handshake negotiated.
var countUnit = &unit{key: "counts", report: new(countReport)}

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
