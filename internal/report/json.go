package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
)

// Time is a moment in nanoseconds since the Unix epoch. Its JSON form is
// RFC 3339 in UTC with all nine decimals.
type Time int64

const timeLayout = "2006-01-02T15:04:05.000000000Z"

// String returns the JSON form without quotes.
func (t Time) String() string { return string(t.Append(nil)) }

// Append appends the JSON form without quotes.
func (t Time) Append(b []byte) []byte {
	v := time.Unix(0, int64(t)).UTC()
	year, month, day := v.Date()
	hour, minute, second := v.Clock()
	b = append(b, "0000-00-00T00:00:00.000000000Z"...)
	text := b[len(b)-len(timeLayout):]
	for _, f := range [...]struct{ end, n int }{
		{4, year}, {7, int(month)}, {10, day}, {13, hour}, {16, minute}, {19, second}, {29, v.Nanosecond()},
	} {
		for i := f.end - 1; f.n > 0; i-- {
			text[i] += byte(f.n % 10)
			f.n /= 10
		}
	}
	return b
}

// MarshalText implements [encoding.TextMarshaler].
func (t Time) MarshalText() ([]byte, error) { return t.Append(nil), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]; it takes any form of
// RFC 3339 between the years 1678 and 2262.
func (t *Time) UnmarshalText(text []byte) error {
	v, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return fmt.Errorf("report: %q is no RFC 3339 time", text)
	}
	*t = Time(v.UnixNano())
	return nil
}

// List is a slice whose JSON form is always an array, even if it is nil. So readers of
// a report need not handle null.
type List[T any] []T

// MarshalJSON implements [json.Marshaler].
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return marshal([]T(l))
}

// WriteIndented writes a value as JSON without the escapes for HTML. Each level has an indent, and
// each line but the first begins with the prefix.
func WriteIndented(w io.Writer, v any, prefix, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indent)
	return enc.Encode(v)
}

// marshal does not escape HTML. The encoder that called it does so, if it should, for
// the whole text.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// NoJSON is the result of [JSONName] for a field that is not in the JSON form.
const NoJSON = "-"

// JSONName returns the name of a field of the document's types in its JSON
// form.
func JSONName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
