package report

import (
	"encoding/json"
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

// maxReasonNodes bounds what [reasonTree] remembers. Reasons are constants of
// the source, so that even odd captures have some dozen combinations of about
// twenty.
const maxReasonNodes = 4096

// reasonTree gathers the reasons of one part of a report after the other, and
// makes equal ones share their memory. A report of thousands of connections says
// few things thousands of times, and in the same order: what is said is a way
// into a tree, at whose end the sorted reasons are found.
type reasonTree struct {
	root  reasonNode
	at    *reasonNode // what has been said of the part at hand; nil for nothing
	nodes int
	own   Reasons // where the tree is full: all that has been said; otherwise nil
}

// reasonNode is a reason after others.
type reasonNode struct {
	said   Reason
	before *reasonNode   // nil of the root, at which nothing is said
	next   []*reasonNode // what was said after it, in one part or another
	all    Reasons       // all that is said up to here, once somebody asked
}

// Set notes why a metric of the part is null.
func (t *reasonTree) Set(metric, why string) {
	if t.own != nil {
		t.own.Set(metric, why)
		return
	}
	if t.at == nil {
		t.at = &t.root
	}
	for _, n := range t.at.next {
		if n.said.Metric == metric && n.said.Why == why {
			t.at = n
			return
		}
	}
	if t.nodes == maxReasonNodes {
		t.own = slices.Clone(t.at.reasons())
		t.own.Set(metric, why)
		return
	}
	t.nodes++
	n := &reasonNode{said: Reason{metric, why}, before: t.at}
	t.at.next = append(t.at.next, n)
	t.at = n
}

// take returns the reasons of the part, and begins the next one. Those of equal
// parts share their memory.
func (t *reasonTree) take() Reasons {
	out := t.own
	if out == nil && t.at != nil {
		out = t.at.reasons()
	}
	t.at, t.own = nil, nil
	return out
}

// reasons returns what is said up to n, without room in which two owners could
// both insert.
func (n *reasonNode) reasons() Reasons {
	if n.all != nil {
		return n.all
	}
	var all Reasons
	for at := n; at.before != nil; at = at.before {
		if _, said := all.find(at.said.Metric); !said { // later; that stands
			all.Set(at.said.Metric, at.said.Why)
		}
	}
	n.all = slices.Clip(all)
	return n.all
}
