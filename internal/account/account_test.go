package account

import (
	"math/rand/v2"
	"testing"
)

const (
	ms      = int64(1e6) // ns
	segment = int64(1000)
)

// play is a sender with subflows of 40 ms. Positions count in segments of 1000 bytes.
type play struct {
	t    *testing.T
	a    *Account
	subs []*path
	out  int64 // data outstanding, segments
	here int64 // the part of it that was acknowledged on its subflow
}

type path struct {
	Subflow
	nxt, una int64 // segments
	ended    int64
	rtt      int64 // ms
	least    int64 // the least of it, ms
	rto      int64 // ms
}

// newPlay opens subflows at 1 ms.
func newPlay(t *testing.T, subflows int) *play {
	p := &play{t: t, a: &Account{}}
	for i := range subflows {
		s := &path{rtt: 40, least: 40, rto: 240}
		p.subs = append(p.subs, s)
		p.a.Open(i, &s.Subflow, ms, &s.ended)
	}
	return p
}

// head returns the subflow of the first data outstanding: the tests send in the order of the
// subflows.
func (p *play) head() int {
	for i, s := range p.subs {
		if s.nxt > s.una {
			return i
		}
	}
	return -1
}

// send sends n segments of new data.
func (p *play) send(at int64, sub int, n int64, full ...bool) {
	s := p.subs[sub]
	for range n {
		s.nxt++
		p.out++
		p.sent(at, sub, &Sent{New: true, Full: len(full) > 0 && full[0]})
	}
}

// again sends a segment again.
func (p *play) again(at int64, sub int) { p.sent(at, sub, &Sent{Copy: true}) }

// stray sends a segment out of the receive window: it makes nothing outstanding.
func (p *play) stray(at int64, sub int) { p.sent(at, sub, &Sent{New: true}) }

// sent sends payload that makes nothing more outstanding.
func (p *play) sent(at int64, sub int, x *Sent) {
	s := p.subs[sub]
	x.Nxt, x.Flight, x.Segment, x.Outstanding, x.Arrived = s.nxt*segment, (s.nxt-s.una)*segment, segment, p.out*segment, p.here*segment
	p.a.Sent(sub, at*ms, x)
}

// ack acknowledges n segments, on the subflow and at the data level.
func (p *play) ack(at int64, sub int, n int64) {
	p.out -= n
	p.acked(at, sub, n, &Ack{DataAck: true})
}

// want compares times of states, in ms.
func (p *play) want(name string, got *Times, want map[State]int64) {
	p.t.Helper()
	for s := range State(States) {
		if got[s] != want[s]*ms {
			p.t.Errorf("%s: %v %d us, want %d ms", name, s, got[s]/1000, want[s])
		}
	}
}

// sack is a SACK above a hole that acknowledges n segments on the subflow, and no data in order.
func (p *play) sack(at int64, sub int, n int64) {
	p.here += n
	p.acked(at, sub, n, &Ack{Hole: true})
}

// arrive acknowledges n segments on the subflow, but no data in order.
func (p *play) arrive(at int64, sub int, n int64) {
	p.here += n
	p.acked(at, sub, n, &Ack{})
}

func (p *play) acked(at int64, sub int, n int64, x *Ack) {
	s := p.subs[sub]
	s.una += n
	x.Una, x.Nxt, x.Bytes, x.Flight, x.Head = s.una*segment, s.nxt*segment, n*segment, (s.nxt-s.una)*segment, p.head()
	x.SRTT, x.LeastRTT, x.RTO, x.Outstanding, x.Arrived = s.rtt*ms, s.least*ms, s.rto*ms, p.out*segment, p.here*segment
	p.a.Ack(sub, at*ms, x)
}

// deliver is an ACK of n segments with which all that arrived is acknowledged, too.
func (p *play) deliver(at int64, sub int, n int64) {
	p.out -= p.here
	p.here = 0
	p.ack(at, sub, n)
}

// flight sends n segments at once on subflow 0, and acknowledges them after a time.
func (p *play) flight(at, rtt, n int64) { p.flightOn(0, at, rtt, n) }

func (p *play) flightOn(sub int, at, rtt, n int64) {
	p.send(at, sub, n)
	p.ack(at+rtt, sub, n)
}

// TestSums: whatever happens, the times of a subflow add up to the time from its beginning to
// its end, those of the connection to that of the direction, and Changed tells the same times
// without a gap.
func TestSums(t *testing.T) {
	for seed := range uint64(300) {
		p := newPlay(t, 1+int(seed%4))
		told := follow(t, seed, &p.a.division, len(p.subs))
		p.random(rand.New(rand.NewPCG(seed, 1)))
		p.a.Close()
		for i, s := range p.subs {
			sums(t, seed, &p.a.division, i, &s.opened, told[i])
		}
	}
}

// follow takes the times that Changed tells, and checks that they have no gaps.
func follow(t *testing.T, seed uint64, d *division, subflows int) (told []Times) {
	reached := map[int]int64{}
	told = make([]Times, subflows)
	d.Changed = func(id int, s State, from, to int64) {
		if before, ok := reached[id]; ok && before != from || to <= from {
			t.Fatalf("seed %d: subflow %d: %d to %d after %d", seed, id, from, to, before)
		}
		reached[id] = to
		told[id][s] += to - from
	}
	return told
}

// sums checks the sums of an account, and of one of its subflows.
func sums(t *testing.T, seed uint64, d *division, id int, s *opened, told Times) {
	t.Helper()
	if d.first == 0 {
		return
	}
	end := d.last
	if d.bytes > 0 {
		end = max(end, d.sent)
	}
	if got := d.Times.Sum(); got != max(0, end-d.first) {
		t.Errorf("seed %d: connection %d ns of %d", seed, got, end-d.first)
	}
	if *s.ended != 0 {
		end = min(end, *s.ended)
	}
	if got := s.Times.Sum(); got != max(0, end-d.first) || told != s.Times {
		t.Errorf("seed %d: subflow %d %d ns of %d; told %v, %v", seed, id, got, end-d.first, told, s.Times)
	}
}

// random plays events.
func (p *play) random(r *rand.Rand) {
	at := int64(100)
	for range 50 + r.IntN(2000) {
		at += int64(r.ExpFloat64() * float64([]int{1, 10, 300}[r.IntN(3)]))
		i := r.IntN(len(p.subs))
		s := p.subs[i]
		switch flight := s.nxt - s.una; {
		case s.ended != 0:
		case r.IntN(500) == 0:
			s.ended = at * ms
		case flight > 0 && r.IntN(2) == 0:
			p.ack(at, i, 1+r.Int64N(flight))
		case flight > 0 && r.IntN(9) == 0:
			p.again(at, i)
		case r.IntN(9) == 0:
			p.a.Full(at*ms, r.IntN(2) == 0)
		case p.out == 0 && r.IntN(2) == 0:
			p.stray(at, i)
		default:
			p.send(at, i, 1+r.Int64N(5), r.IntN(5) == 0)
		}
	}
}
