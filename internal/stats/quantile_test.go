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
			if got.N != d.N() || got.Min != d.Min() || got.Max != d.Max() {
				t.Errorf("%s, %d values: %+v, want %d from %v to %v", shape.name, n, got, d.N(), d.Min(), d.Max())
			}
			// What is described is added up in ascending order.
			near(t, fmt.Sprintf("%s, %d values, mean", shape.name, n), got.Mean, d.Mean(), 1e-12*max(1, -got.Min, got.Max))
			for i, p := range []float64{got.P50, got.P95, got.P99} {
				near(t, fmt.Sprintf("%s, %d values, quantile %d", shape.name, n, i), p, q[i], 1e-12*max(1, -got.Min, got.Max))
			}
		}
	}
}
