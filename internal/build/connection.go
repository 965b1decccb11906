package build

import (
	"cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

func (b *Builder) connection(m *metrics.Connection, by Judge) *report.Connection {
	f, short := b.figuresOf(m)
	out := b.connectionWith(m, f)
	defer b.withoutUnseen(out, m) // verdicts read both directions
	if out.Short = short; m.Omits(catalogue.FamilyVerdicts) {
		out.Unavailable.Set("verdicts", catalogue.Unasked)
		return out
	}
	out.Verdicts = b.memory.Verdicts.Of(nil)
	if by != nil && b.Detail != report.Lines {
		by.Connection(m, out)
	}
	return out
}

// figuresOf returns which figures the report on a connection of Multipath TCP has, and
// whether it is short.
func (b *Builder) figuresOf(m *metrics.Connection) (f figures, short bool) {
	switch {
	case b.Detail == report.Lines:
		return lineOfConn, false
	case b.Detail != report.Full && isOneSided(m):
		return oneEnd, true
	case b.Detail != report.Full && attempt(m):
		return nothingPassed, true
	case b.soFar:
		return figuresSoFar, false
	}
	return everyFigure, false
}

// connectionWith reports on a connection without verdicts.
func (b *Builder) connectionWith(m *metrics.Connection, f figures) *report.Connection {
	c := m.Conn
	vantage, why := c.Vantage()
	out := b.memory.Conns.Of(report.Connection{
		ID: c.ID, OnlyIn: b.OnlyIn, Handshake: c.Handshake,
		Vantage: report.Vantage(vantage.String()), VantageEvidence: why,
		TokenA: b.token(&c.Hosts[conn.A]), TokenB: b.token(&c.Hosts[conn.B]),
		Start: report.Time(packet.Unix(c.Start)), DurationS: seconds(c.Last() - c.Start),
		State: connState(c.State()), EventsOmitted: m.EventsOmitted,
	})
	b.negotiated(out, m)
	if c.Handshake {
		out.Initiator = b.memory.Sides.Of(report.SideA)
	}
	if c.Fallback != "" {
		out.Fallback = new(c.Fallback)
	}
	out.FallbackCode, out.Capable = fallbackCode(&b.memory, c), capable(&b.memory, c)
	out.Subflows = b.memory.Subflows.List(len(m.Subs))
	for i, s := range m.Subs {
		b.subflow(&out.Subflows[i], m, s, f)
	}
	out.A2B, out.B2A = f.conn(b, m, conn.A, out.Subflows), f.conn(b, m, conn.B, out.Subflows)
	out.Events = b.memory.Events.List(len(m.Events))
	for i := range m.Events {
		out.Events[i] = b.event(&m.Events[i], c.Start)
	}
	out.CaptureGaps, out.CaptureGapsOmitted = gapsOf(c)
	connWithoutTimes(out, c.ClockFault())
	return out
}

func (b *Builder) event(e *conn.Event, start int64) report.Event {
	out := report.Event{TS: seconds(e.Time - start), Kind: report.EventKind(e.Kind), Detail: e.Detail, EventFacts: Facts(&b.memory, &e.Facts)}
	if e.Sub != nil {
		out.Subflow = b.memory.Small.Of(e.Sub.ID)
	}
	if e.Packet != 0 {
		out.Packet = b.memory.Ints.Of(int64(e.Packet))
		out.Direction = b.memory.Directions.Of(DirectionOf(e.From))
	}
	return out
}

func connState(s conn.State) report.ConnState {
	return [...]report.ConnState{report.ConnOpen, report.ConnClosed, report.ConnFastclosed, report.ConnReset, report.ConnSYNReceived}[s]
}

func (b *Builder) token(h *conn.Host) *string {
	if !h.HasToken {
		return nil
	}
	return b.memory.Texts.Of(hex32(h.Token))
}

func hex32(v uint32) string {
	const digits = "0123456789abcdef"
	b := []byte("0x00000000")
	for i := 9; i > 1; i-- {
		b[i] = digits[v&15]
		v >>= 4
	}
	return string(b)
}

const (
	noVersion  = "no option that tells the version was captured: MP_CAPABLE, ADD_ADDR or MP_TCPRST"
	noChecksum = "neither the MP_CAPABLE of both ends nor a mapping was captured"
)

// negotiated fills in what the ends agreed on, as far as the capture shows it.
func (b *Builder) negotiated(out *report.Connection, m *metrics.Connection) {
	c, cut := m.Conn, ""
	if len(m.Subs) > 0 {
		cut = cmp.Or(m.Subs[0].OffersCut(conn.A), m.Subs[0].OffersCut(conn.B))
	}
	if c.VersionKnown() {
		out.Version = b.memory.Small.Of(int(c.Version))
	} else {
		b.reasons.Set("version", cmp.Or(cut, noVersion))
	}
	if inUse, known := c.Checksums(); known {
		out.Checksum = b.memory.Bools.Of(inUse)
	} else {
		b.reasons.Set("checksum", cmp.Or(cut, noChecksum))
	}
	out.Unavailable = b.reasons.Take() // equal reasons of many connections share their memory
}

// gapsOf returns where packets of a connection are missing from the capture, and the number of
// places that are not listed.
func gapsOf(c *conn.Conn) (out report.List[report.CaptureGap], omitted int64) {
	list, omitted, _ := c.Gaps()
	out = make(report.List[report.CaptureGap], len(list))
	for i := range list {
		g, x := &list[i], &out[i]
		end := func(s subflow.Stamp) report.GapEnd {
			return report.GapEnd{Packet: int64(s.Packet), TS: seconds(s.Time - c.Start)}
		}
		*x = report.CaptureGap{Before: end(g.Before), After: end(g.After), DurationS: seconds(g.Duration())}
		for _, m := range g.Missing {
			x.Missing = append(x.Missing, report.GapBytes{Subflow: m.Subflow, Direction: DirectionOf(m.From), Bytes: m.Bytes})
		}
	}
	return out, omitted
}
