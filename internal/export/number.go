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
// out. strconv's shortest form would cost ten times as much and spell out
// the noise behind the nanosecond.
func appendNumber(b []byte, v float64) []byte {
	scaled := v * micro
	if !(math.Abs(scaled) < 1<<53) { // beyond exact integers, or not a number
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	n := roundHalfAway(scaled)
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	b = appendUint(b, uint64(n)/micro)
	if rest := uint64(n) % micro; rest != 0 {
		b = appendMicros(b, rest)
	}
	return b
}

// roundHalfAway is [math.Round] of a number below 2^53, as an integer and in a
// third of the time.
func roundHalfAway(v float64) int64 {
	n := int64(v)
	switch part := v - float64(n); { // exact
	case part >= 0.5:
		n++
	case part <= -0.5:
		n--
	}
	return n
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
	whole, rest := uint64(ns)/1e9, uint64(ns)%1e9
	if whole < 10 {
		b = append(b, '0'+byte(whole))
	} else {
		b = appendUint(b, whole)
	}
	return appendNanos(b, rest)
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
