package report

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Reasons says of each metric that is null why it is, sorted by metric. Its
// JSON form is an object from names to reasons. A report holds one for every
// direction of every subflow, so it is a slice, which is smaller than a map, and
// equal ones share their memory: change one with its methods only.
type Reasons []Reason

// A Reason is why one metric is null, or a part of one that has a value.
type Reason struct {
	Metric string // its JSON name; a part's path, as in "drops.percent" or "paths[].share_percent"
	Why    string // for people
}

// partOf tells whether a name is the path of a part of a metric.
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

// Set notes why a metric is null, in place of what was said of it and of its
// parts. It leaves those that share r's memory alone, as all methods do.
func (r *Reasons) Set(metric, reason string) {
	r.settle(metric, false, "")
	i, _ := r.find(metric)
	*r = slices.Insert(*r, i, Reason{metric, reason})
}

// settle notes why a metric is null, or that it has a value: then nothing is
// said of its parts either.
func (r *Reasons) settle(metric string, null bool, why string) {
	if null {
		r.Set(metric, why)
		return
	}
	concerned := func(x Reason) bool { return x.Metric == metric || partOf(metric, x.Metric) }
	if slices.ContainsFunc(*r, concerned) {
		*r = slices.DeleteFunc(slices.Clone(*r), concerned)
	}
}

// follow takes what other says of a metric and of its parts.
func (r *Reasons) follow(metric string, other Reasons) {
	r.settle(metric, false, "")
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

// maxReasonNodes bounds what [reasonTree] remembers. Reasons are constants of
// the source, so that even odd captures have some dozen combinations of some
// dozens.
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
	var said []Reason
	for at := n; at.before != nil; at = at.before {
		said = append(said, at.said)
	}
	var all Reasons
	for _, r := range slices.Backward(said) {
		all.Set(r.Metric, r.Why)
	}
	n.all = slices.Clip(all)
	return n.all
}
