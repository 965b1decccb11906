package jsontext_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/jsontext"
)

// standard returns what encoding/json writes without its escapes for HTML.
func standard(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	assert.NilError(t, e.Encode(v))
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// FuzzAppendString: a text is written as encoding/json writes it.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "<&>\"\\/", "\x00\b\f\n\r\t\x1f\x7f", "é\u2028\u2029\U0001f600", "\xff\xc3\xed\xa0\x80", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(jsontext.AppendString(nil, s)), standard(t, s); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// FuzzAppendFloat: a finite number is written as encoding/json writes it.
func FuzzAppendFloat(f *testing.F) {
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -7, 1 << 53, 1 << 60, 1e20, 1e21, 1e-6, 9.99e-7, 1e-10, 1.0 / 3, math.MaxFloat64, 5e-324} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		if got, want := string(jsontext.AppendFloat(nil, v)), standard(t, v); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
