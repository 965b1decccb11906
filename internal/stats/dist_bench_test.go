package stats

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkDist adds round-trip times in milliseconds as a bulk transfer shows them, and asks for
// percentiles of few and of many.
func BenchmarkDist(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, 4096)
	var few, many Dist
	for i := range v {
		v[i] = 40 + 10*r.ExpFloat64()
		if many.Add(v[i]); i < 1000 {
			few.Add(v[i])
		}
	}
	for name, step := range map[string]func(i int){
		"add":                     func(i int) { many.Add(v[i%len(v)]) },
		"add weighted":            func(i int) { many.AddWeighted(v[i%len(v)], 1448) },
		"quantiles, exact":        func(int) { few.Quantiles(0.5, 0.95, 0.99) },
		"quantiles, of histogram": func(int) { many.Quantiles(0.5, 0.95, 0.99) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				step(i)
			}
		})
	}
}
