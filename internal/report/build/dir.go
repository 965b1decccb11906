package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

// subDir reports one direction of one subflow.
func (b *Builder) subDir(m *metrics.Connection, s *metrics.Sub, from conn.Side) *report.SubDir {
	h, other, d := &s.Sub.Senders[from], &s.Sub.Senders[from.Other()], s.Dir(from)
	role := m.Role(from)
	out := b.mem.subDirs.of(report.SubDir{
		Segments: h.Segments, CapturedSegments: h.CapturedSegments,
		RetransmittedSegments: h.RexmitSegments,
		PureAcks:              h.PureACKs,
		OutOfOrderSegments:    h.OutOfOrder, Resets: h.Resets, Fins: h.FINs, ZeroWindowEvents: h.ZeroWindows,
		KeepAlives: h.KeepAlives, StrayPackets: h.Strays,
	})
	out.NotCapturedBytes, _ = h.NotCaptured()
	db := dirBuilder{m: m, s: s, from: from, role: role, cut: m.MapsCut(from), why: &b.why, mem: &b.mem}
	db.carried(out)
	db.reports(out, h, other)
	db.resetReasons(out)
	db.negotiated(out, h, other)
	db.roundTrips(out, d)
	db.delays(out, d)
	db.loss(out)
	out.Throughput = db.rate(&throughputName, d.Rate())
	db.shares(out, d)
	db.controllers(out, d)
	for _, name := range twoCaptureMetrics {
		b.why.Set(name, twoCaptures)
	}
	if m.Omits(metrics.AllFamilies) {
		db.withoutSub(out)
	}
	out.Unavailable = b.why.take()
	return out
}

// carried fills what the payload is of the connection's data.
func (b *dirBuilder) carried(out *report.SubDir) {
	c := b.m.Carried(b.s, b.from)
	out.RetransmittedBytes = c.Retransmitted
	if c.Cut == "" {
		out.Bytes, out.BytesUnique = b.mem.ints.of(c.Bytes), b.mem.ints.of(c.Unique)
	} else {
		b.why.Set("bytes", c.Cut)
		b.why.Set("bytes_unique", c.Cut)
	}
	if b.cut != "" {
		b.reinjectionsCut()
		return
	}
	lane := b.s.Sub.Spaces[b.from]
	out.ReinjectedSegments, out.ReinjectedBytes = b.mem.ints.of(lane.ReinjectedSegments), b.mem.ints.of(lane.ReinjectedBytes)
	out.ReinjectedSameSubflowBytes = b.mem.ints.of(lane.ReinjectedSame)
}

// reports fills what this side's acknowledgments say by their options.
func (b *dirBuilder) reports(out *report.SubDir, h, other *subflow.Sender) {
	if why := b.s.OptionsCut(b.from); why != "" {
		for _, name := range []string{"dup_acks", "sack_blocks", "dsack_blocks"} {
			b.why.Set(name, why)
		}
		return
	}
	out.DupAcks, out.SACKBlocks, out.DSACKBlocks = b.mem.ints.of(h.DupACKs), b.mem.ints.of(h.SACKBlocks-other.DSACKBlocks), b.mem.ints.of(other.DSACKBlocks)
}

// reinjectionsCut says why what was sent before on another subflow is unknown.
func (b *dirBuilder) reinjectionsCut() {
	for _, name := range []string{"reinjected_segments", "reinjected_bytes", "reinjected_same_subflow_bytes"} {
		b.why.Set(name, b.cut)
	}
}

// dirBuilder carries what the parts of a direction's report have in common.
type dirBuilder struct {
	m    *metrics.Connection
	s    *metrics.Sub
	from conn.Side
	role metrics.Role
	cut  string // why what rests on all mappings is absent; empty where it is not
	why  *reasonTree
	mem  *memory
}
