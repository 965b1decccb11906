package build

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// LatePackets counts the packets that come after their connections were reported, and
// adds them to the reports. It is a [conn.LateModule].
type LatePackets struct {
	conns, tcp map[int]*lateConn // by [conn.Conn.ID], and by [conn.Conn.Order]; bounded by [conn.Options.MaxLate]
}

// lateConn has the late packets of one connection.
type lateConn struct {
	last int64     // time of the latest, ns
	subs []lateSub // in the order of their first late packets; bounded by the connection's subflows
}

// lateSub has those of one subflow.
type lateSub struct {
	id   int
	last int64
	dirs [2]lateDir // by the end that sent them
}

// lateDir has those of one end.
type lateDir struct {
	fins, acks, dsacks int64
	pause              int64 // longest, ns
}

// NewLatePackets returns an empty count.
func NewLatePackets() *LatePackets {
	return &LatePackets{conns: map[int]*lateConn{}, tcp: map[int]*lateConn{}}
}

// Open implements [conn.Module]: nothing is to be observed before the end.
func (*LatePackets) Open(*conn.Conn) conn.Observer { return nil }

// Late implements [conn.LateModule].
func (x *LatePackets) Late(l *conn.Late) bool {
	all, at := x.conns, l.ID
	if l.ID < 0 {
		all, at = x.tcp, l.Order
	}
	c := all[at]
	if c == nil {
		c = &lateConn{last: math.MinInt64}
		all[at] = c
	}
	c.last = max(c.last, l.Seg.Time)
	s := c.sub(l.Sub)
	s.last = max(s.last, l.Seg.Time)
	d := &s.dirs[l.From&1]
	d.pause = max(d.pause, l.Pause)
	if l.Seg.Flags&packet.FIN != 0 {
		d.fins++
		return true
	}
	d.acks++
	d.dsacks += int64(l.Seg.NSACK) // all data was acknowledged before, so a block reports a duplicate (RFC 2883)
	return true
}

// sub returns the packets of a subflow.
func (c *lateConn) sub(id int) *lateSub {
	for i := range c.subs {
		if c.subs[i].id == id {
			return &c.subs[i]
		}
	}
	c.subs = append(c.subs, lateSub{id: id, last: math.MinInt64})
	return &c.subs[len(c.subs)-1]
}

// Amend adds the packets to the reports that are read from s.
func (x *LatePackets) Amend(s *report.Stored) {
	if len(x.conns)+len(x.tcp) > 0 {
		s.Amend(x.connection, func(c *report.TCP) { x.plain(c, s.TCPOrder(c.ID)) })
	}
}

// AddLate adds the packets to the reports that b keeps.
func (b *Builder) AddLate(x *LatePackets) {
	for _, c := range b.conns {
		x.connection(c)
	}
	for _, c := range b.tcp {
		x.plain(c, c.ID)
	}
}

// connection adds the packets to the report on a connection.
func (x *LatePackets) connection(c *report.Connection) {
	late := x.conns[c.ID]
	if late == nil {
		return
	}
	c.DurationS = max(c.DurationS, seconds(packet.Unix(late.last)-int64(c.Start)))
	for i := range late.subs {
		l := &late.subs[i]
		if l.id >= len(c.Subflows) {
			continue
		}
		s := &c.Subflows[l.id]
		s.EndS = max(s.EndS, seconds(packet.Unix(l.last)-int64(c.Start)))
		if !c.Short {
			l.dirs[conn.A].addTo(s.A2B)
			l.dirs[conn.B].addTo(s.B2A)
		}
	}
}

// plain adds the packets to the report on a connection of plain TCP with an order.
func (x *LatePackets) plain(c *report.TCP, order int) {
	late := x.tcp[order]
	if late == nil {
		return
	}
	c.DurationS = max(c.DurationS, seconds(packet.Unix(late.last)-int64(c.Start)))
	c.EndS = max(c.EndS, c.DurationS)
	if !c.Short {
		l := &late.subs[0]
		l.dirs[conn.A].addTo(c.A2B)
		l.dirs[conn.B].addTo(c.B2A)
	}
}

// addTo adds the packets to the report on a direction.
func (l *lateDir) addTo(d *report.SubDir) {
	if d == nil || d == &noFigures {
		return
	}
	d.Fins += l.fins
	d.PureAcks += l.acks
	if d.DSACKBlocks != nil && l.dsacks > 0 {
		d.DSACKBlocks = new(*d.DSACKBlocks + l.dsacks)
	}
	if d.IdleMax != nil {
		d.IdleMax = new(max(*d.IdleMax, ms(l.pause)))
	}
}
