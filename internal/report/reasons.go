package report

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Reasons says for each metric that is null why it is null, sorted by metric. Its JSON
// form is an object from names to reasons. A report has one for every direction of
// every subflow. So it is a slice, which is smaller than a map, and equal lists share
// their memory. Only its methods may change it.
type Reasons []Reason

// A Reason is why one metric is null, or a part of one that has a value.
type Reason struct {
	Metric string // its JSON name; a part's path, as in "drops.percent" or "paths[].share_percent"
	Why    string // for people
}

// partOf reports whether a name is the path of a part of a metric.
func partOf(metric, name string) bool {
	rest, ok := strings.CutPrefix(name, metric)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
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

// Set notes why a metric is null. It replaces earlier reasons for the metric and its
// parts. Like all methods, it does not change lists that share r's memory.
func (r *Reasons) Set(metric, reason string) {
	r.Settle(metric, false, "")
	i, _ := r.find(metric)
	*r = slices.Insert(*r, i, Reason{metric, reason})
}

// Settle notes why a metric is null, or that it has a value. In the second case it also
// removes the reasons of its parts.
func (r *Reasons) Settle(metric string, null bool, why string) {
	if null {
		r.Set(metric, why)
		return
	}
	concerned := func(x Reason) bool { return x.Metric == metric || partOf(metric, x.Metric) }
	if slices.ContainsFunc(*r, concerned) {
		*r = slices.DeleteFunc(slices.Clone(*r), concerned)
	}
}

// Follow takes the reasons for a metric and its parts from other.
func (r *Reasons) Follow(metric string, other Reasons) {
	r.Settle(metric, false, "")
	for _, x := range other {
		if x.Metric == metric || partOf(metric, x.Metric) {
			r.Set(x.Metric, x.Why)
		}
	}
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
	for _, metric := range slices.Sorted(maps.Keys(object)) {
		*r = append(*r, Reason{metric, object[metric]})
	}
	return nil
}
