package mptcp

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// unhex reads bytes written in hexadecimal; blanks are for the reader.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	assert.NilError(t, err)
	return b
}

// A form is an option as bytes and as value.
type form[T any] struct {
	name string
	hex  string
	want T
}

type appender[T any] interface {
	*T
	Append([]byte) []byte
}

// checkForms demands that every case parses to its value and that the value
// appends to its bytes, after what stood there before.
func checkForms[T comparable, P appender[T]](t *testing.T, parse func([]byte, P) error, cases []form[T]) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := unhex(t, c.hex)
			var got T
			assert.NilError(t, parse(b, &got), "parse % x", b)
			assert.Check(t, got == c.want, "parse % x\n got %+v\nwant %+v", b, got, c.want)
			before := []byte{1, 1}
			if out, want := P(&c.want).Append(before), append([]byte{1, 1}, b...); !bytes.Equal(out, want) {
				t.Errorf("append %+v\n got % x\nwant % x", c.want, out, want)
			}
			err := Check(b)
			assert.Check(t, err == nil, "Check(% x) = %v", b, err)
		})
	}
}

// checkLengths gives parse options of every length whose third byte is third
// and whose fourth is fourth, and demands a *LengthError that names the length
// for all but the legal ones, an unchanged value after it, and ErrSubtype for
// another kind or subtype.
func checkLengths[T comparable](t *testing.T, parse func([]byte, *T) error, third, fourth byte, legal ...int) {
	t.Helper()
	sub := Subtype(third >> 4)
	for n := 0; n <= maxOptions+1; n++ {
		b := make([]byte, n)
		copy(b, []byte{Kind, byte(n), third, fourth})
		var x, zero T
		err := parse(b, &x)
		if slices.Contains(legal, n) {
			assert.Check(t, err, "%v of %d bytes, third byte %#02x", sub, n, third)
			checkForeign(t, parse, b)
			continue
		}
		var bad *LengthError
		if !errors.As(err, &bad) {
			t.Errorf("%v of %d bytes, third byte %#02x: error %v, want a *LengthError", sub, n, third, err)
		} else if *bad != (LengthError{Subtype: sub, Length: n}) {
			t.Errorf("%v of %d bytes: error says %+v", sub, n, *bad)
		}
		assert.Check(t, x == zero, "%v of %d bytes: value changed to %+v by a failed parse", sub, n, x)
	}
}

// checkForeign spoils the legal option b in each byte that says what it is.
func checkForeign[T any](t *testing.T, parse func([]byte, *T) error, b []byte) {
	t.Helper()
	kind := bytes.Clone(b)
	kind[0] = 8
	subtype := bytes.Clone(b)
	subtype[2] ^= 0x80
	for _, foreign := range [][]byte{kind, subtype} {
		err := parse(foreign, new(T))
		assert.Check(t, errors.Is(err, ErrSubtype), "parse % x: error %v, want ErrSubtype", foreign, err)
	}
	length := bytes.Clone(b)
	length[1]++
	var bad *LengthError
	if err := parse(length, new(T)); !errors.As(err, &bad) {
		t.Errorf("parse % x, whose length byte is wrong: error %v, want a *LengthError", length, err)
	}
}
