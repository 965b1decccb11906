package csvtables

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"mpanalyze/internal/report"
)

// micro is the resolution of numbers in tables, per unit: of a value in ms it
// is the nanosecond, of one in Mbit/s the bit per second.
const micro = 1e6

// appendNumber appends v rounded to the sixth decimal, trailing zeros left
// out. strconv's shortest form would cost ten times as much and spell out
// the noise behind the nanosecond.
func appendNumber(b []byte, v float64) []byte {
	b, p := lineBehind(b)
	i, ok := putNumber(p, 0, v)
	if !ok {
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	return b[:len(b)+int(i)]
}

// putNumber stores what appendNumber appends, but for numbers beyond exact
// integers of millionths and what is none: then ok is false.
func putNumber(p *line, i spot, v float64) (end spot, ok bool) {
	if n := int64(v); uint64(n) < 1e8 && float64(n) == v { // octets, mostly
		return putDigits(p, i, digits8(uint64(n))), true
	}
	scaled := v * micro
	if !(math.Abs(scaled) < 1<<53) {
		return i, false
	}
	n := roundHalfAway(scaled)
	sign := n >> 63 // -1 or 0: which of them cannot be foreseen of differences
	p[i] = '-'
	i -= spot(sign)
	u := uint64(n ^ sign - sign)
	if u >= 1e8 {
		i = putDigits(p, i, digits8(u/1e8))
		w := digits8(u % 1e8)
		p[i] = '0' + byte(w)
		return putPoint(p, i+1, w), true
	}
	w := digits8(u)
	p[i] = '0' + byte(w)
	if w&0xff != 0 {
		i++
	}
	return putPoint(p, i, w), true
}

// putPoint stores, of eight digits as digits8 gives them, the second and the
// other six as decimals behind it, zeros at the end left out. Six decimals,
// the point and the digit before it are eight octets.
func putPoint(p *line, i spot, w uint64) spot {
	decimals := w &^ 0xffff
	binary.LittleEndian.PutUint64(p[i:], decimals|w>>8&0xff|asciiZeros&^0xff00|'.'<<8)
	return i + spot(8-bits.LeadingZeros64(decimals|0xff)/8)
}

// roundHalfAway is [math.Round] of a number below 2^53, as an integer and in a
// third of the time.
func roundHalfAway(v float64) int64 {
	n := int64(v)
	return n + int64(2*(v-float64(n))) // exact, and no branch that cannot be foreseen
}

// appendSeconds appends a time in nanoseconds as seconds, with six decimals where
// it is of whole microseconds and else nine, and nothing for [report.NoTime].
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
	b = appendNanos(b, rest)
	if rest%1000 == 0 {
		b = b[:len(b)-3]
	}
	return b
}

// appendText appends s as a CSV field, quoted where RFC 4180, Section 2, asks
// for it.
func appendText(b []byte, s string) []byte {
	if !asksForQuotes(s) {
		return append(b, s...)
	}
	return append(appendQuoted(append(b, '"'), s), '"')
}

// asksForQuotes reports whether a field with s in it has to be quoted.
func asksForQuotes(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '"', ',', '\n', '\r':
			return true
		}
	}
	return false
}

// appendQuoted appends s as a part of a quoted field.
func appendQuoted(b []byte, s string) []byte {
	for {
		at := strings.IndexByte(s, '"')
		if at < 0 {
			return append(b, s...)
		}
		b, s = append(append(b, s[:at+1]...), '"'), s[at+1:]
	}
}
