package overlay

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// like returns n values of which each is phi times the one before, and new noise of variance 1.
func like(r *rand.Rand, n int, phi float64) []float64 {
	out := make([]float64, n)
	v := r.NormFloat64() / math.Sqrt(1-phi*phi)
	for i := range out {
		v = phi*v + r.NormFloat64()
		out[i] = v
	}
	return out
}

// intervals correlates pairs of series in 400 cases. It returns how many have an interval, and how many
// of these intervals hold a value.
func intervals(value float64, pair func() (x, y []float64)) (told, held int) {
	for range 400 {
		c, why := Correlate(pair())
		if why != "" {
			continue
		}
		if told++; c.Low <= value && value <= c.High {
			held++
		}
	}
	return told, held
}

// TestInterval: of series that have nothing to do with each other, the interval leaves out 0 in 5 %
// of the cases in which there is one, however alike neighbouring cells are. Of n cases the standard
// deviation of their number is the root of 0.05 * 0.95 * n; the bound is three of them above. Without the correction, it is 66 % at 0.95:
// the variance is (1 + 0.95^2) / (1 - 0.95^2) = 19.5 times as large.
func TestInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, phi := range []float64{0, 0.5, 0.9, 0.95, 0.99} {
		told, held := intervals(0, func() (x, y []float64) { return like(r, 200, phi), like(r, 200, phi) })
		n := float64(told)
		assert.Check(t, float64(told-held) <= 0.05*n+3*math.Sqrt(0.05*0.95*n) && told != 0, "neighbours like %v: %d of %d intervals leave out 0", phi, told-held, told)
	}
}

// TestIntervalHolds: of normal values with correlation 0.6, Spearman's is 6/pi asin(0.3) = 0.582.
// 95 % of the intervals hold it, at least 95 - 3 * 1.1 %.
func TestIntervalHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, phi := range []float64{0, 0.9} {
		_, held := intervals(6/math.Pi*math.Asin(0.3), func() (x, y []float64) {
			x, y = like(r, 300, phi), like(r, 300, phi)
			for i := range y {
				y[i] = 0.6*x[i] + 0.8*y[i]
			}
			return x, y
		})
		assert.Check(t, float64(held) >= (0.95-3*0.011)*400, "neighbours like %v: %d of 400 intervals hold the correlation", phi, held)
	}
}

// TestRho: by hand: ranks of x are 0 to n-1. A series that only grows with x has 1, one that only
// falls has -1, whatever its form.
func TestRho(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x := like(r, 100, 0)
	up, down := make([]float64, 100), make([]float64, 100)
	for i, v := range x {
		up[i], down[i] = math.Exp(v), -v*v*v
	}
	for want, y := range map[float64][]float64{1: up, -1: down} {
		if c, why := Correlate(x, y); why != "" || math.Abs(c.Rho-want) > 1e-12 || c.Lag != 0 || c.Cells != 100 {
			t.Errorf("%+v %s, want %v", c, why, want)
		}
	}
	// Of 0 0 1 1 against 0 1 0 1, 5 times each, mean ranks make the products cancel.
	a, b := slices.Repeat([]float64{0, 0, 1, 1}, 5), slices.Repeat([]float64{0, 1, 0, 1}, 5)
	if c, _ := Correlate(a, b); math.Abs(c.Rho) > 1e-12 || c.Cells != 20 {
		t.Errorf("%+v, want 0 in 20 cells", c)
	}
}

// TestLag: a series that repeats another 3 cells later follows it by 3.
func TestLag(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x := like(r, 203, 0)
	if c, why := Correlate(x[3:], x[:200]); why != "" || c.Lag != 3 || c.AtLag < 0.95 {
		t.Errorf("%+v %s, want a lag of 3", c, why)
	}
	if c, why := Correlate(x[:200], x[3:]); why != "" || c.Lag != -3 || c.AtLag < 0.95 {
		t.Errorf("%+v %s, want a lag of -3", c, why)
	}
}

// TestNoCorrelation: a reason stands where there is none.
func TestNoCorrelation(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	noise, trend, nan := like(r, 100, 0), make([]float64, 100), make([]float64, 100)
	rare := make([]float64, 100)
	for i := range 7 {
		rare[13*i] = 1
	}
	for i := range trend {
		trend[i], nan[i] = float64(i), math.NaN()
	}
	for want, xy := range map[string][2][]float64{
		"too few cells":              {noise[:19], trend[:19]},
		"too few cells with values":  {noise, nan},
		"beside the capture is cons": {make([]float64, 100), noise},
		"the figure is constant":     {noise, make([]float64, 100)},
		"capture has one value":      {rare, noise},
		"figure has one value":       {noise, rare},  // in 93 of 100 cells
		"so alike":                   {trend, trend}, // both grow all the time: that is one observation
	} {
		if c, why := Correlate(xy[0], xy[1]); !strings.Contains(why, want) {
			t.Errorf("%+v %q, want %q", c, why, want)
		}
	}
}
