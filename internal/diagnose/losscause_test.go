package diagnose

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// sawtooth makes what a path shows whose queue fills and drains: each second 100 segments whose
// delay grows from 20 to 119 ms. lose says which of them are lost, by their place in the
// second and the delay.
func sawtooth(seconds int, lose func(place int) bool) *lossSeries {
	x := &lossSeries{least: 20e6}
	for i := range 100 * seconds {
		x.segment(int64(i)*10e6, 100e6, int32(20+i%100)*1e3, int64(i)*1000, lose(i%100))
	}
	return x
}

// segment adds a segment at a time, ns, with a delay, µs, after so many bytes. Those that are lost within a
// round trip are one round.
func (x *lossSeries) segment(at, rtt int64, delay int32, bytes int64, lost bool) {
	if !lost {
		x.delays = append(x.delays, symptoms.DelaySample{At: at, Delay: delay, Amount: uint32(bytes / symptoms.AmountUnit)})
		return
	}
	x.copies++
	if n := len(x.rounds); n > 0 && at-x.rounds[n-1].At < rtt {
		x.rounds[n-1].Runs++
		x.rounds[n-1].Segments++
		return
	}
	x.rounds = append(x.rounds, symptoms.LossRound{At: at, Delay: delay, Bytes: bytes, Runs: 1, Segments: 1})
}

// TestCauseOfLosses gives the test series whose cause is known by construction.
func TestCauseOfLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	tests := []struct {
		name string
		x    *lossSeries
		want report.CauseCode
	}{
		{"the queue overflows at its top", sawtooth(6, func(place int) bool { return place >= 95 && place%2 == 1 }), report.CauseQueue},
		{"one overflow of 20 segments", sawtooth(1, func(place int) bool { return place >= 60 && place%2 == 1 }), report.CauseQueue},
		{"two of a hundred, whatever the delay", sawtooth(40, func(int) bool { return rng.IntN(50) == 0 }), report.CauseRandom},
		{"too few of them", sawtooth(3, func(place int) bool { return place == 50 }), report.CauseUnknown},
		{"a token bucket of 3 Mbit/s", bucket(3e6, 15000), report.CausePolicer},
		{"no queue and a rate that varies", noQueue(true), report.CauseRandom},
		{"no queue and a rate that varies, 12 losses", first(12, noQueue(true)), report.CauseRandom},
		{"no queue and a rate that varies, 11 losses", first(11, noQueue(true)), report.CauseUnknown},
		{"no queue and an even rate", noQueue(false), report.CauseUnknown},
		{"the link was down", &lossSeries{copies: 50, down: 40}, report.CauseLinkDown},
		{"a few of many while it was down", &lossSeries{copies: 50, down: 9}, report.CauseUnknown},
		{"nothing known", &lossSeries{copies: 50}, report.CauseUnknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := test.x.test()
			assert.Check(t, got.cause == test.want && (len(got.remain) > 0) == (test.want == report.CauseUnknown), "%+v, want %s", got, test.want)
		})
	}
}

// first leaves the first n round trips with losses, without those of the longest delay: with so few, these alone would raise the mean
// rank too much.
func first(n int, x *lossSeries) *lossSeries {
	x.rounds = slices.DeleteFunc(x.rounds, func(r symptoms.LossRound) bool { return r.Delay >= 40e3+450 })[:n]
	return x
}

// TestDistanceOfRanks: 25 losses whose ranks are even from 0 to 1-s lie s + (1-s)/50 from uniform ones: times 5, the root of their
// number, that is 1.35 for 0.2551, and 1.37 for 0.2592. The bound of Kolmogorov and Smirnov is 1.36 at 5 %.
func TestDistanceOfRanks(t *testing.T) {
	for s, want := range map[float64]bool{0.2551: true, 0.2592: false} {
		x := &lossSeries{}
		for i := range int32(1001) {
			x.sorted = append(x.sorted, 10*i)
		}
		for i := range 25 {
			rank := (float64(i) + 0.5) / 25 * (1 - s)
			x.ranks, x.rounds = append(x.ranks, rank), append(x.rounds, symptoms.LossRound{Delay: int32(10_000 * rank), Segments: 1, Runs: 1})
		}
		assert.Check(t, x.independent(measured(x)) == want, "%g: %g times the root", s, 5*x.distance())
	}
}

// measured returns the figures of a test.
func measured(x *lossSeries) *lossTest {
	t := &lossTest{}
	x.measure(t)
	return t
}

// TestSomeRoundsOfAQueue: of 25 round trips with even delays, which losses of any cause have, the three of the longest delays lost 20
// runs of 2 segments each, and the others one segment. These 60 of 82 runs had a mean rank of 0.94, all 0.81: a queue may have dropped them.
func TestSomeRoundsOfAQueue(t *testing.T) {
	for _, runs := range []int64{1, 20} {
		x := &lossSeries{}
		for i := range int32(1001) {
			x.sorted = append(x.sorted, 10*i)
		}
		for i := range 25 {
			rank, r := (float64(i)+0.5)/25, symptoms.LossRound{Segments: 1, Runs: 1}
			if r.Delay = int32(10_000 * rank); i >= 22 {
				r.Runs, r.Segments = runs, 2*runs
			}
			x.ranks, x.rounds = append(x.ranks, rank), append(x.rounds, r)
		}
		assert.Check(t, x.independent(measured(x)) == (runs == 1), "%d runs", runs)
	}
}

