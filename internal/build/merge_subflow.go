package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// subDir merges one direction. out is the direction in the sender's capture, there the
// direction in the receiver's capture; nil where that capture's figures are not comparable.
func (m *merger) subDir(out, there *report.SubDir, f *pair.Subflow, from conn.Side) {
	if there == nil {
		m.matched(out, f, from)
		return
	}
	if f.At[from] == pair.AtReceiver { // the receiver's host sends this data
		*out, *there = *there, *out
	}
	if out.CapturedSegments == 0 && there.CapturedSegments > 0 { // the capture at the sending host misses the direction
		*out = *there
		m.matched(out, f, from)
		return
	}
	m.matched(out, f, from) // first: hole fills at the sender are losses before its capture
	if there.HoLWait == nil && m.s.End != report.ReceiverHost {
		// At the receiver it takes a round trip. The sender's ends when the sender learns of the arrival.
		there.HoLWait = out.HoLWait
		there.Unavailable.Follow("hol_wait_ms", out.Unavailable)
	}
	m.take(out, there, &out.Unavailable, there.Unavailable)
}

// matched fills in the results of matching the packets.
func (m *merger) matched(out *report.SubDir, f *pair.Subflow, from conn.Side) {
	d := f.Dirs[from]
	w := &out.Unavailable
	out.OWD = m.delays(w, "owd_ms", &d.OWD)
	out.AckOWD = m.delays(w, "ack_owd_ms", &d.AckOWD)
	if d.OWD.Raw.N() == 0 && out.AckOWD != nil {
		out.OWD = new(*out.AckOWD)
		w.Settle("owd_ms", false, "")
	}
	out.IPDV = m.s.memory.Stat(&d.IPDV, report.Matched)
	w.Settle("ipdv_ms", out.IPDV == nil, "no two packets sent one after the other arrived")
	out.Jitter = m.s.memory.Stat(&d.Jitter, report.Matched)
	w.Settle("jitter_ms", out.Jitter == nil, "fewer than two packets with payload are in both captures")
	w.Settle("network", false, "")
	out.Network = m.network(w, f, d, from)
	if d.Sent == 0 && d.Unsent > 0 {
		return // keep what one capture shows by inference
	}
	if d.MatchedPackets == 0 && d.Unsent > 0 {
		out.Drops = nil
		w.Settle("drops", true, noFit)
		return
	}
	before, why := beforeCapture(out)
	all := d.SentSegments + report.Known(before)
	out.Drops = &report.Drops{Count: d.Lost + report.Known(before), BeforeCapture: before, Unresolved: d.NotCovered, Evidence: report.Matched}
	w.Settle("drops", false, "")
	w.Settle("drops.before_capture", before == nil, why)
	fill.RelateDrops(w, &m.s.memory, out.Drops, all, d.LastSent-d.FirstSent)
}

// beforeCapture returns the losses before the sender's capture point, as far as that
// capture shows them; these packets are in neither capture. If n is nil, why is the
// reason.
func beforeCapture(d *report.SubDir) (n *int64, why string) {
	if d.Drops != nil {
		why, _ = d.Unavailable.Of("drops.before_capture")
		return d.Drops.BeforeCapture, why
	}
	if d.HoleFills != nil && *d.HoleFills == 0 {
		return d.HoleFills, ""
	}
	why, _ = d.Unavailable.Of("drops")
	return nil, why
}

func (m *merger) network(w *report.Reasons, f *pair.Subflow, d *pair.SubflowDir, from conn.Side) *report.Network {
	n := &report.Network{
		SentPackets: d.Sent, ArrivedPackets: d.Arrived, MatchedPackets: d.MatchedPackets, LostBytes: d.LostBytes,
		NotCovered: d.NotCovered, NotCaptured: d.NotCaptured, NotCapturedAtSender: d.Unsent, Duplicated: d.Duplicated,
		ReorderedPackets: d.Reordered, ReorderExtent: m.s.memory.Stat(&d.ReorderExtent, report.Matched),
		AlteredOptions: d.Altered, Split: d.Split, Merged: d.Merged,
		SequenceRewritten: f.Changes.Sequence[from], AddressTranslated: f.Changes.Addresses[from], MSSChanged: f.Changes.MSS[from],
	}
	w.Settle("network.reorder_extent_ms", n.ReorderExtent == nil, "no packet was overtaken")
	if d.MatchedPackets > 0 {
		n.ReorderedPercent = new(100 * float64(d.Reordered) / float64(d.MatchedPackets))
	} else {
		w.Set("network.reordered_percent", noMatch)
	}
	return n
}

// delays reports one-way delays, corrected for the difference of the clocks.
func (m *merger) delays(w *report.Reasons, name string, d *clock.Delays) *report.Stat {
	switch {
	case d.Raw.N() == 0:
		w.Set(name, noMatch)
		return nil
	case m.clock.Unknown:
		w.Set(name, m.clock.Nothing)
		return nil
	}
	dist, shift := m.clock.Correct(d)
	out := m.s.memory.Stat(dist, report.Matched)
	w.Settle(name, out == nil, noDelay)
	shiftStat(out, shift)
	return out
}

// shiftStat moves every value of a stat.
func shiftStat(s *report.Stat, by float64) {
	if s == nil || by == 0 {
		return
	}
	for _, v := range []*float64{&s.Avg, &s.Min, &s.Max, &s.P50, &s.P95, &s.P99} {
		*v += by
	}
}
