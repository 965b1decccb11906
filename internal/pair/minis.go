package pair

import "mpanalyze/internal/packet"

// mini is a packet without payload.
type mini struct {
	time int64
	key  uint64
}

// minis matches packets without payload by what their headers say. A packet
// that looks like an earlier one that was lost is taken for that one: its
// delay then reads too long, never too short, which is what the clocks need.
type minis struct {
	wait [2][]mini // sent ones, arrived ones, oldest first; bounded by maxMinis
}

// maxMinis bounds the unmatched packets of one direction.
const maxMinis = 512

// take matches a packet: sent, or else arrived. It returns the time of its
// other sight.
func (m *minis) take(key uint64, now int64, sent bool) (other int64, ok bool) {
	mine, theirs := &m.wait[0], &m.wait[1]
	if !sent {
		mine, theirs = theirs, mine
	}
	for i := range *theirs {
		if x := &(*theirs)[i]; x.key == key {
			other = x.time
			*theirs = append((*theirs)[:i], (*theirs)[i+1:]...)
			return other, true
		}
	}
	if len(*mine) >= maxMinis {
		*mine = (*mine)[:copy(*mine, (*mine)[maxMinis/2:])]
	}
	*mine = append(*mine, mini{now, key})
	return 0, false
}

// latest returns the time of the latest unmatched arrival, 0 if there is none.
func (m *minis) latest() int64 {
	if n := len(m.wait[1]); n > 0 {
		return m.wait[1][n-1].time
	}
	return 0
}

// small takes a packet without payload.
func (d *lane) small(at End, e *event) {
	back := &d.l.lanes[d.side.Other()]
	k := mix(uint64(e.seq-d.origin[at])<<32|uint64(e.flags), 0)
	if e.flags&packet.ACK != 0 {
		k = mix(uint64(e.ack-back.origin[at]), k)
	}
	if e.sack != 0 {
		k = mix(uint64(e.sack-back.origin[at]), k)
	}
	if e.hasTS {
		k = mix(uint64(e.tsval)<<32|uint64(e.tsecr), k)
	}
	k = mix(uint64(e.data)<<16|uint64(e.window), k)
	sent := at == d.out
	other, ok := d.minis.take(k, e.time, sent)
	if !ok {
		return
	}
	arrived, delay := e.time, e.time-other
	if sent {
		arrived, delay = other, -delay
	}
	if e.flags&packet.RST == 0 {
		d.flow.bare(d, arrived, delay)
	}
	d.path.small(d.out, arrived, delay)
}

// mix folds v into a hash.
func mix(v, h uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}
