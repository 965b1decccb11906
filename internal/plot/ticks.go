package plot

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

const (
	mostTicks  = 8
	leastTicks = 2
)

// Ticks returns at most this number of ticks, at steps of 1, 2 or 5 times a power of ten.
func Ticks(low, high float64, most int) (out []plot.Tick) {
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) {
		return []plot.Tick{{Value: low, Label: fmt.Sprintf("%.4g", low)}}
	}
	step := math.Pow(10, math.Floor(math.Log10(span/float64(most))))
	for _, m := range []float64{1, 2, 5, 10} {
		if first := math.Ceil(low/(step*m) - 1e-9); math.Floor(high/(step*m)+1e-9)-first+1 <= float64(most) {
			step *= m
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	first := math.Ceil(low/step - 1e-9)
	for i := 0.0; i < 20; i++ {
		v := (first + i) * step
		if v > high+step*1e-9 {
			break
		}
		out = append(out, plot.Tick{Value: v, Label: fmt.Sprintf("%.*f", decimals, v+0)})
	}
	return out
}
