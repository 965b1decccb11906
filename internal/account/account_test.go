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
}

type path struct {
	Subflow
	nxt, una int64 // segments
	ended    int64
	rtt      int64 // ms
}

// newPlay opens subflows at 1 ms.
func newPlay(t *testing.T, subflows int) *play {
	p := &play{t: t, a: &Account{}}
	for i := range subflows {
		s := &path{rtt: 40}
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
		p.a.Sent(sub, at*ms, &Sent{
			New: true, Nxt: s.nxt * segment, Flight: (s.nxt - s.una) * segment, Segment: segment, Outstanding: p.out * segment, Full: len(full) > 0 && full[0],
		})
	}
}

// again sends a segment again.
func (p *play) again(at int64, sub int) {
	s := p.subs[sub]
	p.a.Sent(sub, at*ms, &Sent{Copy: true, Nxt: s.nxt * segment, Flight: (s.nxt - s.una) * segment, Segment: segment, Outstanding: p.out * segment})
}

// stray sends a segment out of the receive window: it makes nothing outstanding.
func (p *play) stray(at int64, sub int) {
	s := p.subs[sub]
	p.a.Sent(sub, at*ms, &Sent{New: true, Nxt: s.nxt * segment, Flight: (s.nxt - s.una) * segment, Segment: segment, Outstanding: p.out * segment})
}

