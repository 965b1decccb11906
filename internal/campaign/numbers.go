package campaign

import (
	"math"
	"strconv"
	"strings"
)

// plusMinus is a mean with four significant digits and its standard deviation
// to the same decimals; of a single run, which has none, the value.
func plusMinus(a Aggregate) string {
	if a.Runs == 1 {
		return digits(a.Mean)
	}
	n := decimals(max(math.Abs(a.Mean), a.Stddev))
	return fixed(a.Mean, n) + " ± " + fixed(a.Stddev, n)
}

// digits is v with four significant digits, but no fewer than the integer part
// has and no more than three decimals; none of a whole number.
func digits(v float64) string {
	if v == math.Trunc(v) {
		return fixed(v, 0)
	}
	return fixed(v, decimals(math.Abs(v)))
}

// decimals is how many of them make four significant digits of a positive
// number.
func decimals(v float64) int {
	switch {
	case v < 9.9995:
		return 3
	case v < 99.995:
		return 2
	case v < 999.95:
		return 1
	}
	return 0
}

// fixed is v with so many decimals; what rounds to zero has no sign.
func fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}
