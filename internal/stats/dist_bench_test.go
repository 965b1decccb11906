package stats

import (
	"math/rand/v2"
	"testing"
)

// samples are round-trip times in milliseconds as a bulk transfer shows them.
func samples() []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, 4096)
	for i := range v {
		v[i] = 40 + 10*r.ExpFloat64()
	}
	return v
}

func BenchmarkDistAdd(b *testing.B) {
	v := samples()
	var d Dist
	for _, x := range v {
		d.Add(x)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.Add(v[i%len(v)])
	}
}

func BenchmarkDistAddWeighted(b *testing.B) {
	v := samples()
	var d Dist
	for _, x := range v {
		d.Add(x)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.AddWeighted(v[i%len(v)], 1448)
	}
}

func BenchmarkDistQuantiles(b *testing.B) {
	v := samples()
	for name, n := range map[string]int{"exact": 1000, "histogram": 4096} {
		b.Run(name, func(b *testing.B) {
			var d Dist
			for _, x := range v[:n] {
				d.Add(x)
			}
			b.ReportAllocs()
			for b.Loop() {
				d.Quantiles(0.5, 0.95, 0.99)
			}
		})
	}
}
