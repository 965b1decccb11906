package export

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// exact is the magnitude up to which every integer is a float64 of its own.
const exact = 1 << 53

// asInteger returns the integer that v is, if it is one that needs no search for
// its shortest decimal.
func asInteger(v float64) (n int64, ok bool) {
	n = int64(v)
	return n, math.Abs(v) < exact && float64(n) == v && (n != 0 || !math.Signbit(v))
}

// appendJSONFloat appends a finite number in the form of encoding/json: the
// shortest decimal that reads back as v, with an exponent only below 1e-6 and
// from 1e21 on.
func appendJSONFloat(b []byte, v float64) []byte {
	if n, ok := asInteger(v); ok { // as most values of a report are
		return appendSigned(b, n)
	}
	abs := math.Abs(v)
	switch {
	case v == 0:
		return append(b, "-0"...)
	case abs < 1e-6 || abs >= 1e21:
		return trimExponent(strconv.AppendFloat(b, v, 'e', -1, 64))
	}
	// Most others are whole nanoseconds in milliseconds, or in seconds.
	if scaled := abs * micro; scaled < short {
		if n := roundHalfAway(scaled); float64(n)/micro == abs {
			return appendMicros(appendWhole(b, v < 0, uint64(n)/micro), uint64(n)%micro)
		}
	}
	if scaled := abs * 1e9; scaled < short {
		if n := roundHalfAway(scaled); float64(n)/1e9 == abs {
			rest := uint64(n) % 1e9
			b = append(appendWhole(b, v < 0, uint64(n)/1e9), '.', '0'+byte(rest/1e8))
			return appendTrimmed(b, rest%1e8)
		}
	}
	if v < 0 {
		b = append(b, '-')
	}
	return appendShortest(b, abs)
}

// appendShortest appends the shortest decimal that reads back as v, from 1e-6 to
// below 1e21, without an exponent. It lets strconv write one, which moves the
// digits in one piece, and puts the point where that says; strconv's own form
// without an exponent takes the digits one by one.
func appendShortest(b []byte, v float64) []byte {
	const zeros = "00000000000000000000"
	var room [floatRoom]byte
	e := strconv.AppendFloat(room[:0], v, 'e', -1, 64) // d.ddde+dd or de-dd
	end := len(e) - len("e+00")
	exponent := int(e[end+2]-'0')*10 + int(e[end+3]-'0')
	digits := e[:end]
	if end > 1 {
		e[1] = e[0]
		digits = e[1:end]
	}
	whole := exponent + 1 // digits in front of the point
	switch {
	case e[end+1] == '-':
		b = append(append(b, "0."...), zeros[:exponent-1]...)
		return append(b, digits...)
	case whole >= len(digits):
		b = append(b, digits...)
		return append(b, zeros[:whole-len(digits)]...)
	}
	b = append(append(b, digits[:whole]...), '.')
	return append(b, digits[whole:]...)
}

// short is the number from which on decimals may have more than 15 digits. Of
// those up to there no two read as the same float64, so that the one that reads as a
// given number is the shortest that does, zeros at its end left out.
const short = 1e15

// appendWhole appends the whole part of a number and its sign.
func appendWhole(b []byte, negative bool, n uint64) []byte {
	if negative {
		b = append(b, '-')
	}
	return appendUint(b, n)
}

// trimExponent drops the leading zero of a negative exponent of two digits,
// the only one that strconv pads here: e-09 becomes e-9.
func trimExponent(b []byte) []byte {
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// plainJSON are the octets that stand for themselves in a JSON string.
var plainJSON = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// plainPrefix returns the length of a prefix of s without an octet that needs a
// second look, eight octets at a time.
func plainPrefix(s string) (n int) {
	for ; n+8 <= len(s); n += 8 {
		x := eightOctets(s, n)
		// An octet below the one taken off it borrows, and gets its highest bit.
		if (x|(x-' '*ones)|((x^'"'*ones)-ones)|((x^'\\'*ones)-ones))&highs != 0 {
			break
		}
	}
	return n
}

// appendJSONString appends s as a JSON string in the form of encoding/json
// without its escapes for HTML: invalid UTF-8 becomes U+FFFD, and the line
// separators of JavaScript are escaped.
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0
	for i := plainPrefix(s); i < len(s); {
		if plainJSON[s[i]] {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneSelf && r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || n > 1) {
			i += n
			continue
		}
		b = appendEscape(append(b, s[done:i]...), r)
		i += n
		done = i
	}
	return append(append(b, s[done:]...), '"')
}

// appendEscape appends the escape for r, short where JSON has a short one (RFC
// 8259, Section 7).
func appendEscape(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
