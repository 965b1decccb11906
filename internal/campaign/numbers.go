package campaign

import (
	"math"
	"strconv"
	"strings"
)

// Style says how a table writes its numbers. The zero value writes as [digits] does, with ±.
type Style struct {
	Digits   int  // significant digits; the integer part is never cut. 0 for four, and at most three decimals
	Whole    bool // no digits after the point, whatever Digits says
	NoSpread bool // means alone, without ± and the deviation
	Symbols  bool // rows have the symbols of the paper, where it has any
}

// maxDecimals bounds the decimals of numbers near 0 if the user states the digits.
const maxDecimals = 6

// number returns v with the digits of the style; without decimals if v is a whole number.
func (s Style) number(v float64) string {
	if v == math.Trunc(v) {
		return fixed(v, 0)
	}
	return fixed(v, s.decimals(math.Abs(v)))
}

// cell returns a cell with a number.
func (s Style) cell(v float64) Cell { return Cell{Text: s.number(v), Numbers: []float64{v}} }

// cellIf returns a cell with a number, which is empty if the number is absent.
func (s Style) cellIf(v *float64) Cell {
	if v == nil {
		return Cell{}
	}
	return s.cell(*v)
}

// plusMinus returns a mean and the standard deviation of the sample, with the same number of
// decimals. A single run has no deviation: then it returns the value.
func (s Style) plusMinus(a Aggregate) string {
	if a.SampleStddev == nil || s.NoSpread {
		return s.number(a.Mean)
	}
	n := s.decimals(max(math.Abs(a.Mean), *a.SampleStddev))
	return fixed(a.Mean, n) + " ± " + fixed(*a.SampleStddev, n)
}

// signed returns a number with its sign.
func (s Style) signed(v float64) string {
	text := s.number(v)
	if v > 0 && strings.Trim(text, "-0.") != "" {
		return "+" + text
	}
	return text
}

// decimals returns how many decimals a positive number needs.
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

// digits returns v with four significant digits, but never cuts the integer part, and with no
// more than three decimals; a whole number has none.
func digits(v float64) string { return Style{}.number(v) }

// fixed returns v with that many decimals; a number that rounds to zero has no sign.
func fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}
