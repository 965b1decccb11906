package decode

import "time"

// farCopy is the least delay between two places of capture that counts as a path between
// them. A host that forwards a packet takes less, except where a queue is full.
const farCopy = int64(500 * time.Microsecond)

// Copies are from two places only if there are leastFarCopies with such a delay, at least one for
// copiedShare packets, and if fewer than one in nearShare comes sooner: a router with a full queue
// delays one direction. Copies whose delays differ by less than delaySpread, with the same time to
// live and at the same interface, come from a mirror port or a tool.
const (
	leastFarCopies = 8
	copiedShare    = 8
	nearShare      = 10
	delaySpread    = int64(200 * time.Microsecond)
)

// copyDelays holds how long after a packet its copy came.
type copyDelays struct {
	near, far   int   // number of copies by their delay, below farCopy and others
	least, most int64 // delays of the far ones, ns
	apart       bool  // a far one had another place or another time to live
}

// add notes a copy; apart says that it has another place of capture or time to live.
func (d *copyDelays) add(delay int64, apart bool) {
	if delay < farCopy {
		d.near++
		return
	}
	if d.far == 0 {
		d.least, d.most = delay, delay
	}
	d.far++
	d.least, d.most = min(d.least, delay), max(d.most, delay)
	d.apart = d.apart || apart
}

// longest returns the longest delay of a copy, ns; 0 while few are far.
func (d *copyDelays) longest() int64 {
	if d.far < leastFarCopies {
		return 0
	}
	return d.most
}

// twoPlaces reports whether a path lies between the place of the packets and that of their
// copies; packets is the number of both.
func (d *copyDelays) twoPlaces(packets uint64) bool {
	return d.far >= leastFarCopies && uint64(d.far)*copiedShare >= packets &&
		d.near*nearShare < d.far+d.near && (d.apart || d.most-d.least > delaySpread)
}

// TwoPlaces reports whether packets were captured at two places with a path between them,
// as in a file that was merged from captures of both hosts. The time between two packets
// is then that of no place. least is the least delay of a copy, ns.
func (d *Decoder) TwoPlaces() (least int64, yes bool) {
	packets := d.counts.outcomes[TCP].Count + d.counts.outcomes[Duplicate].Count
	return d.dups.delays.least, d.dups.delays.twoPlaces(packets)
}
