package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

func (b *Builder) plain(m *metrics.Connection) *report.TCP {
	c, s := m.Conn, m.Subs[0]
	sub := s.Sub
	vantage, why := c.Vantage()
	out := b.memory.Plain.Of(report.TCP{
		ID: c.Order, A: endpoint(sub.Ends[conn.A]), B: endpoint(sub.Ends[conn.B]),
		Vantage: report.Vantage(vantage.String()), VantageEvidence: why, Start: report.Time(packet.Unix(c.Start)),
		EndS: seconds(sub.Last() - c.Start), DurationS: seconds(c.Last() - c.Start), State: subflowState(sub),
	})
	out.Path = b.pathOf(sub.Ends, &out.A, &out.B)
	if out.Short = b.shortened(m); out.Short {
		out.A2B, out.B2A = b.shortDir(m, s, conn.A), b.shortDir(m, s, conn.B)
	} else {
		out.A2B = b.subDir(m, s, conn.A)
		out.B2A = b.subDir(m, s, conn.B)
	}
	if !sub.NoSYN {
		out.Initiator = b.memory.Sides.Of(report.SideA)
	}
	out.Capable, out.FallbackCode = capable(&b.memory, c), fallbackCode(&b.memory, c)
	if s.Handshake.PlainRetry.Seen() && s.Handshake.SYNACK.Seen() {
		out.FallbackCode = b.memory.Codes.Of(report.FallbackSYN)
	}
	cut := s.OffersCut(sub.Initiator)
	switch {
	case c.AskedMPTCP:
		out.MPTCP = &requested
	case sub.NoSYN:
		b.reasons.Set("mptcp", "the SYN is not in the capture")
	case cut != "":
		b.reasons.Set("mptcp", cut)
	}
	out.HandshakeRTT = b.handshakeRTT(sub)
	out.FastOpen = b.fastOpen(s)
	out.ClosedBy, out.CloseReason = b.closer(sub)
	out.Unavailable = b.reasons.Take()
	out.CaptureGaps, out.CaptureGapsOmitted = gapsOf(c)
	tcpWithoutTimes(out, c.ClockFault())
	if b.DiagnoseTCP != nil {
		b.DiagnoseTCP(m, out)
	}
	return out
}
