package dss

import "mpanalyze/internal/seq"

// Clear makes sp a space of which nothing is known, without lanes. The memory of
// its lanes and short lists is used again.
func (sp *Space) Clear() {
	used := *sp
	*sp = Space{
		seen: used.seen.Reuse(), held: used.held.Reuse(), lanes: used.lanes[:0], working: used.working[:0],
		gaps: seq.Reuse(used.gaps), same: seq.Reuse(used.same), passed: seq.Reuse(used.passed),
	}
}

// NewSubflow returns the lane of subflow number sub.
func (sp *Space) NewSubflow(sub int) *SubflowSpace {
	l := sp.spareLane()
	l.ID = sub
	sp.lanes = append(sp.lanes, l)
	return l
}

// spareLane returns a lane of which nothing is known: one that the space had
// before [Space.Clear], if it had so many.
func (sp *Space) spareLane() *SubflowSpace {
	n := len(sp.lanes)
	if n == cap(sp.lanes) || sp.lanes[:n+1][n] == nil {
		return new(SubflowSpace)
	}
	l := sp.lanes[:n+1][n]
	used := *l
	*l = SubflowSpace{
		chunks: used.chunks.Reuse(), maps: mappings{list: used.maps.list.Reuse()}, pending: seq.Reuse(used.pending),
		past: used.past.Reuse(), elsewhere: used.elsewhere.Reuse(), duplicates: seq.Reuse(used.duplicates),
	}
	return l
}