// bucket makes what a path shows whose segments of 1250 bytes pass a token bucket of a rate and a
// depth. The sender raises its rate by a tenth every 100 ms, and halves it when it loses.
func bucket(bps, depth float64) *lossSeries {
	x := &lossSeries{least: 40e6}
	tokens, rate, at, bytes := depth, 1e6, 0.0, int64(0)
	nextRaise, reacted := 0.1, -1.0
	for at < 60 {
		step := 1250 * 8 / rate
		at += step
		tokens = min(depth, tokens+bps/8*step)
		lost := tokens < 1250
		if !lost {
			tokens -= 1250
			bytes += 1250
		} else if reacted < 0 {
			reacted = at + 0.04
		}
		x.segment(int64(at*1e9), 40e6, 40e3, bytes, lost)
		if at >= nextRaise {
			rate, nextRaise = rate*1.1, at+0.1
		}
		if reacted > 0 && at >= reacted {
			rate, reacted = rate/2, -1
		}
	}
	return x
}

// noQueue makes a path without a queue that loses a segment each second, at an even rate
// or at one that doubles every second second.
func noQueue(varies bool) *lossSeries {
	x := &lossSeries{least: 40e6}
	bytes := int64(0)
	for i := range 30 {
		for k := range 20 {
			bytes += 5000
			if varies && i%2 == 1 {
				bytes += 10000
			}
			x.segment(int64(i)*1e9+int64(k)*50e6, 40e6, 40e3+int32((7*k+3*i)%10)*50, bytes, false)
		}
		x.segment(int64(i+1)*1e9, 40e6, 40e3+int32(i%10)*50, bytes, true)
	}
	return x
}

// TestChanceOfRank: one uniform number is above 0.99 in 1 of 100, the sum of what two lack of 1 is
// at most 0.2 in 0.2²/2, that of three at most 1.5 in half.
func TestChanceOfRank(t *testing.T) {
	for _, c := range []struct {
		s    float64
		n    int
		want float64
	}{{0.01, 1, 0.01}, {0.2, 2, 0.02}, {1.5, 3, 0.5}, {0, 5, 0}, {5, 5, 1}} {
		if got := irwinHall(c.s, c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("sum of %d at most %g: %g, want %g", c.n, c.s, got, c.want)
		}
	}
}

// TestClockDriftIsLevelled: a clock that gains 50 ppm adds 5 ms in 100 s; a step of the
// delay by 50 ms in 10 s is no drift.
func TestClockDriftIsLevelled(t *testing.T) {
	series := func(perS float64) *lossSeries {
		x := &lossSeries{rounds: []symptoms.LossRound{{At: 90e9, Delay: int32(90 * perS)}}}
		for i := range 100 {
			x.delays = append(x.delays, symptoms.DelaySample{At: int64(i) * 1e9, Delay: int32(float64(i) * perS)})
		}
		return x
	}
	for perS, want := range map[float64]int32{50: 0, 5000: 450000} { // µs
		x := series(perS)
		if x.level(); x.rounds[0].Delay != want {
			t.Errorf("%g µs each second: %d µs, want %d", perS, x.rounds[0].Delay, want)
		}
	}
}

// TestCauseOfPair: what one capture showed of the cause stays when losses are counted by two
// captures.
func TestCauseOfPair(t *testing.T) {
	queue := &lossTest{cause: report.CauseQueue, rounds: 3, runs: 9, rank: 0.95, p: 1e-5, above: 80, delivered: 7.5}
	down := &lossTest{cause: report.CauseLinkDown, copies: 51, down: 50}
	queue.figures, down.figures = queue.proofs(), down.proofs()
	inDoubt := *queue
	inDoubt.unproven = 20
	for _, x := range []struct {
		test      *lossTest
		before    int64 // dropped by the host that sends, of 50
		host      *report.Side
		certainty report.Certainty
	}{
		{queue, 0, nil, report.Likely},
		{&inDoubt, 0, nil, report.Likely},
		{down, 24, nil, report.Certain},
		{untested(), 25, new(report.SideA), report.Certain},
	} {
		drops := &report.Drops{Count: 50, BeforeCapture: &x.before, Percent: new(5.0), Evidence: report.Inferred}
		c := report.Connection{
			DurationS: 10, A2B: &report.ConnDir{Bytes: new(int64(1e6))}, B2A: &report.ConnDir{},
			Subflows: report.List[report.Subflow]{{A2B: &report.SubDir{Drops: drops}, B2A: &report.SubDir{}}},
		}
		before := lossy(&c, conn.A, map[int]*lossTest{0: x.test})
		assert.Check(t, (named(&before[0], "most") != nil) == (x.test.unproven > 0), "what no ACK proves: %+v", before)
		c.Verdicts = new(report.List[report.Verdict](slices.Clone(before)))
		drops.Evidence = report.Matched
		judgeLossesAgain(&c)
		after := *c.Verdicts
		assert.Assert(t, len(before) == 1 && len(after) == 1 && parameter(&after[0], "counted").Text == string(report.Matched), "%+v, then %+v", before, after)
		want, got := lossy(&c, conn.A, map[int]*lossTest{0: {cause: x.test.cause, remain: x.test.remain, figures: x.test.figures}})[0], after[0]
		assert.Check(t, reflect.DeepEqual(got, want), "%+v, want %+v", got, want)
		if got.Cause.Code != x.test.cause || !reflect.DeepEqual(got.Cause.Host, x.host) || got.Certainty != x.certainty {
			t.Errorf("cause %+v, %s, want %s, %v, %s", got.Cause, got.Certainty, x.test.cause, x.host, x.certainty)
		}
	}
}
