package account

import "cmp"

// Inferred divides the time of one data direction as an account at the sender would, by a capture at the
// receiver: each packet of the receiver counts when the sender knows it and what the sender answers at once can
// arrive, which is the least round trip of its subflow later. Without a queue in between, data then follows
// packets of the receiver as it does at the sender. A queue or jitter of the path delays data, which looks like
// a sender with nothing to send, or with a full buffer.
type Inferred struct {
	Account

	una     int64 // DATA_ACK that the sender knows
	nxt     int64 // end of the data that was sent
	edge    int64 // right edge of the receive window that the sender knows; 0 = none yet
	begun   bool
	untimed bool // a subflow has no round trip, so that nothing can be told
}

// maxKept bounds each list that is kept of a subflow. Behind it the oldest entry is forgotten: later ones acknowledge the same data.
const maxKept = 1 << 14

// inferred is what an [Inferred] keeps of a subflow.
type inferred struct {
	una, nxt           int64 // at the sender: all below una is acknowledged; end of what was sent
	copies             int64
	rtt, leastRTT, rto int64       // its round trips and retransmission timeout, ns
	ends               fifo[int64] // of its data above the DATA_ACK that the sender knows; bounded by maxKept
	replies            fifo[reply] // what the sender does not know yet; bounded by maxKept
	begun              bool
}

// Reply is a packet of the receiver on a subflow.
type Reply struct {
	Una, Bytes int64 // its ACK, and how much it acknowledges for the first time
	DataAck    int64
	Edge       int64 // right edge of the receive window; 0 = not known
	Acks       bool  // it acknowledges something of the subflow for the first time
	SACKs      bool  // SACKs cover data above something that is missing
	Advances   bool  // its DATA_ACK advances
	Carries    bool  // it carries data
}

// reply is a Reply on its way to the sender.
type reply struct {
	at int64 // when the sender knows it
	Reply
}

// Reset makes x empty but keeps its memory.
func (x *Inferred) Reset() {
	x.Account.Reset()
	*x = Inferred{Account: x.Account}
}

// Known reports whether the round trips are known by which the account is inferred.
func (x *Inferred) Known() bool { return x.begun && !x.untimed }

// Data takes payload on a subflow.
func (x *Inferred) Data(id int, now int64, p *Data) {
	if x.untimed { // the sender would know of no packet of the receiver
		return
	}
	x.know(now)
	s := &x.subs[id].inferred
	if !x.begun {
		x.begun, x.una = true, p.SndNxt-p.Outstanding
	}
	if !s.begun {
		s.begun, s.una, s.copies = true, p.Nxt-p.Flight, p.Copies
	}
	e := *p
	e.Copy = p.Copies != s.copies
	s.copies, s.nxt, s.rtt, s.leastRTT, s.rto, x.nxt = p.Copies, p.Nxt, p.SRTT, p.LeastRTT, p.RTO, max(x.nxt, p.SndNxt)
	if !e.Copy {
		s.ends.push(p.DataEnd, maxKept)
	}
	e.Flight, e.Outstanding, e.Full = s.nxt-s.una, max(0, x.nxt-x.una), x.full(p.Segment)
	x.Account.Data(id, now, &e)
	x.subs[id].sender.rounds.plateau.restart() // what arrives in a round trip stays the same where a queue stands, too
}

// full reports whether the receive window has no room for a segment, as the sender knows it.
func (x *Inferred) full(segment int64) bool { return x.edge != 0 && x.edge-x.nxt < segment }

// Reply takes a packet of the receiver on a subflow, whose least round trip is least, ns; 0 = none is known.
func (x *Inferred) Reply(id int, now, least int64, r Reply) {
	if x.untimed = x.untimed || least == 0; !x.untimed {
		x.subs[id].inferred.replies.push(reply{now + least, r}, maxKept)
	}
}

// know lets the sender know the packets of the receiver up to a time, in their order.
func (x *Inferred) know(until int64) {
	for {
		var next *Subflow
		for _, o := range x.opened {
			if q := &o.inferred.replies; q.size() > 0 && q.front().at <= until && (next == nil || q.front().at < next.inferred.replies.front().at) {
				next = o
			}
		}
		if next == nil {
			return
		}
		x.knows(next, next.inferred.replies.front())
		next.inferred.replies.drop()
	}
}

// knows lets the sender know a packet of the receiver on a subflow.
func (x *Inferred) knows(s *Subflow, w *reply) {
	x.edge, x.una = cmp.Or(w.Edge, x.edge), max(x.una, w.DataAck)
	if i := &s.inferred; w.Acks {
		i.una = max(i.una, w.Una)
		e := &Ack{
			Una: w.Una, Nxt: i.nxt, Bytes: w.Bytes, Flight: i.nxt - i.una, SACKs: w.SACKs, SRTT: i.rtt, LeastRTT: i.leastRTT, RTO: i.rto, DataAck: w.Advances,
			Outstanding: max(0, x.nxt-x.una),
		}
		if e.DataAck {
			e.Head = x.lowest()
		}
		x.Ack(s.id, w.at, e)
	} else {
		x.Answer(s.id, w.at)
	}
	x.Full(w.at, x.full(s.segment))
	if w.Carries {
		x.PeerData(w.at)
	}
}

// lowest returns the subflow that carried the first data without DATA_ACK; -1 if none did.
func (x *Inferred) lowest() (id int) {
	id, first := -1, int64(0)
	for _, o := range x.opened {
		q := &o.inferred.ends
		for q.size() > 0 && *q.front() <= x.una {
			q.drop()
		}
		if q.size() > 0 && (id < 0 || *q.front() < first) {
			id, first = o.id, *q.front()
		}
	}
	return id
}

// Close ends the account.
func (x *Inferred) Close() {
	x.know(never)
	x.Account.Close()
}
