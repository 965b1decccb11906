package metrics

import (
	"math"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// naiveDSR computes the formula directly: the moving average of all rounds, and the
// weighted mean of its latest eight values.
func naiveDSR(rounds []float64) (out []float64) {
	weights := []float64{1. / 6, 1. / 6, 1. / 6, 1. / 6, 2. / 15, 1. / 10, 1. / 15, 1. / 30}
	var averages []float64
	for k, v := range rounds {
		if k > 0 {
			v = 0.5*averages[k-1] + 0.5*v
		}
		averages = append(averages, v)
		sum, total := 0.0, 0.0
		for j := 0; j < len(weights) && j <= k; j++ {
			sum += weights[j] * averages[k-j]
			total += weights[j]
		}
		out = append(out, sum/total)
	}
	return out
}

// TestDSRChanges: rounds of 20 ms with 20, 10, 0, 0, 5 and then twelve times 20
// segments of 1000 bytes.
func TestDSRChanges(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	counts := []int{20, 10, 0, 0, 5}
	for range 12 {
		counts = append(counts, 20)
	}
	offset := int64(0)
	var rounds []float64
	for k, n := range counts {
		for i := range n {
			acked(f, time.Duration(100+20*k+i)*msec, offset, 1000)
			offset += 1000
		}
		rounds = append(rounds, float64(n)*1000*8/20e3)
	}
	acked(f, time.Duration(100+20*len(counts))*msec, offset, 1000) // ends the last round
	m := measure(t, s, tracegen.HostB, Config{Interval: 100 * msec})
	got, times := m.series(seriesDSR, 0, conn.A)
	want := naiveDSR(rounds)
	assert.Assert(t, len(got) == len(want), "%d rounds, want %d", len(got), len(want))
	for k := range want {
		near(t, "dsr", got[k], want[k])
		if end := time.Duration(100+20*(k+1)) * msec; times[k] != end {
			t.Errorf("round %d ends at %v, want %v", k, times[k], end)
		}
	}
}

// TestDSRForgets: after a day of silence the rate is 0. The silent rounds count, and their
// values in the series are bounded.
func TestDSRForgets(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	for i := range 100 {
		acked(f, time.Duration(100+i)*msec, int64(1000*i), 1000)
	}
	acked(f, 24*time.Hour+100*msec, 100_000, 1000)
	m := measure(t, s, tracegen.HostB, Config{Interval: time.Hour})
	d := m.Subs[0].Dir(conn.A)
	if n := d.DSR().Rates.N(); n != int64(24*time.Hour/(20*msec)) {
		t.Errorf("%d rounds, want %d", n, 24*time.Hour/(20*msec))
	}
	near(t, "rate in the end", d.DSR().rate, 0)
	// Of the five rounds of the first 100 ms the last is ended by the late packet.
	values, times := m.series(seriesDSR, 0, conn.A)
	assert.Assert(t, len(values) == 4+maxIdleRounds+2, "%d values in the series, want %d", len(values), 4+maxIdleRounds+2)
	for k, at := range times[:4+maxIdleRounds] {
		want := time.Duration(120+20*k) * msec
		assert.Assert(t, at == want, "round %d ends at %v, want %v", k, at, want)
	}
	if least := math.Ldexp(8, -64+len(tear)); maxIdleRounds < 64 || least > 1e-15 {
		t.Errorf("a rate of %v would be cut off", least)
	}
}

// TestDSRLooksAhead: the rate at a later time is what the rounds would give; asking for it
// ends no round.
func TestDSRLooksAhead(t *testing.T) {
	r := DSR{rounds: rounds{start: 0, end: 1000, bytes: 1000}}
	r.finish() // 8000 bit in 1000 ns
	r.start, r.end = 1000, 2000
	before := r.rounds
	want := naiveDSR([]float64{8000, 0, 0, 0})
	for i, v := range want {
		near(t, "rate", r.at(int64(1000*(i+1))), v)
	}
	assert.Check(t, r.rounds == before, "looking changed the rounds")
}
