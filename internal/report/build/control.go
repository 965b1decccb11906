package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// controllers fills what the congestion control and the receiver that papers
// propose would have seen and decided on a subflow.
func (b *dirBuilder) controllers(out *report.SubDir, d *metrics.SubDir) {
	const noRound = "no round of a smoothed round-trip time began and ended within the capture"
	w := d.Cwnd()
	out.CwndEstimate = b.orWhy("cwnd_estimate_bytes", b.mem.stat(&w.Bytes, report.Inferred), b.senderOr(noRound))
	out.CwndEstimateMSS = b.orWhy("cwnd_estimate_mss", b.mem.stat(&w.Segments, report.Inferred), b.senderOr(noRound))
	why := b.senderOr(noRound)
	if w.Bytes.N() > 0 {
		why = "no ACK gave a round-trip sample in any round"
	}
	out.ThroughputEstimate = b.orWhy("throughput_estimate_mbps", b.mem.stat(&w.Throughput, report.Inferred), why)
	if c, q := &w.Decisions, b.m.QoE(); w.Throughput.N() > 0 {
		out.CwndDecisions = b.mem.decisions.of(report.CwndDecisions{
			Decrease: c.Decrease, Increase: c.Increase, Hold: c.Hold,
			NextMSS: b.orWhy("cwnd_decisions.next_mss", b.mem.stat(&c.Next, report.Inferred), "fewer than two rounds of congestion avoidance have a throughput estimate"),
			Alpha:   q.Alpha, Beta: q.Beta, Gamma: q.Gamma, Evidence: report.Inferred,
		})
	} else {
		b.why.Set("cwnd_decisions", why)
	}
	why = atReceiverOnly
	if b.role == metrics.Receiver {
		why = "less than one round-trip time of data passed, or no round-trip time is known"
	}
	out.DSR = b.orWhy("dsr_mbps", b.mem.stat(&d.DSR().Rates, report.Reconstructed), why)
}

// blocking fills how the receive buffer filled up, and what MPTCP-rec would
// have done about it.
func (b *dirBuilder) blocking(out *report.ConnDir, d *metrics.Dir, subs []report.Subflow) {
	a := d.Awnd()
	if why := b.windowReason(d); why != "" {
		for _, name := range []string{"rb2loc", "awnd_delta", "rec_path_list"} {
			b.why.Set(name, why)
		}
		return
	}
	out.RB2Loc = &report.BufferBlocking{Count: a.Blocks, TotalMS: ms(a.Time), Depth: a.Depth, Evidence: report.Reconstructed}
	out.AwndDelta = b.orWhy("awnd_delta", b.mem.stat(&a.Delta, report.Reconstructed), "the window never changed")
	switch {
	case b.role != metrics.Receiver:
		b.why.Set("rec_path_list", "it rests on the rate of arrival (dsr_mbps); "+atReceiverOnly)
	case !anyDSR(b.m, b.from):
		b.why.Set("rec_path_list", "no path shows a rate of arrival (dsr_mbps)")
	default:
		out.RecPathList = recPathList(b.m, d, b.from, subs)
	}
}

func anyDSR(m *metrics.Connection, from conn.Side) bool {
	for _, s := range m.Subs {
		if s.Dir(from).DSR().Rates.N() > 0 {
			return true
		}
	}
	return false
}

func recPathList(m *metrics.Connection, d *metrics.Dir, from conn.Side, subs []report.Subflow) *report.RecPathList {
	out := &report.RecPathList{AllPathsMS: ms(d.Awnd().AllPaths()), Evidence: report.Reconstructed}
	for i, s := range m.Subs {
		if r := s.Dir(from).Rec(); r.Times > 0 {
			out.Without = append(out.Without, report.RecPath{Subflow: s.Sub.ID, Path: subs[i].Path, Count: r.Times, TotalMS: ms(r.Time)})
		}
	}
	return out
}
