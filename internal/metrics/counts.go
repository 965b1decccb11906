package metrics

import (
	"cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

// countUnit reports what the trackers count of packets, segments and bytes, and what
// the handshake negotiated.
var countUnit = &unit{open: func(*Dir) meter { return &countMeter{} }}

type countMeter struct{ nop }

// noSYN is why what a SYN says is absent.
const noSYN = "the SYN of this side is not in the capture"

func (*countMeter) reportSubflow(v *view, out *report.SubDir) {
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
	if h.Packets > 0 {
		out.IdleMax = v.Float(ms(h.MaxIdle))
	} else {
		v.Set("idle_max_ms", "no packet of this direction was captured")
	}
}

// carried fills what the payload is of the connection's data.
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

// ackOptions fills what this side's acknowledgments say by their options.
func (v *view) ackOptions(out *report.SubDir, h, other *subflow.Sender) {
	if why := v.sub.OptionsCut(v.from); why != "" {
		for _, name := range []string{"dup_acks", "sack_blocks", "dsack_blocks"} {
			v.Set(name, why)
		}
		return
	}
	out.DupAcks, out.SACKBlocks, out.DSACKBlocks = v.Mem.Ints.Of(h.DupACKs), v.Mem.Ints.Of(h.SACKBlocks-other.DSACKBlocks), v.Mem.Ints.Of(other.DSACKBlocks)
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

// negotiated fills what this side's SYN said.
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

// offer returns whether a SYN has an option; nil where the capture cut off what
// would tell.
func (v *view) offer(name string, has bool, cut string) *bool {
	if !has && cut != "" {
		v.Set(name, cut)
		return nil
	}
	return v.Mem.Bools.Of(has)
}

// reportConnection adds up the subflows.
func (*countMeter) reportConnection(v *view, out *report.ConnDir) {
	var segments, bytes, same int64
	for _, s := range v.m.Subs {
		h, l := &s.Sub.Senders[v.from], s.Sub.Spaces[v.from]
		out.Segments += h.Segments
		out.RetransmittedBytes += v.m.Carried(s, v.from).Retransmitted
		out.RetransmittedSegments += h.RexmitSegments
		segments += l.ReinjectedSegments
		bytes += l.ReinjectedBytes
		same += l.ReinjectedSame
	}
	if v.cut != "" {
		v.Set("bytes", v.cut)
		v.reinjectionsCut()
		return
	}
	out.Bytes = v.Mem.Ints.Of(v.m.Conn.Spaces[v.from].AppBytes())
	out.ReinjectedSegments, out.ReinjectedBytes, out.ReinjectedSameSubflowBytes = v.Mem.Ints.Of(segments), v.Mem.Ints.Of(bytes), v.Mem.Ints.Of(same)
}

// reinjectionsCut says why what was sent before on another subflow is unknown.
func (v *view) reinjectionsCut() {
	for _, name := range []string{"reinjected_segments", "reinjected_bytes", "reinjected_same_subflow_bytes"} {
		v.Set(name, v.cut)
	}
}
