package pair

import "mpanalyze/internal/seq"

// maxRanges bounds the ranges of a set. At the bound the older half is forgotten.
const maxRanges = 1 << 12

// addRange adds a range to a set. Nearly all positions come in order.
func addRange[P seq.SSN | seq.DSN](s *seq.Set[P], r seq.Range[P]) {
	if s.Add(r); s.Len() > maxRanges {
		s.DropOldest(maxRanges / 2)
	}
}
