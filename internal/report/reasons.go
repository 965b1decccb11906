package report

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
)

// Reasons says of each metric that is null why it is, sorted by metric. Its
// JSON form is an object from names to reasons. A report holds one for every
// direction of every subflow, so it is a slice, which is smaller than a map, and
// equal ones share their memory: change one with Set only.
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

// Set notes why a metric is null, and leaves those that share r's memory alone.
func (r *Reasons) Set(metric, reason string) {
	i, ok := r.find(metric)
	if ok {
		*r = slices.Clone(*r)
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

// maxReasonSets bounds what [reasonSets] remembers. Reasons are constants of
// the source, so that even odd captures have some dozen combinations.
const maxReasonSets = 1024

// reasonSets makes equal reasons share their memory: a report of thousands of
// connections says few things thousands of times.
type reasonSets struct {
	seed  maphash.Seed
	known map[uint64]Reasons
}

// share returns reasons equal to r that are nobody else's to change, and leaves
// r to the caller.
func (s *reasonSets) share(r Reasons) Reasons {
	if len(r) == 0 {
		return nil
	}
	if s.known == nil {
		s.seed, s.known = maphash.MakeSeed(), map[uint64]Reasons{}
	}
	var h uint64
	for i := range r {
		h = h*31 + maphash.Comparable(s.seed, r[i])
	}
	same, ok := s.known[h]
	if ok && slices.Equal(same, r) {
		return same
	}
	out := append(make(Reasons, 0, len(r)), r...) // without room in which two owners could both insert
	if !ok && len(s.known) < maxReasonSets {
		s.known[h] = out
	}
	return out
}
