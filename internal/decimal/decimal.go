// Package decimal appends numbers to text with a fixed number of decimals.
package decimal

import (
	"math"
	"strconv"
)

// AppendRounded appends v rounded to six decimals, half away from zero, without zeros at
// the end. Where |v| * 10^6 is 2^53 or more, or v is infinite or no number, it appends the
// shortest decimal text that reads back as v.
func AppendRounded(b []byte, v float64) []byte {
	const micro = 1e6
	if n := int64(v); -1<<53 < n && n < 1<<53 && float64(n) == v {
		return strconv.AppendInt(b, n, 10)
	}
	scaled := v * micro
	if !(math.Abs(scaled) < 1<<53) {
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	n := int64(math.Round(scaled))
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendInt(b, n/micro, 10)
	rest := n % micro
	if rest == 0 {
		return b
	}
	b = appendFraction(b, micro, rest)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

// AppendSeconds appends nanoseconds as seconds: with six decimals if they are whole
// microseconds, else with nine.
func AppendSeconds(b []byte, ns int64) []byte {
	if ns%1000 != 0 {
		return AppendFixed(b, ns, 1e9)
	}
	return AppendFixed(b, ns/1000, 1e6)
}

// AppendFixed appends v/unit with all decimals. unit is a power of ten, and there are as many
// decimals as it has zeros.
func AppendFixed(b []byte, v, unit int64) []byte {
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	return appendFraction(strconv.AppendInt(b, v/unit, 10), unit, v%unit)
}

// appendFraction appends a point and part/unit as decimals. unit is a power of ten, and
// there are as many decimals as it has zeros.
func appendFraction(b []byte, unit, part int64) []byte {
	point := len(b)
	b = strconv.AppendInt(b, unit+part, 10)
	b[point] = '.' // in place of the 1 that unit put before the leading zeros
	return b
}
