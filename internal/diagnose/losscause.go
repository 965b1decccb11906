package diagnose

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// The bounds of the test for the cause of losses.
const (
	causeByChance  = 0.001       // probability of the mean rank by chance, where each run of lost segments counts
	roundsByChance = 0.1         // the same, where each round trip with losses counts
	highRank       = 0.75        // mean rank from which losses come with long delays
	nearMost       = 0.6         // part of the range of delays that these losses exceed
	fullRank       = 0.9         // rank of the longest delays, which a full queue makes
	anyRank        = 0.65        // the mean rank of random losses is below this, at 99 % confidence
	ksBound        = 1.36        // Kolmogorov-Smirnov at 5 %, times the root of the number
	someShort      = 0.1         // part of the losses of a full queue whose delay may look shorter than half the range
	randomRounds   = 12          // round trips with losses that a random cause needs
	plateauRounds  = 9           // and those that a rate from loss to loss needs
	steadyRate     = 0.1         // spread of the rate from loss to loss of a policer
	unsteadyRate   = 0.25        // and the spread from which there is none, at the receiver: at the sender the times of ACKs add to it
	burstLosses    = 2           // segments that a policer drops in a round trip, mean
	delaySamples   = 20          // samples that a rank needs
	standingQueue  = 2e6         // ns: delays above the least by this and a tenth of the round trip show a queue
	leastQueue     = 2 * 1.5 * 8 // kbit: a queue holds two packets, which take that by the rate, Mbit/s, in ms
	sureDeviation  = 2.326
)

// lossTest is what the delays around the losses of a path show about their cause.
type lossTest struct {
	cause  report.CauseCode
	remain []report.CauseCode // the causes that are not excluded beside it

	unproven     int64   // lost segments that may have arrived: see [subflow.Sender.UnprovenSegments]
	copies, down float64 // copies of segments, and those of them lost while nothing of the path came through
	rounds, runs float64 // round trips in which segments were lost, and runs of consecutive lost segments; 0 where no delay is known
	rank, p      float64 // mean rank of the delays around the runs among all, 0 to 1, and the probability that chance gives that or more
	above        float64 // mean of the delays around the runs above the least, ms
	median       float64 // the same, median over the round trips with losses
	between      float64 // rate from loss to loss, Mbit/s; 0 where there are too few losses
	spread       float64 // its standard deviation as a part of it; valid with between
	delivered    float64 // most that was acknowledged over a second or longer, Mbit/s; 0 where it is not known
	figures      []fact  // the proofs of these figures
}

// lossTests tests the losses of each subflow in a direction.
func (j *judge) lossTests(from conn.Side) map[int]*lossTest {
	tests := map[int]*lossTest{}
	for i, s := range j.subflows() {
		d := j.subDir(i, from)
		l := &s.Path(from).Losses
		if d == nil || d.Drops == nil || d.Drops.Count == 0 {
			continue
		}
		role := j.m.Role(from)
		if role != metrics.Sender && role != metrics.Receiver {
			continue // nothing is known of the delays
		}
		x := lossSeries{delays: l.Delays(), rounds: l.Rounds(), copies: l.Copies, down: l.LostWhileDown(), maybeDown: l.MaybeDown(), atSender: role == metrics.Sender}
		if role == metrics.Receiver {
			x.level()
		}
		if d.RTT != nil {
			x.least = d.RTT.Min * 1e6
		}
		t := x.test()
		t.delivered, _ = s.Path(from).DeliveredRate()
		if role == metrics.Sender {
			t.unproven = s.Sub.Senders[from].UnprovenSegments()
		}
		t.figures = t.proofs()
		if n := d.Drops; dropsHost(n, from) != nil || l.Copies > 2*n.Count+10 || n.Unresolved >= n.Count {
			// No delay includes the queue of the host that sends. Copies that were not needed
			// show no losses. And what was never acknowledged may have another cause.
			t.cause, t.remain = report.CauseUnknown, anyCause()
		}
		tests[i] = t
	}
	return tests
}

// lossSeries is what a path shows about its losses.
type lossSeries struct {
	delays       []symptoms.DelaySample
	rounds       []symptoms.LossRound
	copies, down int64
	maybeDown    bool
	atSender     bool
	least        float64 // round trip, ns; 0 where it is not known

	sorted []int32 // the delays, µs
	ranks  []float64
}

