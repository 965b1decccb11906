package account

import (
	"math/rand/v2"
	"testing"
)

// tooMany is more events than any of these sessions has.
const tooMany = 1 << 30

// TestSweepChangesNothing: an account, at the sender or elsewhere, does not depend on how often its times are
// put together. A rule decides when its condition ends, never while it still may hold.
func TestSweepChangesNothing(t *testing.T) {
	for name, play := range map[string]func(seed uint64, every int) totals{"sender": randomAccount, "elsewhere": randomRemote} {
		for seed := range uint64(300) {
			want := play(seed, tooMany)
			for _, every := range []int{1, 64, 256} {
				if got := play(seed, every); got != want {
					t.Fatalf("%s, seed %d: put together every %d events: %v; once: %v", name, seed, every, got, want)
				}
			}
		}
	}
}

// totals are the times of an account with three subflows.
type totals struct {
	all  Times
	subs [3]Times
}

// randomAccount plays a random sender with three subflows and returns its times.
func randomAccount(seed uint64, every int) (got totals) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	a := &Account{}
	a.every = every
	var subs [3]path
	var changed [3]Times
	var latest [3]int64
	a.Changed = func(id int, s State, from, to int64) {
		if from < latest[id] {
			panic("a state changes back in time")
		}
		latest[id] = to
		changed[id][s] += to - from
	}
	now := ms
	for i := range subs {
		a.Open(i, &subs[i].Subflow, now, &subs[i].ended)
	}
	steps := []int64{0, ms / 10, ms / 10, ms / 2, 3 * ms / 5, ms, 4 * ms, 40 * ms, 300 * ms}
	if seed%10 == 0 {
		steps = append(steps, 3000*ms)
	}
	out := int64(0)
	buffer := []int64{tooMany, 4, 16}[seed%3] // segments that a send buffer holds
	for range 1500 {
		now += steps[rnd.IntN(len(steps))]
		id := rnd.IntN(3)
		s := &subs[id]
		if s.ended != 0 {
			continue
		}
		flight := (s.nxt - s.una) * segment
		switch rnd.IntN(12) {
		case 0, 1, 2, 3, 4:
			for range min(1+int64(rnd.IntN(4)), buffer-out) {
				s.nxt++
				out++
				flight += segment
				a.Data(id, now, &Data{New: true, Bytes: segment - int64(rnd.IntN(2))*segment/2, Nxt: s.nxt * segment, Flight: flight, Segment: segment, Outstanding: out * segment, Full: rnd.IntN(8) == 0})
				now += int64(rnd.IntN(2)) * ms / 20
			}
		case 5:
			if flight > 0 {
				a.Data(id, now, &Data{Copy: true, Bytes: segment, Nxt: s.nxt * segment, Flight: flight, Segment: segment, Outstanding: out * segment})
			}
		case 6:
			a.Answer(id, now)
		case 7:
			a.PeerData(now)
		case 8:
			a.Full(now, rnd.IntN(2) == 0)
			if rnd.IntN(60) == 0 {
				s.ended = now
			}
		default:
			n := int64(rnd.IntN(int(s.nxt-s.una) + 1))
			s.una += n
			out -= n
			head := -1
			if out > 0 {
				head = rnd.IntN(3)
			}
			a.Ack(id, now, &Ack{
				Una: s.una * segment, Nxt: s.nxt * segment, Bytes: n * segment, Flight: (s.nxt - s.una) * segment, SACKs: n == 0 && rnd.IntN(3) == 0, SRTT: (20 + int64(rnd.IntN(40))) * ms,
				LeastRTT: 20 * ms, RTO: 200 * ms, DataAck: n > 0, Outstanding: out * segment, Head: head,
			})
		}
	}
	a.Close()
	got.all = a.Times
	for i := range subs {
		if got.subs[i] = subs[i].Times; got.subs[i] != changed[i] {
			panic("the changes do not add up to the times")
		}
	}
	return got
}

// randomRemote plays a random connection with three subflows away from the sender.
func randomRemote(seed uint64, every int) (got totals) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	r := &Remote{AtReceiver: seed%2 == 0}
	r.every = every
	var subs [3]struct {
		Subflow
		nxt, una, copies, ended int64
	}
	now := ms
	for i := range subs {
		r.Open(i, &subs[i].Subflow, now, &subs[i].ended)
	}
	steps := []int64{0, ms / 10, ms, ms, 4 * ms, 15 * ms, 300 * ms}
	if seed%10 < 2 {
		steps = append(steps, 3000*ms)
	}
	sent, order := int64(0), int64(0)
	for range 1500 {
		now += steps[rnd.IntN(len(steps))]
		id := rnd.IntN(3)
		s := &subs[id]
		switch rnd.IntN(8) {
		case 0, 1, 2, 3:
			for range 1 + rnd.IntN(12) {
				s.nxt++
				sent++
				if rnd.IntN(4) > 0 {
					order = sent
				}
				if rnd.IntN(20) == 0 {
					s.copies++
				}
				now += int64(rnd.IntN(3)) * ms
				r.Data(id, now, &Data{
					New: true, Bytes: segment, Copies: s.copies, Nxt: s.nxt * segment, Hole: rnd.IntN(6) == 0, Segment: segment, DataEnd: sent * segment, RcvNxt: order * segment, SndNxt: sent * segment,
					Outstanding: (sent - order + 1) * segment, SRTT: 40 * ms, LeastRTT: 20 * ms, RTO: 240 * ms, Delay: int64(rnd.IntN(2)) * 10 * ms, Timed: true,
				})
			}
		case 4:
			r.Heard(id, now)
			r.Answer(id, now)
		case 5:
			r.Offered(now, (sent+int64(rnd.IntN(40)))*segment)
		case 6:
			if s.ended == 0 && rnd.IntN(400) == 0 {
				s.ended = now
			}
		default:
			s.una += int64(rnd.IntN(int(s.nxt-s.una) + 1))
			r.Ack(id, now, &Ack{Una: s.una * segment, Nxt: s.nxt * segment, Flight: (s.nxt - s.una) * segment, Hole: rnd.IntN(4) == 0, SACKs: rnd.IntN(6) == 0, RTO: 240 * ms, Outstanding: (sent - order) * segment})
		}
	}
	r.Close()
	got.all = r.Times
	for i := range subs {
		got.subs[i] = subs[i].Times
	}
	return got
}
