package report

import (
	"encoding/json"
	"fmt"
	"time"
)

// Time is a moment in nanoseconds since the Unix epoch. Its JSON form is
// RFC 3339 in UTC with all nine decimals.
type Time int64

const timeLayout = "2006-01-02T15:04:05.000000000Z"

// String returns the JSON form without quotes.
func (t Time) String() string { return time.Unix(0, int64(t)).UTC().Format(timeLayout) }

// MarshalText implements [encoding.TextMarshaler].
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

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

// List is a slice whose JSON form is an array also where it is nil, so that
// readers of a report need not tell null from nothing.
type List[T any] []T

// MarshalJSON implements [json.Marshaler].
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// Reasons says of each metric that is null why it is, by the metric's JSON
// name. Its JSON form is an object also where it is nil.
type Reasons map[string]string

// MarshalJSON implements [json.Marshaler].
func (r Reasons) MarshalJSON() ([]byte, error) {
	if r == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]string(r))
}

// Set notes why a metric is null.
func (r *Reasons) Set(metric, reason string) {
	if *r == nil {
		*r = Reasons{}
	}
	(*r)[metric] = reason
}
