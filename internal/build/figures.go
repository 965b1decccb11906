package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// figures says which figures the directions of a report have. Everything else in a report
// is filled in the same way, whatever it has of these.
type figures struct {
	conn func(b *Builder, m *metrics.Connection, from conn.Side, subs []report.Subflow) *report.ConnDir // subs are the subflows in the report
	sub  func(b *Builder, m *metrics.Connection, s *metrics.Sub, from conn.Side) *report.SubDir
}

var (
	everyFigure   = figures{(*Builder).connDir, (*Builder).subDir}
	figuresSoFar  = figures{(*Builder).connDirSoFar, (*Builder).subDirSoFar} // those that verdicts need
	oneEnd        = figures{(*Builder).connOneEnd, (*Builder).subOneEnd}     // numbers of packets and bytes; see isOneSided
	nothingPassed = figures{noConn, noSub}
	lineOfConn    = figures{(*Builder).connLine, noSub}
	lineOfPlain   = figures{sub: (*Builder).subLine}
	shortOfPlain  = figures{sub: (*Builder).shortDir}
)

// nothing is 0 bytes. It must not change, because many reports point to it.
var nothing = new(int64)

// The directions of connections that never carried data. They must not change, because
// many reports point to them.
var (
	noFigures     = report.SubDir{Bytes: nothing, BytesUnique: nothing}
	noConnFigures = report.ConnDir{Bytes: nothing}
)

func noConn(*Builder, *metrics.Connection, conn.Side, []report.Subflow) *report.ConnDir {
	return &noConnFigures
}

func noSub(*Builder, *metrics.Connection, *metrics.Sub, conn.Side) *report.SubDir { return &noFigures }

// fields returns the memory and the reasons for a part of the report.
func (b *Builder) fields() fill.Fields { return fill.Fields{Reasons: &b.reasons, Mem: &b.memory} }

func (b *Builder) subDir(m *metrics.Connection, s *metrics.Sub, from conn.Side) *report.SubDir {
	out := b.memory.SubDirs.Of(report.SubDir{})
	m.ReportSubflow(s, from, b.fields(), out)
	return out
}

func (b *Builder) connDir(m *metrics.Connection, from conn.Side, subs []report.Subflow) *report.ConnDir {
	out := b.memory.ConnDirs.Of(report.ConnDir{})
	m.ReportConnection(from, subs, b.fields(), out)
	return out
}

func (b *Builder) subDirSoFar(m *metrics.Connection, s *metrics.Sub, from conn.Side) *report.SubDir {
	out := b.memory.SubDirs.Of(report.SubDir{})
	m.ReportSubflowSoFar(s, from, b.fields(), out)
	return out
}

func (b *Builder) connDirSoFar(m *metrics.Connection, from conn.Side, subs []report.Subflow) *report.ConnDir {
	out := b.memory.ConnDirs.Of(report.ConnDir{})
	m.ReportConnectionSoFar(from, subs, b.fields(), out)
	return out
}

func (b *Builder) connOneEnd(m *metrics.Connection, from conn.Side, _ []report.Subflow) *report.ConnDir {
	if from == conn.B {
		return &noConnFigures
	}
	n := m.Conn.Spaces[conn.A].AppBytes()
	return b.memory.ConnDirs.Of(report.ConnDir{Bytes: b.memory.Ints.Of(n), Segments: m.Subs[0].Sub.Senders[conn.A].Segments})
}

func (b *Builder) subOneEnd(m *metrics.Connection, s *metrics.Sub, from conn.Side) *report.SubDir {
	if from == conn.B {
		return &noFigures
	}
	h, n := &s.Sub.Senders[conn.A], b.memory.Ints.Of(m.Conn.Spaces[conn.A].AppBytes())
	return b.memory.SubDirs.Of(report.SubDir{
		Segments: h.Segments, CapturedSegments: h.CapturedSegments, PureAcks: h.PureACKs, Bytes: n, BytesUnique: n,
	})
}

// shortDir has the number of bytes that the direction carried. Only the summary shows the
// retransmitted bytes.
func (b *Builder) shortDir(m *metrics.Connection, s *metrics.Sub, from conn.Side) *report.SubDir {
	if s.Sub.Senders[from].CapturedSegments == 0 {
		return &noFigures
	}
	c := m.Carried(s, from)
	out := b.memory.SubDirs.Of(report.SubDir{RetransmittedBytes: c.Retransmitted})
	if c.Cut == "" {
		out.Bytes, out.BytesUnique = b.memory.Ints.Of(c.Bytes), b.memory.Ints.Of(c.Unique)
	}
	return out
}

// connLine has how much data the direction carried, and how fast, by
// [metrics.Connection.Amounts].
func (b *Builder) connLine(m *metrics.Connection, from conn.Side, _ []report.Subflow) *report.ConnDir {
	out := b.memory.ConnDirs.Of(report.ConnDir{})
	if m.MapsCut(from) == "" {
		out.Bytes = b.memory.Ints.Of(m.Conn.Spaces[from].AppBytes())
		_, data := m.Amounts(from)
		out.Goodput = b.average(m, data)
	}
	return out
}

// subLine does what connLine does for a plain TCP connection.
func (b *Builder) subLine(m *metrics.Connection, s *metrics.Sub, from conn.Side) *report.SubDir {
	out := b.shortDir(m, s, from)
	if out != &noFigures {
		payload, _ := m.Amounts(from)
		out.Throughput = b.average(m, payload)
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
