package fill

import (
	"slices"

	"mpanalyze/internal/report"
)

// maxReasonNodes bounds what [Reasons] remembers. Reasons are constants of
// the source, so that even odd captures have some dozen combinations of some
// dozens.
const maxReasonNodes = 4096

// Reasons gathers the reasons of one part of a report after the other, and
// makes equal ones share their memory. A report of thousands of connections says
// few things thousands of times, and in the same order: what is said is a way
// into a tree, at whose end the sorted reasons are found.
type Reasons struct {
	root  reasonNode
	at    *reasonNode // what has been said of the part at hand; nil for nothing
	nodes int
	own   report.Reasons // where the tree is full: all that has been said; otherwise nil
}

// reasonNode is a reason after others.
type reasonNode struct {
	said   report.Reason
	before *reasonNode    // nil of the root, at which nothing is said
	next   []*reasonNode  // what was said after it, in one part or another
	all    report.Reasons // all that is said up to here, once somebody asked
}

// Set notes why a metric of the part is null.
func (t *Reasons) Set(metric, why string) {
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
	n := &reasonNode{said: report.Reason{Metric: metric, Why: why}, before: t.at}
	t.at.next = append(t.at.next, n)
	t.at = n
}

// Take returns the reasons of the part, and begins the next one. Those of equal
// parts share their memory.
func (t *Reasons) Take() report.Reasons {
	out := t.own
	if out == nil && t.at != nil {
		out = t.at.reasons()
	}
	t.at, t.own = nil, nil
	return out
}

// reasons returns what is said up to n, without room in which two owners could
// both insert.
func (n *reasonNode) reasons() report.Reasons {
	if n.all != nil {
		return n.all
	}
	var said []report.Reason
	for at := n; at.before != nil; at = at.before {
		said = append(said, at.said)
	}
	var all report.Reasons
	for _, r := range slices.Backward(said) {
		all.Set(r.Metric, r.Why)
	}
	n.all = slices.Clip(all)
	return n.all
}