// ack acknowledges n segments, on the subflow and at the data level.
func (p *play) ack(at int64, sub int, n int64) {
	s := p.subs[sub]
	s.una += n
	p.out -= n
	p.a.Ack(sub, at*ms, &Ack{
		Una: s.una * segment, Nxt: s.nxt * segment, Bytes: n * segment, Flight: (s.nxt - s.una) * segment,
		SRTT: s.rtt * ms, LeastRTT: 40 * ms, RTO: 240 * ms, DataAck: true, Outstanding: p.out * segment, Head: p.head(),
	})
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

// TestDown: two of ten segments are acknowledged at 140 ms. Nothing comes until 3000 ms.
// The silence is longer than the timeout, so all of it is down, from the last answer on. A
// silence of 900 ms is not: there is room for two segments, and the application sends none.
func TestDown(t *testing.T) {
	for _, end := range []int64{3000, 1040} {
		p := newPlay(t, 1)
		p.send(100, 0, 10)
		p.ack(140, 0, 2)
		p.ack(end, 0, 8)
		p.a.Close()
		want := map[State]int64{SlowStart: 40, Down: end - 140}
		if end == 1040 {
			want = map[State]int64{SlowStart: 40, Application: 900}
		}
		p.want("subflow", &p.subs[0].Times, want)
		p.want("connection", &p.a.Times, want)
	}
}

// TestDownToTheEnd: nothing acknowledges any more. The account goes on to the last copy.
func TestDownToTheEnd(t *testing.T) {
	p := newPlay(t, 1)
	p.send(100, 0, 10)
	p.again(400, 0)
	p.again(5000, 0)
	p.a.Close()
	p.want("subflow", &p.subs[0].Times, map[State]int64{Down: 4900})
}

// TestStray: the first payload, at 100 ms, makes nothing outstanding, so that no subflow is known for
// it. Then the data of the subflow is outstanding, from 150 ms until it is acknowledged, at 190 ms. Each
// instant of the 90 ms counts once.
func TestStray(t *testing.T) {
	p := newPlay(t, 1)
	p.stray(100, 0)
	p.send(150, 0, 10)
	p.ack(190, 0, 10)
	p.a.Close()
	want := map[State]int64{Idle: 50, SlowStart: 40}
	p.want("connection", &p.a.Times, want)
	p.want("subflow", &p.subs[0].Times, want)
}

// TestRecovery lasts from the copy, at 150 ms, to the ACK of all that was sent before it.
func TestRecovery(t *testing.T) {
	p := newPlay(t, 1)
	p.send(100, 0, 10)
	p.ack(140, 0, 1)
	p.send(140, 0, 1)
	p.again(150, 0)
	p.ack(180, 0, 5)
	p.ack(190, 0, 5)
	p.a.Close()
	p.want("subflow", &p.subs[0].Times, map[State]int64{SlowStart: 40, CongestionWindow: 10, Recovery: 40})
}

// TestRwnd: the window is full at 100 ms. A packet opens it at 400 ms. If data follows within a
// round trip of 40 ms, the window limited; if not, the sender had nothing to send.
func TestRwnd(t *testing.T) {
	for _, next := range []int64{430, 900} {
		p := newPlay(t, 1)
		p.send(100, 0, 10, true)
		p.ack(140, 0, 10)
		p.a.Full(140*ms, true)
		p.a.Full(400*ms, false)
		p.send(next, 0, 1)
		p.ack(next+40, 0, 1)
		p.a.Close()
		want := map[State]int64{Rwnd: 300, Idle: 30, Application: 40} // a single segment where ten are allowed
		if next == 900 {
			want = map[State]int64{SlowStart: 40, Idle: next - 140, Application: 40}
		}
		p.want("subflow", &p.subs[0].Times, want)
	}
}

// TestApplication: three segments every 100 ms, where ten are allowed. There is room at all
// times: in flight it is the application, after the ACK nothing is outstanding.
func TestApplication(t *testing.T) {
	p := newPlay(t, 1)
	for i := range int64(10) {
		p.send(100+100*i, 0, 3)
		p.ack(140+100*i, 0, 3)
	}
	p.a.Close()
	p.want("subflow", &p.subs[0].Times, map[State]int64{Application: 10 * 40, Idle: 9 * 60})
}

// TestSlowStartAndPath: a link passes one segment each millisecond, with a round trip of 40 ms
// without a queue. Each ACK is followed by two segments until 80 are in flight, then by one, so
// that the round trip is 80 ms and the link is never idle.
func TestSlowStartAndPath(t *testing.T) {
	p := newPlay(t, 1)
	s, sent, last := p.subs[0], []int64(nil), int64(0)
	put := func(at, n int64) {
		p.send(at, 0, n)
		for range n {
			sent = append(sent, at)
		}
	}
	put(100, 10)
	for i := 0; last < 1100; i++ {
		last = max(last+1, sent[i]+40)
		s.rtt = last - sent[i]
		p.ack(last, 0, 1)
		put(last, min(2, 80-(s.nxt-s.una)))
	}
	p.a.Close()
	// The rounds end with the ACKs of segments 10, 28, 64 and so on: the link passes them 40 + 10, 68 and
	// 104 ms after the beginning. From then on a round is 80 segments in 80 ms.
	got := &s.Times
	if got[SlowStart] < 40*ms || got[SlowStart] > 300*ms || got[Path] < 700*ms || got[Application]+got[Scheduler] != 0 || got.Sum() != (last-100)*ms {
		t.Errorf("%v", got)
	}
}

// TestScheduler: data leaves on subflow 0 alone, for 1 s; subflow 1 is established and unused.
// The next byte in order waits for subflow 0.
func TestScheduler(t *testing.T) {
	p := newPlay(t, 2)
	p.send(100, 0, 10)
	for at := int64(140); at < 1140; at += 10 {
		p.ack(at, 0, 1)
		p.send(at, 0, 1)
	}
	p.ack(1140, 0, 10)
	p.a.Close()
	p.want("subflow 1", &p.subs[1].Times, map[State]int64{Scheduler: 1040})
	if p.a.Times[Scheduler] != 0 || p.a.Times.Sum() != 1040*ms {
		t.Errorf("connection %v", p.a.Times)
	}
}

// TestNoOthers: all that subflow 0 sent at 100 ms has arrived at 140 ms, but no DATA_ACK comes
// until 400 ms. It has room for longer than a round trip. No new data left on another subflow
// meanwhile, so the scheduler did not leave it unused.
func TestNoOthers(t *testing.T) {
	p := newPlay(t, 2) // the other one is never used
	p.send(100, 0, 10)
	s := p.subs[0]
	s.una = s.nxt
	for at := int64(140); at < 400; at += 20 {
		p.a.Ack(0, at*ms, &Ack{Una: s.una * segment, Nxt: s.nxt * segment, SRTT: 40 * ms, LeastRTT: 40 * ms, RTO: 240 * ms, Outstanding: p.out * segment, Arrived: p.out * segment})
	}
	p.ack(400, 0, 0)
	p.a.Close()
	if got := &s.Times; got[Scheduler] != 0 || got.Sum() != 300*ms {
		t.Errorf("%v", got)
	}
}

// TestSendBuffer: 20 segments leave at once; ACKs come each 2 ms from 40 ms on, and the next
// burst follows the tenth of them within a tenth of a millisecond. From the eighth pause on the
// send buffer is known to be full. An application that writes 1 ms after an ACK is none.
func TestSendBuffer(t *testing.T) {
	for _, late := range []bool{false, true} {
		p := newPlay(t, 1)
		at := int64(100)
		p.send(at, 0, 20)
		for range 20 {
			for i := range int64(10) {
				p.ack(at+40+2*i, 0, 1)
			}
			at += 58
			if late {
				at++
			}
			p.send(at, 0, 10)
		}
		p.a.Close()
		// 20 pauses, of which the first 7 do not tell yet.
		if got := p.subs[0].Times[Window]; late && got != 0 || !late && got < 13*58*ms {
			t.Errorf("late %v: window %d ms", late, got/ms)
		}
	}
}

// TestSums: whatever happens, the times of a subflow add up to the time from its beginning to
// its end, those of the connection to that of the direction, and Changed tells the same times
// without a gap.
func TestSums(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := newPlay(t, 1+r.IntN(4))
		reached, told := map[int]int64{}, make([]Times, len(p.subs))
		p.a.Changed = func(id int, s State, from, to int64) {
			if before, ok := reached[id]; ok && before != from || to <= from {
				t.Fatalf("seed %d: subflow %d: %d to %d after %d", seed, id, from, to, before)
			}
			reached[id] = to
			told[id][s] += to - from
		}
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
		p.a.Close()
		if p.a.first == 0 {
			continue
		}
		end := p.a.last
		if p.out > 0 {
			end = max(end, p.a.sent)
		}
		if got := p.a.Times.Sum(); got != max(0, end-p.a.first) {
			t.Errorf("seed %d: connection %d ns of %d", seed, got, end-p.a.first)
		}
		for i, s := range p.subs {
			until := end
			if s.ended != 0 {
				until = min(end, s.ended)
			}
			if got := s.Times.Sum(); got != max(0, until-p.a.first) || told[i] != s.Times {
				t.Errorf("seed %d: subflow %d %d ns of %d; told %v, %v", seed, i, got, until-p.a.first, told[i], s.Times)
			}
		}
	}
}
