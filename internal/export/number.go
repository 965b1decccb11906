package export

import (
	"math"
	"strconv"

	"mpanalyze/internal/report"
)

// micro is the resolution of numbers in tables, per unit: of a value in ms it
// is the nanosecond, of one in Mbit/s the bit per second.
const micro = 1e6

// appendNumber appends v rounded to the sixth decimal, trailing zeros left
// out. strconv's shortest form would cost three times as much and spell out
// the noise behind the nanosecond.
func appendNumber(b []byte, v float64) []byte {
	scaled := math.Round(v * micro)
	if !(math.Abs(scaled) < 1<<53) { // beyond exact integers, or not a number
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	n := int64(scaled)
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendInt(b, n/micro, 10)
	if n %= micro; n == 0 {
		return b
	}
	b = appendDecimals(append(b, '.'), n, 6)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

// appendSeconds appends a time in nanoseconds as seconds with nine decimals,
// and nothing for [report.NoTime].
func appendSeconds(b []byte, ns int64) []byte {
	if ns == report.NoTime {
		return b
	}
	if ns < 0 {
		b, ns = append(b, '-'), -ns
	}
	b = append(strconv.AppendInt(b, ns/1e9, 10), '.')
	return appendDecimals(b, ns%1e9, 9)
}

// pairs are the numbers below 100, two digits each.
const pairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

// appendDecimals appends n with leading zeros to the given number of digits,
// two at a time: tables of millions of rows are mostly digits.
func appendDecimals(b []byte, n int64, digits int) []byte {
	for range digits {
		b = append(b, '0')
	}
	i, u := len(b), uint64(n)
	for ; digits >= 2; digits -= 2 {
		i -= 2
		p := u % 100 * 2
		b[i], b[i+1] = pairs[p], pairs[p+1]
		u /= 100
	}
	if digits == 1 {
		b[i-1] = '0' + byte(u%10)
	}
	return b
}

// appendText appends s as a CSV field, quoted where RFC 4180, Section 2, asks
// for it.
func appendText(b []byte, s string) []byte {
	quote := false
	for i := 0; i < len(s) && !quote; i++ {
		quote = s[i] == '"' || s[i] == ',' || s[i] == '\n' || s[i] == '\r'
	}
	if !quote {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}
