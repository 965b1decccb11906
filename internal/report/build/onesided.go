package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

// OneSided takes a connection with a few captured packets of one end and no handshake.
// Its report is the same as that of [Builder.Add]. It has no verdicts, because the
// packets show too little.
func (b *Builder) OneSided(f *conn.OneSided) error {
	defer b.memory.Reuse()
	return b.store(b.oneSidedConnection(f), nil)
}

// oneSided holds the figures of one such connection. Only the fields that a report
// reads are set.
type oneSided struct {
	figures metrics.Connection
	conn    conn.Conn
	sub     metrics.Sub
	flow    conn.Subflow
}

// of returns the figures of f. They are valid until the next call.
func (x *oneSided) of(f *conn.OneSided) *metrics.Connection {
	x.conn.ID, x.conn.Start = f.ID, f.Start
	x.flow.Ends, x.flow.Start = f.Ends, f.Start
	if x.sub.Sub == nil {
		x.flow.NoSYN, x.flow.AddressID, x.flow.State = true, [2]int{-1, -1}, subflow.Open
		x.conn.Kind, x.conn.Subflows = conn.Multipath, []*conn.Subflow{&x.flow}
		x.sub.Sub = &x.flow
		x.figures.Conn, x.figures.Subs = &x.conn, []*metrics.Sub{&x.sub}
	}
	return &x.figures
}

func (b *Builder) oneSidedConnection(f *conn.OneSided) *report.Connection {
	m := b.oneSided.of(f)
	out := b.memory.Conns.Of(report.Connection{
		ID: f.ID, Vantage: report.Vantage(f.Vantage.String()), VantageEvidence: f.Why,
		Start: report.Time(packet.Unix(f.Start)), DurationS: seconds(f.Last - f.Start), State: report.ConnOpen, Short: true,
		Subflows: b.memory.Subflows.List(1), B2A: &noConnFigures, Events: b.memory.Events.List(0), Verdicts: b.memory.Verdicts.Of(nil),
	})
	out.Unavailable.Set("version", noVersion)
	if f.Segments > 0 {
		out.Checksum = b.memory.Bools.Of(false)
	} else {
		out.Unavailable.Set("checksum", noChecksum)
	}
	s := &out.Subflows[0]
	b.subflow(s, m, m.Subs[0], true)
	s.EndS = out.DurationS
	out.A2B, s.A2B = b.oneSidedFigures(f.Bytes, f.Segments, f.Segments, f.PureACKs)
	return out
}
