package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

func (b *Builder) plain(m *metrics.Connection, by Judge) *report.TCP {
	c, s := m.Conn, m.Subs[0]
	sub := s.Sub
	vantage, why := c.Vantage()
	out := b.memory.Plain.Of(report.TCP{
		ID: c.Order, OnlyIn: b.OnlyIn, A: endpoint(sub.Ends[conn.A]), B: endpoint(sub.Ends[conn.B]),
		Vantage: report.Vantage(vantage.String()), VantageEvidence: why, Start: report.Time(packet.Unix(c.Start)),
		EndS: seconds(sub.Last() - c.Start), DurationS: seconds(c.Last() - c.Start), State: subflowState(sub),
	})
	out.Path = b.pathOf(sub.Ends, &out.A, &out.B)
	f, short := b.plainFiguresOf(m)
	out.Short = short
	out.A2B, out.B2A = f.sub(b, m, s, conn.A), f.sub(b, m, s, conn.B)
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
	if by != nil && b.Detail != report.Lines {
		by.TCP(m, out)
	}
	b.plainWithoutUnseen(out, s)
	return out
}

// requested is shared by reports, which point to it. It must not change.
var requested = report.Requested

// plainFiguresOf returns which figures the report on a plain TCP connection has, and whether
// it is short.
func (b *Builder) plainFiguresOf(m *metrics.Connection) (f figures, short bool) {
	switch {
	case b.Detail == report.Lines:
		return lineOfPlain, false
	case b.Detail == report.Summary, b.Detail == report.WithData && m.Conn.ClockFault() == "" && silent(m.Subs[0]):
		return shortOfPlain, true
	case b.soFar:
		return figuresSoFar, false
	}
	return everyFigure, false
}
