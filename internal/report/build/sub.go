package build

import (
	"cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

const (
	noSYN          = "the SYN of this side is not in the capture"
	noData         = "no data passed in this direction"
	noDataThen     = "no data passed in the time that --skip and --until leave"
	oneMoment      = "fewer than two moments at which data passed"
	atSenderOnly   = "only a capture at the sender shows it"
	atNeitherEnd   = "the capture was taken at neither end, or its place is unknown"
	atReceiverOnly = "only a capture at the receiver shows it"
	noWindow       = "no DATA_ACK passed on a subflow whose handshake, with the window scale, was captured"
)

// negotiated fills what this side's SYN said.
func (b *dirBuilder) negotiated(out *report.SubDir, h, other *subflow.Sender) {
	if h.SYNs == 0 {
		for _, name := range []string{"mss", "window_scale", "sack_permitted", "timestamps"} {
			b.why.Set(name, noSYN)
		}
		return
	}
	cut := b.s.OffersCut(b.from)
	if mss := other.MSS(); mss > 0 {
		out.MSS = b.mem.small.of(mss)
	} else {
		b.why.Set("mss", cmp.Or(cut, "this side's SYN has no MSS option"))
	}
	if shift, ok := h.WScale(); ok {
		out.WindowScale = b.mem.small.of(int(shift))
	} else {
		b.why.Set("window_scale", cmp.Or(cut, "this side's SYN offers no window scaling"))
	}
	out.SACKPermitted = b.offer("sack_permitted", h.SACKPermitted(), cut)
	out.Timestamps = b.offer("timestamps", h.Timestamps(), cut)
}

// offer returns whether a SYN has an option; nil where the capture cut off what
// would tell.
func (b *dirBuilder) offer(name string, has bool, cut string) *bool {
	if !has && cut != "" {
		b.why.Set(name, cut)
		return nil
	}
	return b.mem.bools.of(has)
}

// roundTrips fills the round-trip figures.
func (b *dirBuilder) roundTrips(out *report.SubDir, d *metrics.SubDir) {
	evidence, missing := report.Observed, "no ACK of a segment that was sent once passed"
	if b.role != metrics.Sender {
		evidence = report.Echo
		missing = "no payload echoed a timestamp without a pause before it"
		if !b.s.Sub.Senders[b.from].Timestamps() {
			missing = cmp.Or(b.s.OffersCut(b.from), b.s.OptionsCut(b.from),
				"away from the sender round trips need TCP timestamps, which this subflow does not use")
		}
	}
	out.RTT = b.spread("rtt_ms", &d.RTT, evidence)
	out.SRTT = b.srtt(d, evidence)
	out.RTTVar = b.mem.stat(&d.RTTVar, evidence)
	out.RTO = b.mem.stat(&d.RTO, evidence)
	if out.RTT == nil {
		for _, name := range []string{"rtt_ms", "srtt_ms", "rttvar_ms", "rto_ms"} {
			b.why.Set(name, missing)
		}
	}
	out.RTTNewest = b.orWhy("rtt_newest_ms", b.mem.stat(&d.Newest, report.Observed), b.senderOr(missing))
	out.InFlightBytes = b.orWhy("in_flight_bytes", b.mem.stat(d.InFlight(), report.Observed), b.senderOr(noData))
	h := &b.s.Sub.Senders[b.from]
	if h.Packets > 0 {
		out.IdleMax = b.mem.floats.of(ms(h.MaxIdle))
	} else {
		b.why.Set("idle_max_ms", "no packet of this direction was captured")
	}
}

// nothing says why a figure of the time that is looked at is absent: no data passed
// in it.
func (b *dirBuilder) nothing() string {
	if b.m.Part() && b.m.Conn.Spaces[b.from].AppBytes() > 0 {
		return noDataThen
	}
	return noData
}

// senderOr returns why a sender's metric is absent.
func (b *dirBuilder) senderOr(otherwise string) string {
	if b.role != metrics.Sender {
		return atSenderOnly
	}
	return otherwise
}

// orWhy notes the reason where a stat is absent.
func (b *dirBuilder) orWhy(name string, s *report.Stat, reason string) *report.Stat {
	if s == nil {
		b.why.Set(name, reason)
	}
	return s
}

// delays fills the data-level delays.
func (b *dirBuilder) delays(out *report.SubDir, d *metrics.SubDir) {
	reason := b.m.DelayReason(b.from)
	if reason == "" {
		out.PathDelay = b.mem.stat(&d.Delays().Path, b.delayEvidence())
		out.WaitingTime = b.mem.stat(d.WaitingTime(), b.delayEvidence())
		if d.Delays().HoLWait.N() > 0 {
			out.HoLWait = b.mem.waits.of(report.WaitStat{Stat: statOf(&d.Delays().HoLWait, report.Observed), Clipped: d.Delays().Clipped})
		}
		reason = "no data first carried by this subflow was covered by a DATA_ACK"
		if b.role == metrics.Receiver && !d.HasSRTT() {
			reason = "at the receiver it needs a smoothed round-trip time, of which this subflow shows none"
		}
	}
	if out.PathDelay == nil {
		b.why.Set("path_delay_ms", reason)
	}
	if out.WaitingTime == nil {
		b.why.Set("waiting_time_ms", reason)
	}
	if out.HoLWait == nil {
		b.why.Set("hol_wait_ms", reason)
	}
	b.inOrderWait(out, d)
}

func (b *dirBuilder) inOrderWait(out *report.SubDir, d *metrics.SubDir) {
	why := noData
	switch {
	case b.role != metrics.Receiver:
		why = atReceiverOnly
	case b.cut != "":
		why = b.cut
	default:
		out.InOrderWait = b.mem.stat(d.InOrderWait(), report.Observed)
	}
	if out.InOrderWait == nil {
		b.why.Set("in_order_wait_ms", why)
	}
}

func (b *dirBuilder) delayEvidence() report.Evidence {
	if b.role == metrics.Sender {
		return report.Observed
	}
	return report.Echo
}

// loss fills drops and retransmissions.
func (b *dirBuilder) loss(out *report.SubDir) {
	h := &b.s.Sub.Senders[b.from]
	out.Drops, out.RetransmissionKinds = b.drops(h), nil
	switch why := b.repeatsCut(h); {
	case b.role == metrics.Sender && why != "":
		b.why.Set("retransmission_kinds", why)
	case b.role == metrics.Sender:
		l := &h.Loss
		out.RetransmissionKinds = b.mem.kinds.of(report.Retransmissions{
			Fast: l.ByCause[subflow.FastRetransmit], Timeout: l.ByCause[subflow.Timeout], TailProbe: l.ByCause[subflow.TailLossProbe],
			Unknown: l.ByCause[subflow.UnknownCause], Spurious: l.Spurious + l.Missed,
		})
	default:
		b.why.Set("retransmission_kinds", atSenderOnly)
	}
	if b.role == metrics.Receiver || b.role == metrics.Sender {
		out.HoleFills = b.mem.ints.of(h.HoleFills)
	} else {
		b.why.Set("hole_fills", atNeitherEnd)
	}
	if why := b.doublesReason(h); why == "" {
		out.NetworkDuplicates = b.mem.ints.of(h.Loss.NetDuplicate)
	} else {
		b.why.Set("network_duplicate_segments", why)
	}
	if h.Segments > 0 {
		out.RetransmissionRatio = b.mem.floats.of(100 * float64(h.RexmitSegments) / float64(h.Segments))
	} else {
		b.why.Set("retransmission_ratio_percent", noData)
	}
}

// repeatsCut returns why it is not known which retransmissions were needless:
// options of acknowledgments are missing. It is empty without any.
func (b *dirBuilder) repeatsCut(h *subflow.Sender) string {
	if h.RexmitSegments == 0 {
		return ""
	}
	return b.s.OptionsCut(b.from.Other())
}

// doublesReason returns why it is not known what the network doubled; empty
// where acknowledgments tell.
func (b *dirBuilder) doublesReason(h *subflow.Sender) string {
	if b.role != metrics.Sender {
		return atSenderOnly
	}
	return cmp.Or(b.sackReason(h), b.s.OptionsCut(b.from.Other()))
}

// sackReason returns why acknowledgments say nothing of single segments; empty
// where SACK is in use, or may be.
func (b *dirBuilder) sackReason(h *subflow.Sender) string {
	other := &b.s.Sub.Senders[b.from.Other()]
	if other.SACKPermitted() && h.SACKPermitted() {
		return ""
	}
	cut := cmp.Or(b.s.OffersCut(b.from), b.s.OffersCut(b.from.Other()))
	if cut == "" && other.SYNs > 0 {
		return "SACK is not in use, so lost copies cannot be told from needless ones"
	}
	return cut
}

// drops returns the segments lost by the best evidence that the capture has.
func (b *dirBuilder) drops(h *subflow.Sender) *report.Drops {
	out, sent := b.mem.drops.of(report.Drops{Evidence: report.Inferred}), h.Segments
	why := cmp.Or(b.sackReason(h), b.repeatsCut(h))
	switch {
	case b.role == metrics.Sender && why != "":
		b.why.Set("drops", why)
		return nil
	case b.role == metrics.Sender:
		out.Count, out.Unresolved, out.BeforeCapture = h.LostSegments(), h.UnresolvedSegments(), b.mem.ints.of(h.LostBeforeCapture())
		sent += *out.BeforeCapture
	case b.role == metrics.Receiver:
		out.Evidence = report.Holes
		out.Count = h.HoleFills
		b.why.Set("drops.before_capture", atSenderOnly)
	default:
		b.why.Set("drops", atNeitherEnd)
		return nil
	}
	b.mem.relate(out, b.why, sent, h.LastData-h.FirstData)
	return out
}

// relate fills the rates of drops among so many segments sent in an active time, ns.
func (m *memory) relate(d *report.Drops, why interface{ Set(metric, why string) }, segments, active int64) {
	if segments > 0 {
		d.Percent = m.floats.of(100 * float64(d.Count) / float64(segments))
	} else {
		why.Set("drops.percent", noData)
	}
	if active > 0 {
		d.PerS = m.floats.of(float64(d.Count) / seconds(active))
	} else {
		why.Set("drops.per_s", oneMoment)
	}
}

// shares fills what the subflow carried of the connection's data.
func (b *dirBuilder) shares(out *report.SubDir, d *metrics.SubDir) {
	all := b.m.First(nil, b.from)
	switch {
	case b.m.Conn.Kind != conn.Multipath:
		b.why.Set("share_percent", "a plain TCP connection has one path")
	case b.cut != "":
		b.why.Set("share_percent", b.cut)
	case all == 0:
		b.why.Set("share_percent", b.nothing())
	default:
		out.Share = b.mem.floats.of(100 * float64(b.m.First(b.s, b.from)) / float64(all))
	}
	switch {
	case b.cut != "":
		b.why.Set("bursts", b.cut)
		return
	case d.Bursts().Bytes.N() == 0:
		b.why.Set("bursts", b.nothing())
		return
	}
	out.Bursts = b.mem.bursts.of(report.Bursts{Count: d.Bursts().Bytes.N(), Bytes: b.mem.stat(&d.Bursts().Bytes, report.Observed), DurationMS: b.mem.stat(&d.Bursts().Duration, report.Observed)})
}
