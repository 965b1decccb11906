package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// line reports what a line about a connection says.
func (b *Builder) line(m *metrics.Connection) *report.Connection {
	c := m.Conn
	vantage, _ := c.Vantage()
	out := b.memory.Conns.Of(report.Connection{
		ID: c.ID, Vantage: report.Vantage(vantage.String()), State: connState(c.State()),
		TokenA: b.token(&c.Hosts[conn.A]), TokenB: b.token(&c.Hosts[conn.B]),
		Start: report.Time(packet.Unix(c.Start)), DurationS: seconds(c.Last() - c.Start),
		Subflows: b.memory.Subflows.List(len(m.Subs)),
	})
	b.negotiated(out, m)
	if c.Fallback != "" {
		out.Fallback = b.memory.Texts.Of(c.Fallback)
	}
	if len(m.Subs) > 0 {
		ends := &m.Subs[0].Sub.Ends
		out.Subflows[0].A, out.Subflows[0].B = endpoint(ends[conn.A]), endpoint(ends[conn.B])
	}
	out.A2B, out.B2A = b.connLine(m, conn.A), b.connLine(m, conn.B)
	out.Unavailable = nil
	b.reasons.Take()
	connWithoutTimes(out, c.ClockFault())
	return out
}

// connLine reports what a line says about one direction of a connection: how much data
// it carried, and how fast.
func (b *Builder) connLine(m *metrics.Connection, from conn.Side) *report.ConnDir {
	out := b.memory.ConnDirs.Of(report.ConnDir{})
	if m.MapsCut(from) == "" {
		out.Bytes = b.memory.Ints.Of(m.Conn.Spaces[from].AppBytes())
		_, data := m.Amounts(from)
		out.Goodput = b.average(m, data)
	}
	return out
}

// average reports the average of a rate; nil without one, and where packets are missing from the
// capture for long.
func (b *Builder) average(m *metrics.Connection, a *metrics.Amount) *report.RateStat {
	avg, ok := a.Avg()
	if !ok || m.GapReason() != "" {
		return nil
	}
	return b.memory.Rates.Of(report.RateStat{Avg: avg})
}

// plainLine does what line does, for a plain TCP connection.
func (b *Builder) plainLine(m *metrics.Connection) *report.TCP {
	c, s := m.Conn, m.Subs[0]
	vantage, _ := c.Vantage()
	out := b.memory.Plain.Of(report.TCP{
		ID: c.Order, A: endpoint(s.Sub.Ends[conn.A]), B: endpoint(s.Sub.Ends[conn.B]),
		Vantage: report.Vantage(vantage.String()), Start: report.Time(packet.Unix(c.Start)), DurationS: seconds(c.Last() - c.Start), State: subflowState(s.Sub),
		A2B: b.subLine(m, s, conn.A), B2A: b.subLine(m, s, conn.B),
	})
	if c.AskedMPTCP {
		out.MPTCP = &requested
	}
	tcpWithoutTimes(out, c.ClockFault())
	return out
}

// requested is shared by reports, which point to it. It must not change.
var requested = report.Requested

// subLine does what connLine does for a plain TCP connection.
func (b *Builder) subLine(m *metrics.Connection, s *metrics.Sub, from conn.Side) *report.SubDir {
	if s.Sub.Senders[from].CapturedSegments == 0 && m.Carried(s, from).Cut == "" {
		return &noFigures
	}
	out := b.memory.SubDirs.Of(report.SubDir{})
	if c := m.Carried(s, from); c.Cut == "" {
		out.Bytes, out.BytesUnique = b.memory.Ints.Of(c.Bytes), b.memory.Ints.Of(c.Unique)
	}
	payload, _ := m.Amounts(from)
	out.Throughput = b.average(m, payload)
	return out
}
