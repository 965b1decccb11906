package jsontext

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"
)

// exact is the magnitude up to which a float64 can hold every integer.
const exact = 1 << 53

// AsInteger returns v as an integer if v is an integer of at most that magnitude. Its
// shortest decimal text is then the integer itself.
func AsInteger(v float64) (n int64, ok bool) {
	n = int64(v)
	return n, math.Abs(v) < exact && float64(n) == v && (n != 0 || !math.Signbit(v))
}

// AppendFloat appends a finite number in the form of encoding/json: the
// shortest decimal that reads back as v, with an exponent only below 1e-6 and
// from 1e21 on.
func AppendFloat(b []byte, v float64) []byte {
	if n, ok := AsInteger(v); ok { // most values of a report are integers
		return strconv.AppendInt(b, n, 10)
	}
	if abs := math.Abs(v); abs != 0 && abs < 1e-6 || abs >= 1e21 {
		return trimExponent(strconv.AppendFloat(b, v, 'e', -1, 64))
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
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

// plainJSON are the bytes that a JSON string holds without an escape.
var plainJSON = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// AppendString appends s as a JSON string in the form of encoding/json
// without its escapes for HTML: invalid UTF-8 becomes U+FFFD, and the line
// separators of JavaScript are escaped.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0
	for i := plainBytes(s); i < len(s); {
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

// plainBytes returns how many bytes at the beginning of s, a multiple of eight, surely hold no
// escape. Most texts hold none at all, and eight bytes are looked at together.
func plainBytes(s string) int {
	const (
		ones = 0x0101_0101_0101_0101
		high = 0x80 * ones
	)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64([]byte(s[i : i+8]))
		quote, back := w^('"'*ones), w^('\\'*ones)
		// The high bit of a byte stays set where the byte is above 0x7f, below a space, or zero
		// after the exclusive or; carries can only set more of them.
		if (w|(w-' '*ones)|(quote-ones)|(back-ones))&high != 0 {
			break
		}
	}
	return i
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
