package campaign

import (
	"math"
	"strconv"
	"strings"
)

// Style is how a table writes its numbers. The zero value is that of [digits] and ±.
type Style struct {
	Digits   int  // significant digits; the integer part is never cut. 0 for four, and at most three decimals
	Whole    bool // no digits behind the point, whatever Digits says
	NoSpread bool // means alone, without ± and what stands behind it
}

// maxDecimals bounds those of numbers near 0 where the user states the digits.
const maxDecimals = 6

// number is v with the digits of the style; none behind the point of a whole number.
func (s Style) number(v float64) string {
	if v == math.Trunc(v) {
		return fixed(v, 0)
	}
	return fixed(v, s.decimals(math.Abs(v)))
}

// plusMinus is a mean and the standard deviation of the sample to the same decimals; of
// a single run, which has none, the value.
func (s Style) plusMinus(a Aggregate) string {
	if a.SampleStddev == nil || s.NoSpread {
		return s.number(a.Mean)
	}
	n := s.decimals(max(math.Abs(a.Mean), *a.SampleStddev))
	return fixed(a.Mean, n) + " ± " + fixed(*a.SampleStddev, n)
}

// signed is a number with its sign.
func (s Style) signed(v float64) string {
	text := s.number(v)
	if v > 0 && strings.Trim(text, "-0.") != "" {
		return "+" + text
	}
	return text
}

// decimals is how many of them give a positive number its digits.
func (s Style) decimals(v float64) int {
	if s.Whole {
		return 0
	}
	n := s.Digits
	if n == 0 {
		n = 4
	}
	least := 0
	if s.Digits > 0 && v > 0 && v < 1 { // 0.0831 with two digits is 0.083
		least = n - 1 - int(math.Floor(math.Log10(v)))
		if v >= math.Pow10(n-least)-math.Pow10(-least)/2 { // 0.96 with one digit is 1
			least--
		}
		least = min(maxDecimals, least)
	}
	for d := n - 1; d > least; d-- {
		if v < math.Pow10(n-d)-math.Pow10(-d)/2 {
			return d
		}
	}
	return least
}

// digits is v with four significant digits, but no fewer than the integer part
// has and no more than three decimals; none of a whole number.
func digits(v float64) string { return Style{}.number(v) }

// fixed is v with so many decimals; what rounds to zero has no sign.
func fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}
