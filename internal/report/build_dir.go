package report

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
)

// subDir reports one direction of one subflow.
func subDir(m *metrics.Connection, s *metrics.Sub, from conn.Side) SubDir {
	h, other, d := &s.Sub.Half[from], &s.Sub.Half[from.Other()], &s.Dirs[from]
	role := m.Role(from)
	lane := s.Sub.Lanes[from]
	out := SubDir{
		Segments: h.Segments, CapturedSegments: h.CapturedSegments, Bytes: h.Bytes, BytesUnique: h.Bytes - h.RexmitBytes,
		RetransmittedSegments: h.RexmitSegments, RetransmittedBytes: h.RexmitBytes,
		ReinjectedSegments: lane.ReinjectedSegments, ReinjectedBytes: lane.ReinjectedBytes,
		ReinjectedSameSubflowBytes: lane.ReinjectedSame,
		PureAcks:                   h.PureACKs, DupAcks: h.DupACKs, SACKBlocks: h.SACKBlocks - h.DSACKBlocks, DSACKBlocks: other.DSACKBlocks,
		OutOfOrderSegments: h.OutOfOrder, Resets: h.Resets, Fins: h.FINs, ZeroWindowEvents: h.ZeroWindows,
	}
	if m.Conn.Kind == conn.Multipath {
		out.Bytes, out.BytesUnique = lane.MappedBytes, lane.MappedUnique
	}
	negotiated(&out, h, other)
	b := dirBuilder{m: m, s: s, from: from, role: role, why: &out.Unavailable}
	b.roundTrips(&out, d)
	b.delays(&out, d)
	b.loss(&out)
	out.Throughput = rateStat(&d.Rate, Observed)
	if out.Throughput == nil {
		out.Unavailable.Set("throughput_mbps", "fewer than two moments at which data passed")
	}
	b.shares(&out, d)
	return out
}

// dirBuilder carries what the parts of a direction's report have in common.
type dirBuilder struct {
	m    *metrics.Connection
	s    *metrics.Sub
	from conn.Side
	role metrics.Role
	why  *Reasons
}
