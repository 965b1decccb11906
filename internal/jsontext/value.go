package jsontext

import (
	"bytes"
	"encoding/json"
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

// AppendString appends s as a JSON string in the form of encoding/json without its escapes for HTML.
// Most texts need no escape, and cost no allocation.
func AppendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return appendEscaped(b, s)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// appendEscaped appends a text that may need escapes. No text is an error for encoding/json: it writes U+FFFD
// in place of invalid UTF-8.
func appendEscaped(b []byte, s string) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}
