package evidence

import (
	"math"
	"strconv"
	"strings"
)

// evaluate returns the value of an expression: a number, a name, whose value is looked up, or several with
// operators between blanks. What is not known is NaN, and so is a comparison that does not hold.
func evaluate(text string, look func(name string) float64) float64 {
	for _, x := range operators {
		if i := strings.LastIndex(text, x.name); i >= 0 {
			return x.apply(evaluate(text[:i], look), evaluate(text[i+len(x.name):], look))
		}
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v
	}
	return look(text)
}

// operators are the operators, those that bind least first.
var operators = []struct {
	name  string
	apply func(a, b float64) float64
}{
	{" or ", func(a, b float64) float64 {
		if math.IsNaN(a) {
			return b
		}
		return a
	}},
	{" <= ", func(a, b float64) float64 { return known(a <= b) }},
	{" >= ", func(a, b float64) float64 { return known(a >= b) }},
	{" > ", func(a, b float64) float64 { return known(a > b) }},
	{" = ", func(a, b float64) float64 { return known(a == b) }},
	{" max ", func(a, b float64) float64 { return max(a, b) }},
	{" + ", func(a, b float64) float64 { return a + b }},
	{" - ", func(a, b float64) float64 { return a - b }},
	{" * ", func(a, b float64) float64 { return a * b }},
	{" / ", func(a, b float64) float64 { return a / b }},
}

// known returns a number if a comparison holds.
func known(holds bool) float64 {
	if holds {
		return 1
	}
	return math.NaN()
}
