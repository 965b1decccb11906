package engine

import "mpanalyze/internal/packet"

// Files that were merged from several interfaces, and captures on several
// processors, hold packets out of the order of their time stamps by
// microseconds: an answer may stand before what it answers. A packet is moved
// forward by no more than this. Larger steps are those of a clock that was set.
const (
	maxDisorder = 1e6 // ns
	maxOvertake = 64  // packets
)

// inOrder sorts segments by time, as far as they are out of order by little;
// those before begun are sorted. Equal times stay in the order of the file.
func inOrder(segs []packet.Segment, begun int) {
	for i := max(1, begun); i < len(segs); i++ {
		if segs[i].Time < segs[i-1].Time {
			forward(segs, i)
		}
	}
}

// forward moves the i-th segment before those of later times.
func forward(segs []packet.Segment, i int) {
	to := i
	for to > max(0, i-maxOvertake) && segs[to-1].Time > segs[i].Time && segs[to-1].Time-segs[i].Time <= maxDisorder {
		to--
	}
	if to == i {
		return
	}
	s := segs[i]
	copy(segs[to+1:i+1], segs[to:i])
	segs[to] = s
}
