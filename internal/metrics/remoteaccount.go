package metrics

import (
	"mpanalyze/internal/account"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tcpclock"
)

// accountSub is one subflow of a [timeAccount].
type accountSub struct {
	account.Subflow
	inferred *account.Subflow // in captures at the receiver; nil where nothing is inferred
	clock    tcpclock.Reader  // of the other end: the sender, or at the sender the receiver
	firstVal uint32           // its first timestamp; valid with timed
	timed    bool
	back     ackDelay
}

// ackDelay is by how much the packets of the receiver waited longer than the least on their way back to the sender, where the
// capture was taken.
type ackDelay struct {
	least  account.LeastDelay
	sum, n int64 // ns
}

func (s *accountSub) reset() {
	s.Subflow.Reset()
	if s.inferred != nil {
		s.inferred.Reset()
	}
	*s = accountSub{Subflow: s.Subflow, inferred: s.inferred}
}

// notInferred is what is inferred of a subflow without [accountSub.inferred]: nothing. It is never written to.
var notInferred account.Subflow

// infer makes what is inferred of the subflow if there is none.
func (s *accountSub) infer() *account.Subflow {
	if s.inferred == nil {
		s.inferred = new(account.Subflow)
	}
	return s.inferred
}

// timestampUnit is the unit of the timestamps by which delays are measured, ns: that of Linux.
const timestampUnit = 1e6

// clockAttempts bounds the attempts to find the unit of the timestamps.
const clockAttempts = 8

// passed fills in what only an account away from the sender needs.
func (x *timeAccount) passed(e *account.Data, s *SubflowDir, p *conn.Packet, now int64) {
	space := s.dir.space
	e.New, e.Copies, e.Hole = p.TCP.Sent.HasNew(), s.half.HoleFills+s.half.RexmitSegments, s.half.Holed()
	e.RcvNxt, e.SndNxt = int64(space.RcvNxt()), int64(space.SndNxt())
	e.SRTT, e.LeastRTT, e.RTO = int64(s.est.SRTT), s.est.Min, int64(s.est.RTO())
	for i := range p.Pieces {
		e.DataEnd = max(e.DataEnd, int64(p.Pieces[i].Data.End))
	}
	if p.Seg.Have&packet.HasTimestamps != 0 {
		e.Delay, e.Timed = x.subs.numbered(s.id).delay(now, p.Seg.TSVal)
	}
}

// AckDelay returns by how much the ACKs of a subflow waited longer than the least, on average, ms; ok is false where no
// capture at the sender shows timestamps with a unit of a millisecond.
func (d *DataDir) AckDelay(subflow int) (ms float64, ok bool) {
	x := d.account()
	if x.rules == nil || !x.rules.Has(subflow) {
		return 0, false
	}
	b := &x.subs.at(subflow).back
	return float64(b.sum) / 1e6 / float64(max(1, b.n)), b.n > 0
}

// infer begins the account that is inferred at the receiver, once a direction has as much data as verdicts on it need.
func (x *timeAccount) infer(now int64) bool {
	if x.d.role != Receiver || x.d.space.Bytes < report.FewBytes {
		return false
	}
	x.infers, x.sender.AtReceiver = true, true
	for _, s := range x.d.m.Subs {
		if x.rules.Has(s.Sub.ID) {
			x.sender.Open(s.Sub.ID, x.subs.numbered(s.Sub.ID).infer(), now, &s.Sub.Ended)
		}
	}
	return true
}

// reply takes a packet of the receiver for the account that is inferred there, which acknowledges n bytes for the first
// time.
func (x *timeAccount) reply(s *SubflowDir, p *conn.Packet, now, n int64) {
	una, _ := x.d.space.SndUna()
	r := account.Reply{
		Una: int64(s.half.SndUna()), Bytes: n, DataAck: int64(una), Acks: p.NewAck, SACKs: s.half.SACKsHole(), Advances: p.DataAckAdvanced, Carries: p.Seg.PayloadLen > 0,
	}
	if x.d.rightEdge != unread && x.d.m.Conn.Fallback == "" {
		r.Edge = int64(x.d.space.SndNxt()) + min(x.d.free(), x.d.why.Left())
	}
	x.sender.Reply(s.id, now, s.est.Min, r)
}

// delay returns the delay of a packet less that of the first one, and whether the unit of the
// timestamps is known to be the one that it is measured by.
func (s *accountSub) delay(now int64, val uint32) (ns int64, ok bool) {
	if !s.timed {
		s.timed, s.firstVal = true, val
	}
	if !s.clock.Known() {
		s.clock.Read(now, val, clockAttempts)
	}
	return now - int64(int32(val-s.firstVal))*timestampUnit, s.clock.Tick() == timestampUnit
}

// heard takes a packet of a host with a DATA_ACK: the path from that host is not down.
func (m *Connection) heard(p *conn.Packet, now int64) {
	d := m.dirs[p.From]
	if d == nil || d.role != Receiver || p.Seg.Have&packet.Untimed != 0 {
		return
	}
	if x := d.timeAccount; x != nil && x.begun && !x.many && x.away.Has(p.Sub.ID) {
		x.away.Heard(p.Sub.ID, now)
	}
}