// test finds the cause: one that has evidence for it, while the evidence excludes the
// others.
func (x *lossSeries) test() *lossTest {
	t := &lossTest{cause: report.CauseUnknown, copies: float64(x.copies), down: float64(x.down), spread: -1}
	if x.down >= symptoms.DownSegments && 2*x.down >= x.copies {
		t.cause = report.CauseLinkDown
		return t
	}
	if t.remain = anyCause(); x.down == 0 && !x.maybeDown {
		t.remain = t.remain[:3] // the link was not down
	}
	if len(x.delays) < delaySamples || len(x.rounds) == 0 {
		return t
	}
	x.rank()
	x.measure(t)
	x.decide(t)
	return t
}

// clockOff is by how much the clocks of two hosts run differently at most.
const clockOff = 200e-6

// level removes what the clocks of the two hosts run apart, as the least delays of the
// first and of the last third show it. More than clocks do is no drift but the network.
func (x *lossSeries) level() {
	n := len(x.delays)
	if n < delaySamples {
		return
	}
	least := func(in []symptoms.DelaySample) symptoms.DelaySample {
		return slices.MinFunc(in, func(a, b symptoms.DelaySample) int { return cmp.Compare(a.Delay, b.Delay) })
	}
	a, b := least(x.delays[:n/3]), least(x.delays[n-n/3:])
	drift := float64(b.Delay-a.Delay) * 1e3 / float64(max(1, b.At-a.At))
	if math.Abs(drift) > clockOff {
		return
	}
	x.delays, x.rounds = slices.Clone(x.delays), slices.Clone(x.rounds)
	for i := range x.delays {
		x.delays[i].Delay -= int32(drift * float64(x.delays[i].At-a.At) / 1e3)
	}
	for i := range x.rounds {
		x.rounds[i].Delay -= int32(drift * float64(x.rounds[i].At-a.At) / 1e3)
	}
}

// rank sorts the delays, and finds the rank of each round.
func (x *lossSeries) rank() {
	for _, d := range x.delays {
		x.sorted = append(x.sorted, d.Delay)
	}
	slices.Sort(x.sorted)
	n := len(x.sorted)
	for _, r := range x.rounds {
		below, _ := slices.BinarySearch(x.sorted, r.Delay)
		upTo, _ := slices.BinarySearch(x.sorted, r.Delay+1)
		x.ranks = append(x.ranks, float64(below+upTo)/2/float64(n))
	}
}

// height returns a delay above the least one, ms.
func (x *lossSeries) height(delay int32) float64 { return max(0, float64(delay-x.sorted[0])/1e3) }

// quantile returns a quantile of the delays above the least, ms.
func (x *lossSeries) quantile(q float64) float64 {
	return x.height(x.sorted[int(q*float64(len(x.sorted)-1))])
}

// measure sets the figures of the test.
func (x *lossSeries) measure(t *lossTest) {
	var above []float64
	for i, r := range x.rounds {
		h := x.height(r.Delay)
		above = append(above, h)
		t.runs += float64(r.Runs)
		t.rank += float64(r.Runs) * x.ranks[i]
		t.above += float64(r.Runs) * h
	}
	t.rounds = float64(len(x.rounds))
	t.rank /= t.runs
	t.above /= t.runs
	t.p = x.chance(t.rank, t.runs)
	slices.Sort(above)
	t.median = above[len(above)/2]
	if len(x.rounds) >= plateauRounds {
		t.between, t.spread = spread(len(x.rounds), func(i int) (int64, float64) {
			return x.rounds[i].At - x.rounds[i-1].At, float64(x.rounds[i].Bytes - x.rounds[i-1].Bytes)
		})
	}
}

// chance returns the probability that n random delays have at least that mean rank. The
// rank of a random delay is uniform from 0 to 1: with few of them the sum of what they
// lack has the distribution of Irwin and Hall, with many a normal one.
func (x *lossSeries) chance(rank, n float64) float64 {
	if n <= 10 {
		return irwinHall(n*(1-rank), int(n))
	}
	return math.Erfc((rank-0.5)/x.deviation(n)/math.Sqrt2) / 2
}

