package metrics

import (
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// bufferBlockingUnit derives awnd_delta, rb2loc and rec_path_list (REC16).
var bufferBlockingUnit = &unit{
	key:    "buffer_blocking",
	series: []*Series{seriesAwndDelta},
	family: catalogue.FamilyWindows,
	meter:  hasWindow,
	report: new(Awnd),
}

var seriesAwndDelta = &Series{name: "awnd_delta", acks: true}

// Awnd is the indicator by which MPTCP-rec's receiver notices that its buffer fills up
// (REC16, reconstructed): the place of the window that it offers between the largest
// and the smallest window so far, relative to their mean.
type Awnd struct {
	nop
	d *DataDir

	n, sum      int64      // observations, and the sum of their windows in bytes
	least, most int64      // extremes of the windows, bytes; least is -1 before the first
	first, last int64      // times of the first and the latest observation, ns
	prev        float64    // the latest delta; -Inf where there was none
	Delta       stats.Dist // awnd_delta; no value while all windows were equal
	open        block

	Blocks int64   // rb2loc events
	Time   int64   // ns, the time that the events lasted in all
	Depth  float64 // the lowest delta of any of them, as a positive number

	subs perSub[RecPath]
}

// block is an rb2loc event that lasts.
type block struct {
	lasts   bool
	since   int64 // time of its first observation, ns
	packet  uint64
	sub     *conn.Subflow // the subflow that carried this observation
	depth   float64       // lowest delta
	without *SubflowDir   // the path that MPTCP-rec would have left out; nil for none
}

// RecPath is how long MPTCP-rec would have left a path out.
type RecPath struct {
	Times int64
	Time  int64 // ns
}

// EventBlock is the kind of the event that a receive buffer fills up (REC16).
const EventBlock conn.EventKind = "rb2loc"

// maxBlocksListed bounds the rb2loc events of one direction that are listed; further
// events are only counted.
const maxBlocksListed = 250

func (a *Awnd) renew(d *DataDir) {
	*a = Awnd{d: d, Delta: a.Delta.Renewed(), least: -1, prev: math.Inf(-1)}
}

// Awnd returns the indicator of the direction.
func (d *DataDir) Awnd() *Awnd { return &d.Window().delta }

// Rec returns how long MPTCP-rec would have left the subflow out.
func (s *SubflowDir) Rec() *RecPath { return s.dir.Awnd().subs.at(s.id) }

// dataAck takes a window that the receiver offers.
func (a *Awnd) dataAck(p *conn.Packet, size, now int64) {
	a.n++
	a.sum += size
	a.last = now
	if a.least != size || a.most != size { // otherwise no window differed yet, so there is no delta
		a.differ(p, size, now)
	}
}

// differ takes the first window, and each one if not all windows are equal.
func (a *Awnd) differ(p *conn.Packet, size, now int64) {
	if a.n == 1 {
		a.least, a.most, a.first = size, size, now
		return
	}
	a.least, a.most = min(a.least, size), max(a.most, size)
	before := a.prev
	delta := (float64(size) - float64(a.sum)/float64(a.n)) / float64(a.most-a.least)
	a.prev = delta
	a.Delta.Add(delta)
	a.d.out.emit(seriesAwndDelta, now, delta)
	if falling := delta < 0 && delta < before; falling || a.open.lasts {
		a.block(p, falling, delta, now)
	}
}

// block begins, continues or ends an rb2loc event.
func (a *Awnd) block(p *conn.Packet, falling bool, delta float64, now int64) {
	switch open := &a.open; {
	case !falling:
		a.unblock(now)
	case open.lasts:
		open.depth = -delta // it falls, so this is the lowest
	default:
		*open = block{lasts: true, since: now, packet: p.Seg.Num, sub: p.Sub, depth: -delta, without: a.d.leastDSR(now)}
	}
}

// unblock ends the rb2loc event that lasts.
func (a *Awnd) unblock(now int64) {
	d, b := a.d, a.open
	a.open, a.last = block{}, now
	a.Blocks++
	a.Time += now - b.since
	a.Depth = max(a.Depth, b.depth)
	if b.without != nil {
		r := a.subs.of(b.without)
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
		detail += fmt.Sprintf("; MPTCP-rec would have left out subflow %d", b.without.id)
	}
	d.m.Conn.Note(conn.Event{Time: b.since, Sub: b.sub, From: d.from, Packet: b.packet, Kind: EventBlock, Detail: detail})
}

// close ends the rb2loc event that lasts.
func (a *Awnd) close(at int64) {
	if a.open.lasts {
		a.unblock(at)
	}
}

// leastDSR returns the open subflow with the lowest DSR; nil where fewer than two
// subflows have one.
func (d *DataDir) leastDSR(now int64) (least *SubflowDir) {
	known, lowest := 0, 0.0
	for _, sub := range d.m.inUse {
		s := sub.Dir(d.from)
		r := s.DSR()
		if sub.Sub.Done() || !r.known() {
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
func (a *Awnd) AllPaths() int64 {
	t := a.last - a.first
	if t == 0 {
		return 0
	}
	for _, r := range a.subs.all() {
		t -= r.Time
	}
	return max(0, t)
}

func (*Awnd) reportConnection(v *view, out *report.ConnDir) {
	a := v.dir().Awnd()
	if why := v.windowReason(); why != "" {
		v.SetAll(why, "rb2loc", "awnd_delta", "rec_path_list")
		return
	}
	out.RB2Loc = &report.BufferBlocking{Count: a.Blocks, TotalMS: ms(a.Time), Depth: a.Depth, Evidence: report.Reconstructed}
	out.AwndDelta = v.Stat("awnd_delta", &a.Delta, report.Reconstructed, "the window never changed")
	switch {
	case v.role != Receiver:
		v.Set("rec_path_list", "it rests on the rate of arrival (dsr_mbps); "+atReceiverOnly)
	case !v.anyDSR():
		v.Set("rec_path_list", "no path shows a rate of arrival (dsr_mbps)")
	default:
		out.RecPathList = v.recPathList()
	}
}

func (v *view) anyDSR() bool {
	return slices.ContainsFunc(v.m.Subs, func(s *Sub) bool { return s.Dir(v.from).DSR().Rates.N() > 0 })
}

func (v *view) recPathList() *report.RecPathList {
	out := &report.RecPathList{AllPathsMS: ms(v.dir().Awnd().AllPaths()), Evidence: report.Reconstructed}
	for i, s := range v.m.Subs {
		if r := s.Dir(v.from).Rec(); r.Times > 0 {
			out.Without = append(out.Without, report.RecPath{Subflow: s.Sub.ID, Path: v.named[i].Path, Count: r.Times, TotalMS: ms(r.Time)})
		}
	}
	return out
}
