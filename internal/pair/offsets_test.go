package pair

import (
	"math"
	"slices"
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// year is an offset far beyond any real one.
const year = 365 * 24 * time.Hour

// offsets are offsets of the receiver's clock.
var offsets = []time.Duration{
	0, 360 * msec, -360 * msec, 10 * time.Second, -10 * time.Second,
	100 * time.Second, -100 * time.Second, year, -year,
}

// TestOffsetsLeaveDelays: 2000 packets, too many to be kept one by one, take 10 to 90 ms,
// while a queue fills and empties. Whatever the offset of the receiver's clock, their
// percentiles are those of the delays to 1/256. Among offsets they are equal to 0.1 us, the
// precision of a year in milliseconds.
func TestOffsetsLeaveDelays(t *testing.T) {
	const n = 2000
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(1))
	f.Open(0)
	delays := make([]float64, n)
	for i := range delays {
		late := time.Duration(n/2-abs(int64(n/2-i))) * 80 * time.Microsecond
		f.Data(tracegen.A2B, 100*msec+time.Duration(i)*msec, int64(i*size), size).Late(late)
		delays[i] = 10 + ms(int64(late))
	}
	slices.Sort(delays)
	whole := capture2(s)
	first := map[string]stats.Description{}
	for _, lead := range offsets {
		v := views{whole[AtSender], slices.Clone(whole[AtReceiver])}
		v.shift(func(time.Duration) time.Duration { return lead })
		p := match(t, v, Options{RoughLead: int64(lead + 25*msec), CorrectDrift: true})
		k := p.Clock(clock.Auto)
		_, d := one(t, p)
		_, conns := p.Results()
		for name, of := range map[string]*clock.Delays{"one-way": &d.OWD, "end to end": &conns[0].Dirs[conn.A].Delivery} {
			got := described(&k, of)
			for _, q := range []struct{ p, got float64 }{{0.5, got.P50}, {0.95, got.P95}, {0.99, got.P99}, {0, got.Min}, {1, got.Max}} {
				at := q.p * (n - 1)
				want := delays[int(at)]
				if i := int(at); i+1 < n {
					want += (at - float64(i)) * (delays[i+1] - want)
				}
				if math.Abs(q.got-want) > want/256 {
					t.Errorf("lead %v, %s: quantile %v is %v ms, want %v", lead, name, q.p, q.got, want)
				}
			}
			if lead == 0 {
				first[name] = got
			}
			was := first[name]
			for i, x := range []float64{got.Mean - was.Mean, got.Stddev - was.Stddev, got.Min - was.Min, got.P50 - was.P50, got.P99 - was.P99} {
				if math.Abs(x) > 1e-4 {
					t.Errorf("lead %v, %s: figure %d differs by %v ms from that without", lead, name, i, x)
				}
			}
		}
	}
}

// described returns the figures of delays, corrected for the clocks.
func described(k *clock.Estimate, d *clock.Delays) stats.Description {
	dist, shift := k.Correct(d)
	x := dist.Describe()
	for _, v := range []*float64{&x.Mean, &x.Min, &x.Max, &x.P50, &x.P95, &x.P99} {
		*v += shift
	}
	return x
}
