package report

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
)

// subDir reports one direction of one subflow.
func (b *Builder) subDir(out *SubDir, m *metrics.Connection, s *metrics.Sub, from conn.Side) {
	h, other, d := &s.Sub.Half[from], &s.Sub.Half[from.Other()], &s.Dirs[from]
	role := m.Role(from)
	lane := s.Sub.Lanes[from]
	*out = SubDir{
		Segments: h.Segments, CapturedSegments: h.CapturedSegments, Bytes: h.Bytes, BytesUnique: h.Bytes - h.RexmitBytes,
		RetransmittedSegments: h.RexmitSegments, RetransmittedBytes: h.RexmitBytes,
		ReinjectedSegments: lane.ReinjectedSegments, ReinjectedBytes: lane.ReinjectedBytes,
		ReinjectedSameSubflowBytes: lane.ReinjectedSame,
		PureAcks:                   h.PureACKs, DupAcks: h.DupACKs, SACKBlocks: h.SACKBlocks - other.DSACKBlocks, DSACKBlocks: other.DSACKBlocks,
		OutOfOrderSegments: h.OutOfOrder, Resets: h.Resets, Fins: h.FINs, ZeroWindowEvents: h.ZeroWindows,
	}
	if m.Conn.Kind == conn.Multipath {
		out.Bytes, out.BytesUnique = lane.MappedBytes, lane.MappedUnique
	}
	db := dirBuilder{m: m, s: s, from: from, role: role, why: &b.why}
	db.negotiated(out, h, other)
	db.roundTrips(out, d)
	db.delays(out, d)
	db.loss(out)
	out.Throughput = rateStat(&d.Rate, Observed)
	if out.Throughput == nil {
		b.why.Set("throughput_mbps", "fewer than two moments at which data passed")
	}
	db.shares(out, d)
	db.controllers(out, d)
	for _, name := range twoCaptureMetrics {
		b.why.Set(name, twoCaptures)
	}
	out.Unavailable = b.reasons()
}

// dirBuilder carries what the parts of a direction's report have in common.
type dirBuilder struct {
	m    *metrics.Connection
	s    *metrics.Sub
	from conn.Side
	role metrics.Role
	why  *Reasons
}
