package account

import (
	"math"
	"testing"
)

const (
	ms      = int64(1e6) // ns
	segment = int64(1000)
)

// times are the times of states, ms.
type times = map[State]float64

// play is a sender with subflows of 40 ms, which open at 1 ms. Positions count in bytes.
type play struct {
	a    *Account
	subs []*path
	out  int64 // data outstanding
}

type path struct {
	Subflow
	nxt, una int64
	ended    int64
	rtt      float64 // ms
	least    float64 // the least of it, ms
	floor    float64 // of the newest segment that an ACK acknowledges, ms; 0 = not known
	rto      float64 // ms
}

// event is what happens at a time on a subflow.
type event struct {
	at  float64 // ms
	sub int
	do  func(p *play, s *path, e event, now int64)
}

// on is an event on a subflow other than 0.
func on(sub int, e event) event {
	e.sub = sub
	return e
}

// ns returns a time in ns.
func ns(ms float64) int64 { return int64(math.Round(ms * 1e6)) }

// write sends bytes of new data, in full segments and the rest.
func write(at float64, bytes int64) event {
	return event{at: at, do: func(p *play, s *path, e event, now int64) {
		for left := bytes; left > 0; left -= segment {
			n := min(left, segment)
			s.nxt += n
			p.out += n
			p.data(s, e, now, &Data{New: true, Bytes: n})
		}
	}}
}

// send sends n segments of new data.
func send(at float64, n int64) event { return write(at, n*segment) }

// payload sends a segment that makes no more data outstanding.
func payload(at float64, x Data) event {
	return event{at: at, do: func(p *play, s *path, e event, now int64) {
		x.Bytes = segment
		if !x.Copy {
			s.nxt += segment
		}
		p.data(s, e, now, &x)
	}}
}

// again sends a segment again.
func again(at float64) event { return payload(at, Data{Copy: true}) }

func (p *play) data(s *path, e event, now int64, x *Data) {
	x.Segment, x.Nxt, x.Flight, x.Outstanding = segment, s.nxt, s.nxt-s.una, p.out
	p.a.Data(e.sub, now, x)
}

// free acknowledges bytes, on the subflow and at the data level.
func free(at float64, bytes int64) event { return acked(at, bytes, bytes, Ack{DataAck: true}) }

// ack acknowledges n segments, on the subflow and at the data level.
func ack(at float64, n int64) event { return free(at, n*segment) }

// sack is a SACK above a hole.
func sack(at float64) event { return acked(at, 0, 0, Ack{SACKs: true}) }

// acked acknowledges bytes on the subflow, and bytes of the data.
func acked(at float64, bytes, data int64, x Ack) event {
	return event{at: at, do: func(p *play, s *path, e event, now int64) {
		s.una += bytes
		p.out -= data
		x.Una, x.Nxt, x.Bytes, x.Flight, x.Head, x.Outstanding = s.una, s.nxt, bytes, s.nxt-s.una, p.head(), p.out
		x.SRTT, x.RTT, x.LeastRTT, x.RTO = ns(s.rtt), ns(s.floor), ns(s.least), ns(s.rto)
		p.a.Ack(e.sub, now, &x)
	}}
}

// head returns the subflow of the first data outstanding: the tests send in the order of the
// subflows.
func (p *play) head() int {
	for i, s := range p.subs {
		if s.nxt > s.una && p.out > 0 {
			return i
		}
	}
	return -1
}

// answer is a packet of the receiver that acknowledges nothing.
func answer(at float64) event {
	return event{at: at, do: func(p *play, _ *path, e event, now int64) { p.a.Answer(e.sub, now) }}
}

// peer is data of the receiver.
func peer(at float64) event {
	return event{at: at, do: func(p *play, _ *path, _ event, now int64) { p.a.PeerData(now) }}
}

// full says whether the receive window is full.
func full(at float64, is bool) event {
	return event{at: at, do: func(p *play, _ *path, _ event, now int64) { p.a.Full(now, is) }}
}

// finish ends the subflow.
func finish(at float64) event {
	return event{at: at, do: func(_ *play, s *path, _ event, now int64) { s.ended = now }}
}

// trip sets the round trip, the least one and the timeout of the subflow, ms.
func trip(rtt, least, rto float64) event {
	return event{do: func(_ *play, s *path, _ event, _ int64) { s.rtt, s.least, s.rto = rtt, least, rto }}
}

// check plays events and compares times: those of each subflow, and of the connection. With one
// subflow one value stands for both; nil is not compared.
func check(t *testing.T, name string, events []event, want ...times) {
	t.Helper()
	p := newPlay(max(1, len(want)-1))
	p.play(events)
	p.a.Close()
	for i, s := range p.subs {
		compare(t, name+": subflow", &s.Times, want[i])
	}
	compare(t, name+": connection", &p.a.Times, want[len(want)-1])
}

func newPlay(subflows int) *play {
	p := &play{a: &Account{}}
	for i := range subflows {
		s := &path{rtt: 40, least: 40, rto: 240}
		p.subs = append(p.subs, s)
		p.a.Open(i, &s.Subflow, ms, &s.ended)
	}
	return p
}

func (p *play) play(events []event) {
	for _, e := range events {
		e.do(p, p.subs[e.sub], e, ns(e.at))
	}
}

// compare compares times of states.
func compare(t *testing.T, name string, got *Times, want times) {
	t.Helper()
	for s := range State(States) {
		if want != nil && got[s] != ns(want[s]) {
			t.Errorf("%s: state %d: %d us, want %d us", name, s, got[s]/1000, ns(want[s])/1000)
		}
	}
}
