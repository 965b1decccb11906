package clock

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// shapes are what the delays of a path do above the least one, ms, packet after
// packet.
var shapes = []struct {
	name string
	next func(r *rand.Rand, i int, queue float64) float64
}{
	{"interrupts", func(*rand.Rand, int, float64) float64 { return 0 }},
	{"a queue half of the time", func(r *rand.Rand, i int, _ float64) float64 { return float64(i/50%2) * 40 * r.Float64() }},
	{"a queue that fills and drains", func(r *rand.Rand, _ int, queue float64) float64 { return max(0, queue+0.2*r.NormFloat64()) }},
}

// certain returns in how many of n synthetic sessions of 10 s over two paths
// the true drift, up to 100 ppm, lies within the stated uncertainty.
func certain(n int, next func(*rand.Rand, int, float64) float64) (covered int) {
	r := rand.New(rand.NewPCG(7, 8))
	for range n {
		ppm := 200*r.Float64() - 100
		e := New(0, false)
		for path := range 2 {
			p := e.NewPath([2][16]byte{0: {byte(path)}})
			for from := range p.dirs {
				queue := 0.0
				for i := range 600 {
					at := float64(i) / 60
					queue = next(r, i, queue)
					d := float64(20*(path+1)) + queue + 0.03*r.ExpFloat64() + End(from).sign()*ppm/1e3*at
					w := &p.dirs[from].plainAcks
					w.readings = append(w.readings, reading{int64(at * 1e9), int64(d * 1e6)})
				}
			}
		}
		if d := e.drift(Drift, &step{}, 0); math.Abs(d.ppm-ppm) <= d.uncertainty {
			covered++
		}
	}
	return covered
}

// TestCertain: what is stated holds in 95 % of sessions.
func TestCertain(t *testing.T) {
	const n = 400
	for _, s := range shapes {
		if got := certain(n, s.next); got < n*95/100 {
			t.Errorf("%s: the drift is within the stated uncertainty in %d of %d sessions", s.name, got, n)
		}
	}
}

// TestCommonRate: a series that contradicts the others is left out, and so is a
// slope that no clock has; series that differ by more than they claim make the
// mean less sure.
func TestCommonRate(t *testing.T) {
	one, other := slope{0.08, 0.001}, slope{0.08, 0.001}
	odd, queue := slope{0.3, 0.01}, slope{30, 0.0001}
	r := commonRate([]slope{one, odd, other, queue})
	assert.Check(t, math.Abs(r.gain-0.08) <= 1e-9 && math.Abs(r.sigma-0.001/math.Sqrt2) <= 1e-9, "%+v", r)
	apart := slope{0.084, 0.001} // 4 standard errors apart
	if r := commonRate([]slope{one, apart}); math.Abs(r.gain-0.082) > 1e-9 || math.Abs(r.sigma-0.002) > 1e-9 {
		t.Errorf("%+v, want 0.082 with 0.001/sqrt(2) times sqrt(8)", r)
	}
	if r := commonRate(nil); !math.IsInf(r.sigma, 1) {
		t.Errorf("%+v of nothing", r)
	}
}

// TestOppositeDirections: a lead that grows by 80 ppm is in the delays of one
// direction and out of those of the other one.
func TestOppositeDirections(t *testing.T) {
	e := New(0, false)
	p := e.NewPath([2][16]byte{})
	for i := range int64(2000) {
		now := 1e9 + i*5e6
		p.FullSized(AtSender, now, 20e6+i*400)
		p.FullSized(AtReceiver, now, 20e6-i*400)
	}
	if r, span := e.delayRate(&step{}); math.Abs(r.gain-0.08) > 1e-3 || span < 9 {
		t.Errorf("%+v over %v s, want 0.08 ms/s over nearly 10", r, span)
	}
}