// deviation returns the standard deviation of the mean rank of n random delays.
func (x *lossSeries) deviation(n float64) float64 {
	return math.Sqrt((1/n + 1/float64(len(x.sorted))) / 12)
}

// irwinHall returns the probability that the sum of n uniform numbers is at most s.
func irwinHall(s float64, n int) (p float64) {
	term := 1.0 // (-1)^k C(n,k) / n!
	for k := 2; k <= n; k++ {
		term /= float64(k)
	}
	for k := 0; float64(k) < s && k <= n; k++ {
		p += term * math.Pow(s-float64(k), float64(n))
		term *= -float64(n-k) / float64(k+1)
	}
	return min(1, max(0, p))
}

// spread returns the mean rate of a series from one place to the next, Mbit/s, and its
// standard deviation as a part of it, both weighted by time; -1 where there is none. step
// returns the time and the bytes from the place before to place i.
func spread(n int, step func(i int) (ns int64, bytes float64)) (mean, relative float64) {
	var time, bytes, squares float64
	for i := 1; i < n; i++ {
		if ns, b := step(i); ns > 0 {
			time, bytes, squares = time+float64(ns), bytes+b, squares+b*b/float64(ns)
		}
	}
	if time == 0 || bytes == 0 {
		return 0, -1
	}
	rate := bytes / time
	return rate * 8e3, math.Sqrt(max(0, squares/time-rate*rate)) / rate
}

// decide sets the cause and what remains.
func (x *lossSeries) decide(t *lossTest) {
	queue := math.Max(standingQueue, x.least/10) / 1e6 // ms
	short := len(x.rounds) >= plateauRounds && t.median < queue
	plateau := len(x.rounds) >= plateauRounds && t.between > 0 && t.spread <= steadyRate && x.regulated(t)
	notRandom := t.rank >= highRank && t.p < causeByChance && x.byRounds(t) < roundsByChance && t.above >= queue
	notPolicer := !plateau && t.median >= queue && t.median*t.between >= leastQueue || !x.atSender && t.spread > unsteadyRate
	empty := short && (x.quantile(0.75) < queue && t.p >= causeByChance || t.between > 0 && t.median*t.between < leastQueue)
	notQueue := empty || x.independent(t)
	switch {
	case notRandom && !plateau && t.median >= max(queue, t.above/2) && t.above >= nearMost*x.quantile(0.99):
		t.cause = report.CauseQueue
	case x.independent(t) && notPolicer && len(x.rounds) >= randomRounds:
		t.cause = report.CauseRandom
	case empty && plateau:
		t.cause = report.CausePolicer
	default:
		excluded := map[report.CauseCode]bool{report.CauseQueue: notQueue, report.CauseRandom: notRandom, report.CausePolicer: notPolicer}
		if t.remain = slices.DeleteFunc(t.remain, func(c report.CauseCode) bool { return excluded[c] }); len(t.remain) == 0 {
			t.remain = []report.CauseCode{report.CauseQueue, report.CauseRandom} // none explains all of them: it may be both
		}
		return
	}
	t.remain = nil
}

// byRounds returns the probability of the mean rank by chance where what was lost in one
// round trip had one cause. The number of rounds is that of equal ones (Kish).
func (x *lossSeries) byRounds(t *lossTest) float64 {
	squares := 0.0
	for _, r := range x.rounds {
		squares += float64(r.Runs * r.Runs)
	}
	n := t.runs * t.runs / squares
	return math.Erfc((t.rank-0.5)/x.deviation(n)/math.Sqrt2) / 2
}

// independent reports whether losses come with the delays that all segments have: their
// mean rank is not high, their ranks are spread as chance spreads them, and many of them
// come while the delay is less than half of its range, which no full queue allows. And no few round trips
// hold most of the losses, as where a queue overflowed: the runs of lost segments do not come with long
// delays, and fewer than half of the lost segments come with the longest ones.
func (x *lossSeries) independent(t *lossTest) bool {
	n := float64(len(x.ranks))
	mean, short, lost, high := 0.0, 0.0, 0.0, 0.0
	for i, r := range x.rounds {
		mean += x.ranks[i] / n
		if lost += float64(r.Segments); x.ranks[i] >= fullRank {
			high += float64(r.Segments)
		}
		if x.height(r.Delay) < x.quantile(0.95)/2 {
			short++
		}
	}
	return mean+sureDeviation*x.deviation(n) < anyRank && x.byRounds(t) >= roundsByChance && 2*high < lost && x.distance()*math.Sqrt(n) < ksBound &&
		short > someShort*n+sureDeviation*math.Sqrt(someShort*(1-someShort)*n)
}

