package metrics

import (
	"mpanalyze/internal/account"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tcpclock"
)

// remoteAccount is the part of [timeAccount] for captures away from the sender.
type remoteAccount struct {
	all  account.Remote
	subs perSub[remoteSub]
}

// remoteSub is one subflow of a [remoteAccount].
type remoteSub struct {
	account.RemoteSubflow
	clock    tcpclock.Reader // of the sender
	firstVal uint32          // its first timestamp; valid with timed
	timed    bool
}

// timestampUnit is the unit of the timestamps by which delays are measured, ns: that of Linux.
const timestampUnit = 1e6

// clockAttempts bounds the attempts to find the unit of the timestamps.
const clockAttempts = 8

func (x *remoteAccount) renewed() remoteAccount {
	x.all.Reset()
	return remoteAccount{all: x.all, subs: x.subs.renewed((*remoteSub).reset)}
}

func (s *remoteSub) reset() {
	s.RemoteSubflow.Reset()
	*s = remoteSub{RemoteSubflow: s.RemoteSubflow}
}

func (x *remoteAccount) open(s *Sub, at int64) {
	x.all.Open(s.Sub.ID, &x.subs.numbered(s.Sub.ID).RemoteSubflow, at, &s.Sub.Ended)
}

// payload takes data.
func (x *remoteAccount) payload(s *SubflowDir, p *conn.Packet, now int64) {
	space := s.dir.space
	e := &account.Passed{ // filled in place, which a variable is not
		New: p.TCP.Sent.HasNew(), Bytes: int64(p.Seg.PayloadLen), Copies: s.half.HoleFills + s.half.RexmitSegments,
		Nxt: int64(s.half.SndNxt()), Hole: s.half.Holed(), Segment: s.half.SegmentBytes(),
		RcvNxt: int64(space.RcvNxt()), SndNxt: int64(space.SndNxt()), Outstanding: max(0, space.OutstandingBytes),
		SRTT: int64(s.est.SRTT), LeastRTT: s.est.Min, RTO: int64(s.est.RTO()),
	}
	for i := range p.Pieces {
		e.DataEnd = max(e.DataEnd, int64(p.Pieces[i].Data.End))
	}
	if p.Seg.Have&packet.HasTimestamps != 0 {
		e.Delay, e.Timed = x.subs.numbered(s.id).delay(now, p.Seg.TSVal)
	}
	x.all.Passed(s.id, now, e)
}

// delay returns the delay of a packet less that of the first one, and whether the unit of the
// timestamps is known to be the one that it is measured by.
func (s *remoteSub) delay(now int64, val uint32) (ns int64, ok bool) {
	if !s.timed {
		s.timed, s.firstVal = true, val
	}
	if !s.clock.Known() {
		s.clock.Read(now, val, clockAttempts)
	}
	return now - int64(int32(val-s.firstVal))*timestampUnit, s.clock.Tick() == timestampUnit
}

// answer takes a packet of the receiver that acknowledges something or has a DATA_ACK. s is its
// subflow, if that was opened.
func (x *remoteAccount) answer(d *DataDir, s *SubflowDir, opened bool, p *conn.Packet, now int64) {
	if opened && p.NewAck {
		x.acked(s, now)
	}
	if !p.HasDataAck {
		return
	}
	if opened {
		x.all.Answer(s.id, now)
	}
	if d.rightEdge != unread && d.m.Conn.Fallback == "" {
		x.all.Offered(now, int64(d.rightEdge))
	}
}

// acked takes a packet of the receiver that acknowledges something.
func (x *remoteAccount) acked(s *SubflowDir, now int64) {
	x.all.Answered(s.id, now, &account.Answered{
		Una: int64(s.half.SndUna()), Nxt: int64(s.half.SndNxt()), Flight: s.half.InFlight(), Hole: s.half.Holed(), SACKs: s.half.SACKsHole(),
		RTO: int64(s.est.RTO()), Outstanding: max(0, s.dir.space.OutstandingBytes),
	})
}

func (x *remoteAccount) times(id int) (all, sub *account.Times) {
	if id >= 0 {
		sub = &x.subs.at(id).Times
	}
	return &x.all.Times, sub
}

// heard takes a packet of a host with a DATA_ACK: the path from that host is not down.
func (m *Connection) heard(p *conn.Packet, now int64) {
	d := m.dirs[p.From]
	if d == nil || d.role != Receiver || p.Seg.Have&packet.Untimed != 0 {
		return
	}
	if x := d.timeAccount; x != nil && x.begun && !x.many && x.has(p.Sub.ID) {
		x.remote.all.Heard(p.Sub.ID, now)
	}
}
