package fill

import (
	"slices"

	"mpanalyze/internal/report"
)

// maxReasonNodes bounds the memory of [Reasons]. Reasons are constants of the source,
// so even unusual captures have only a few dozen combinations of a few dozen reasons.
const maxReasonNodes = 4096

// Reasons gathers the reasons of the parts of a report, one part after the other. Equal
// lists of reasons share their memory, because a report of thousands of connections
// repeats a few lists thousands of times. The lists are kept in a tree: each reason
// leads from a node to the next one, and the last node has the sorted list.
type Reasons struct {
	root  reasonNode
	at    *reasonNode // node for the reasons of the current part so far; nil for none
	nodes int
	own   report.Reasons // if the tree is full: all reasons of the current part; otherwise nil
}

// reasonNode is a reason that follows the reasons of the nodes above it.
type reasonNode struct {
	said   report.Reason
	before *reasonNode    // nil for the root, which has no reason
	next   []*reasonNode  // reasons that followed it, in any part
	all    report.Reasons // the list up to this node, sorted; nil until it is needed
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

// Take returns the reasons of the part, and begins the next part. Equal lists share
// their memory.
func (t *Reasons) Take() report.Reasons {
	out := t.own
	if out == nil && t.at != nil {
		out = t.at.reasons()
	}
	t.at, t.own = nil, nil
	return out
}

// reasons returns the list of reasons up to n. Its capacity is its length, so that no
// owner can append to shared memory.
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
