package dss

import "mpanalyze/internal/seq"

// Clear makes sp an empty space without subflows. It keeps the memory of the subflows
// and of short lists.
func (sp *Space) Clear() {
	used := *sp
	*sp = Space{
		seen: used.seen.Reuse(), subflowAcked: used.subflowAcked.Reuse(), subflows: used.subflows[:0], active: used.active[:0],
		gaps: seq.Reuse(used.gaps), same: seq.Reuse(used.same), passed: seq.Reuse(used.passed),
	}
}

// NewSubflow adds the subflow with number id to the space.
func (sp *Space) NewSubflow(id int) *SubflowSpace {
	sub := sp.recycledSubflow()
	sub.ID = id
	sp.subflows = append(sp.subflows, sub)
	return sub
}

// recycledSubflow returns an empty subflow, if possible in memory that the space had
// before [Space.Clear].
func (sp *Space) recycledSubflow() *SubflowSpace {
	n := len(sp.subflows)
	if n == cap(sp.subflows) || sp.subflows[:n+1][n] == nil {
		return new(SubflowSpace)
	}
	sub := sp.subflows[:n+1][n]
	used := *sub
	*sub = SubflowSpace{
		chunks: used.chunks.Reuse(), maps: mappings{list: used.maps.list.Reuse()}, pending: seq.Reuse(used.pending),
		settledData: used.settledData.Reuse(), reinjectedData: used.reinjectedData.Reuse(), duplicates: seq.Reuse(used.duplicates),
	}
	return sub
}
