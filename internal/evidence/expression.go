package evidence

import (
	"math"
	"strconv"
	"strings"
)

// compile returns what an expression says of a thing. It is a number, a name, whose value a leaf has, or several with
// operators between blanks. What is not known is NaN, and so is a comparison that does not hold.
func compile[T any](text string, leaf func(name string) func(T) float64) func(T) float64 {
	for _, x := range operators {
		if i := strings.LastIndex(text, x.name); i >= 0 {
			a, b := compile(text[:i], leaf), compile(text[i+len(x.name):], leaf)
			return func(of T) float64 { return x.apply(a(of), b(of)) }
		}
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return func(T) float64 { return v }
	}
	return leaf(text)
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
	{" < ", func(a, b float64) float64 { return known(a < b) }},
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