// distance returns the largest difference between the distribution of the ranks and the
// uniform one (Kolmogorov and Smirnov).
func (x *lossSeries) distance() (d float64) {
	ranks := slices.Clone(x.ranks)
	slices.Sort(ranks)
	n := float64(len(ranks))
	for i, r := range ranks {
		d = max(d, float64(i+1)/n-r, r-float64(i)/n)
	}
	return d
}

// regulated reports whether something holds the rate from loss to loss, and not the
// sender: over spans of the same number the rate spreads twice as much, and a round trip
// with losses has several.
func (x *lossSeries) regulated(t *lossTest) bool {
	first, last := x.rounds[0].At, x.rounds[len(x.rounds)-1].At
	var within []symptoms.DelaySample
	lost := 0.0
	for _, r := range x.rounds {
		lost += float64(r.Segments)
	}
	for _, d := range x.delays {
		if d.At >= first && d.At <= last {
			within = append(within, d)
		}
	}
	step := max(1, len(within)/(4*len(x.rounds)))
	_, free := spread(len(within)/step, func(i int) (int64, float64) {
		a, b := &within[(i-1)*step], &within[i*step]
		return b.At - a.At, float64(b.Amount-a.Amount) * symptoms.AmountUnit
	})
	return free >= max(2*t.spread, steadyRate) && lost >= burstLosses*t.rounds
}

// untested is a test that excludes nothing.
func untested() *lossTest { return &lossTest{cause: report.CauseUnknown, remain: anyCause()} }

func anyCause() []report.CauseCode {
	return []report.CauseCode{report.CauseQueue, report.CauseRandom, report.CausePolicer, report.CauseLinkDown}
}

// proofs returns the figures of the test that are known, which a verdict has as evidence.
func (t *lossTest) proofs() []fact {
	delays, rates, down := t.rounds > 0, t.between > 0, t.down > 0
	return []fact{
		only(delays, number("rank", "mean rank of the delays at losses among all delays", t.rank, "ratio")),
		only(delays, number("p", "probability of such a rank by chance", t.p, "ratio")),
		only(delays, number("above", "delay at losses above the least, mean", t.above, "ms")),
		only(delays, number("rounds", "round trips with losses", t.rounds, "count")),
		only(delays, number("runs", "runs of lost segments", t.runs, "count")),
		only(rates, number("between", "rate from loss to loss", t.between, "Mbit/s")),
		only(rates, number("spread", "its standard deviation as a part of it", t.spread, "ratio")),
		only(down, number("copies", "copies of lost segments", t.copies, "segments")),
		only(down, number("down", "lost while nothing came through", t.down, "segments")),
		only(t.delivered != 0, number("delivered", "acknowledged at most over a second or longer", t.delivered, "Mbit/s")),
	}
}

// enter enters into a verdict on the losses of a path the cause that the test found, the causes that it
// does not exclude, its figures that are known, and what to do.
func (t *lossTest) enter(v *report.Verdict, d *report.Drops, from conn.Side) {
	host := dropsHost(d, from)
	v.Cause = &report.Cause{Code: t.cause, Host: host}
	do := t.cause
	if host != nil {
		do = "host"
	}
	enter(v, word("tested", string(t.cause)), word("advice", string(do)))
	for _, c := range t.remain {
		v.Alternatives = append(v.Alternatives, report.Cause{Code: c, Host: host})
		enter(v, word("remains", string(c)))
	}
	enter(v, t.figures...)
}

// testOf returns the test that a verdict on losses has.
func testOf(v *report.Verdict) *lossTest {
	t := &lossTest{cause: v.Cause.Code}
	for _, a := range v.Alternatives {
		t.remain = append(t.remain, a.Code)
	}
	for _, p := range v.Evidence {
		if p.Name != "" && !slices.Contains([]string{"drops", "percent", "most", "before"}, p.Name) {
			t.figures = append(t.figures, fact{Proof: p})
		}
	}
	return t
}
