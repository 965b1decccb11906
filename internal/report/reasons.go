package report

import (
	"encoding/json"
	"slices"
	"strings"
)

// Reasons says of each metric that is null why it is, sorted by metric. Its
// JSON form is an object from names to reasons. A report holds one for every
// direction of every subflow: a slice takes a fifth of the memory of a map.
type Reasons []Reason

// A Reason is why one metric is null.
type Reason struct {
	Metric string // its JSON name
	Why    string // for people
}

// Of returns why a metric is null, and whether there is a reason at all.
func (r Reasons) Of(metric string) (why string, ok bool) {
	i, ok := r.find(metric)
	if !ok {
		return "", false
	}
	return r[i].Why, true
}

func (r Reasons) find(metric string) (int, bool) {
	return slices.BinarySearchFunc(r, metric, func(r Reason, m string) int { return strings.Compare(r.Metric, m) })
}

// Set notes why a metric is null.
func (r *Reasons) Set(metric, reason string) {
	i, ok := r.find(metric)
	if ok {
		(*r)[i].Why = reason
		return
	}
	*r = slices.Insert(*r, i, Reason{metric, reason})
}

// MarshalJSON implements [json.Marshaler].
func (r Reasons) MarshalJSON() ([]byte, error) {
	object := make(map[string]string, len(r))
	for _, reason := range r {
		object[reason.Metric] = reason.Why
	}
	return marshal(object)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Reasons) UnmarshalJSON(text []byte) error {
	var object map[string]string
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	*r = nil
	for metric, why := range object {
		r.Set(metric, why)
	}
	return nil
}
