package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Describe against the figures one by one, which TestAgainstGonum holds to
// gonum, of weighted values of every shape and size.
func TestDescribe(t *testing.T) {
	if got := new(Dist).Describe(); got != (Description{}) {
		t.Errorf("of no values: %+v", got)
	}
	for _, shape := range shapes {
		for _, n := range sizes {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			var d Dist
			for range n {
				d.AddWeighted(shape.draw(r), []float64{1, 3, 0.25}[r.IntN(3)])
			}
			got := d.Describe()
			q := d.Quantiles(0.5, 0.95, 0.99)
			want := Description{N: d.N(), Mean: d.Mean(), Stddev: d.Stddev(), Min: d.Min(), Max: d.Max(), P50: got.P50, P95: got.P95, P99: got.P99}
			if got != want {
				t.Errorf("%s, %d values: %+v, want %+v", shape.name, n, got, want)
			}
			// The weights are added up in another order once the values are sorted.
			for i, p := range []float64{got.P50, got.P95, got.P99} {
				near(t, fmt.Sprintf("%s, %d values, quantile %d", shape.name, n, i), p, q[i], 1e-12*max(1, -got.Min, got.Max))
			}
		}
	}
}
