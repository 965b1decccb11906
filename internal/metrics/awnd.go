package metrics

import (
	"fmt"
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
)

// Awnd is the indicator by which MPTCP-rec's receiver notices that its buffer
// fills up (REC16, reconstructed): where the window that it offers stands
// between the largest and the smallest so far, relative to the mean so far.
type Awnd struct {
	Delta  stats.Dist // awnd_delta; no value while all windows were equal
	Blocks int64      // rb2loc events
	Time   int64      // ns that they lasted
	Depth  float64    // the lowest delta of any of them, as a positive number

	n, sum      int64   // observations, and the sum of their windows in octets
	least, most int64   // extremes of the windows, octets
	first, last int64   // times of the first and the latest observation, ns
	prev        float64 // the latest delta; NaN where there was none
	open        block
}

// block is an rb2loc event that lasts.
type block struct {
	lasts   bool
	since   int64 // time of its first observation, ns
	packet  uint64
	sub     *conn.Subflow // that carried this observation
	depth   float64       // lowest delta
	without *Sub          // the path that MPTCP-rec would have left out; nil for none
}

// RecPath is how long MPTCP-rec would have left a path out.
type RecPath struct {
	Times int64
	Time  int64 // ns
}

// EventBlock is the kind of the event that a receive buffer fills up (REC16).
const EventBlock conn.EventKind = "rb2loc"

// maxBlocksListed bounds the rb2loc events of one direction that are told one
// by one; the others are counted.
const maxBlocksListed = 250

// awnd takes a window of size octets that packet p offers, and returns its
// delta; NaN where there is none.
func (d *Dir) awnd(p *conn.Packet, size, now int64) float64 {
	a := &d.Awnd
	if a.n == 0 {
		a.least, a.most, a.first = size, size, now
	}
	a.last = now
	if size < a.least {
		a.least = size
	} else if size > a.most {
		a.most = size
	}
	before := a.prev
	delta := a.take(size)
	if a.least == a.most {
		return delta
	}
	d.out.emit(SeriesAwndDelta, now, delta)
	if falling := delta < 0 && delta < before; falling || a.open.lasts {
		d.block(p, falling, delta, now)
	}
	return delta
}

// take counts a window of size octets and returns its delta; NaN where there
// is none.
func (a *Awnd) take(size int64) float64 {
	a.n++
	a.sum += size
	a.prev = math.NaN()
	if a.least != a.most {
		a.prev = (float64(size) - float64(a.sum)/float64(a.n)) / float64(a.most-a.least)
	}
	return a.prev
}

// block begins, continues or ends an rb2loc event.
func (d *Dir) block(p *conn.Packet, falling bool, delta float64, now int64) {
	switch open := &d.Awnd.open; {
	case !falling:
		d.unblock(now)
	case open.lasts:
		open.depth = -delta // it falls, so this is the lowest
	default:
		*open = block{lasts: true, since: now, packet: p.Seg.Num, sub: p.Sub, depth: -delta, without: d.leastDSR(now)}
	}
}

// unblock ends the rb2loc event that lasts.
func (d *Dir) unblock(now int64) {
	a, b := &d.Awnd, d.Awnd.open
	a.open, a.last = block{}, now
	a.Blocks++
	a.Time += now - b.since
	a.Depth = max(a.Depth, b.depth)
	if b.without != nil {
		r := &b.without.dirs[d.from].Rec
		r.Times++
		r.Time += now - b.since
	}
	if a.Blocks > maxBlocksListed {
		d.m.EventsOmitted++
		return
	}
	start := d.m.Conn.Start
	detail := fmt.Sprintf("receive buffer of host %v fills up: window below its mean and falling from %.6f to %.6f s, depth %.3f",
		d.from.Other(), float64(b.since-start)/1e9, float64(now-start)/1e9, b.depth)
	if b.without != nil {
		detail += fmt.Sprintf("; MPTCP-rec would have left out subflow %d", b.without.Sub.ID)
	}
	d.m.Conn.Note(conn.Event{Time: b.since, Sub: b.sub, From: d.from, Packet: b.packet, Kind: EventBlock, Detail: detail})
}

// leastDSR returns the open subflow over which the least data arrives; nil
// where fewer than two are known.
func (d *Dir) leastDSR(now int64) (least *Sub) {
	known, lowest := 0, 0.0
	for _, s := range d.m.Subs {
		r := &s.Dir(d.from).DSR
		if s.Sub.Done() || !r.known() {
			continue
		}
		known++
		if v := r.at(now); least == nil || v < lowest {
			least, lowest = s, v
		}
	}
	if known < 2 {
		return nil
	}
	return least
}

// AllPaths returns the time between the first and the last window in which
// MPTCP-rec would have left no path out, ns.
func (d *Dir) AllPaths() int64 {
	t := d.Awnd.last - d.Awnd.first
	if t == 0 {
		return 0
	}
	for _, s := range d.m.Subs {
		t -= s.Dir(d.from).Rec.Time
	}
	return max(0, t)
}
