package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/symptoms"
)

// amounts measures only what a line about a connection needs: how many bytes passed, and
// how fast.
type amounts struct {
	*Connection
	payload, data [2]Amount // by sender: all payload, and data that passed for the first time
}

// Amount counts the bytes that passed in one direction, and the time they took.
type Amount struct{ bytes, first, last int64 }

// add counts n bytes at time t.
func (a *Amount) add(t, n int64) {
	if a.last == 0 {
		a.first = t
	}
	a.bytes += n
	a.last = max(a.last, t)
}

// Avg returns bytes over active time, Mbit/s. ok is false if that time is 0.
func (a *Amount) Avg() (mbps float64, ok bool) {
	if a.last <= a.first {
		return 0, false
	}
	return rate(a.bytes, a.last-a.first), true
}

// Amounts returns what the host at from sent: all payload, and data that passed for the
// first time. It needs [Config.Lines].
func (m *Connection) Amounts(from conn.Side) (payload, data *Amount) {
	return &m.amounts.payload[from&1], &m.amounts.data[from&1]
}

// line begins the measurement of a connection for a line.
func (m *Connection) line() conn.Observer {
	m.amounts = &amounts{Connection: m}
	return m.amounts
}

// Subflow adds a subflow.
func (l *amounts) Subflow(s *conn.Subflow) {
	l.Subs = append(l.Subs, &Sub{Subflow: symptoms.Subflow{Sub: s}})
}

// Packet measures one packet.
func (l *amounts) Packet(p *conn.Packet) {
	s := p.Seg
	if s.Flags&packet.SYN != 0 {
		s := l.Subs[p.DirIndex>>1]
		s.Rare(p)
		l.k.hidden = l.k.hidden || s.Handshake.SYNCut || s.Handshake.SYNACKCut
	}
	for i := range p.LateMapped { // payload of earlier packets that an acknowledgment proves to be data
		l.piece(&p.LateMapped[i], p.From.Other(), p.LateMapped[i].Time)
	}
	if !p.HasPayload() {
		return
	}
	all := &l.payload[p.From]
	if all.last > 0 && s.Time < all.first { // rates ignore such packets, too
		return
	}
	all.add(s.Time, int64(s.PayloadLen))
	for i := range p.Pieces {
		l.piece(&p.Pieces[i], p.From, s.Time)
	}
}

// piece counts payload at the data level.
func (l *amounts) piece(p *dss.Piece, from conn.Side, now int64) {
	if p.Kind == dss.First {
		l.first(from, p.Data.Len(), now)
	}
}

// first counts n bytes of data that pass for the first time, unless they come before the
// first payload.
func (l *amounts) first(from conn.Side, n, now int64) {
	if all := &l.payload[from]; all.last > 0 && now >= all.first {
		l.data[from].add(now, n)
	}
}

// Event counts accepted data in a SYN, which has no DSN.
func (l *amounts) Event(e *conn.Event) {
	if e.Kind == conn.EventFastOpen {
		l.first(e.From, e.Sub.FastOpen().AppBytes(), e.Time)
	}
}

// Close ends the measurement.
func (l *amounts) Close(int64) {
	l.hidden = l.k.hidden
	l.cutOff()
	l.k.done(l.Connection)
}
