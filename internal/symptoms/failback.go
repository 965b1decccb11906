package symptoms

// failbackPart is the part of its former share that a path that came back carries when it is in
// use as before.
const failbackPart = 0.9

// failback is how a path that died and came back takes up its share of the payload again. It
// compares seconds of whole cells.
type failback struct {
	share     float64 // part of the payload in the second before the silence; 0 = not known, or none
	next      int64   // the next cell with which a second is to begin
	searching bool

	tries [2]PacketRef // the latest data on the path since it died
}

// tried takes data that is sent on a path that died.
func (h *Handover) tried(at PacketRef) {
	h.failback.tries = [2]PacketRef{h.failback.tries[1], at}
	h.Unanswered++
}

// keepCell keeps the payload of a path in the cell that ends, as [DataDir.keepCell] does of all
// paths. A path without payload up to now has nothing to keep.
func (t *Path) keepCell(pause int64) {
	if t.recent == nil { // as of a path that nobody follows
		if t.cellBytes == 0 || len(t.dir.c.followed) < 2 {
			return
		}
		n := t.dir.cellOf(t.dir.cellEnd) - 1
		t.recent = &recentCells{first: n, end: n}
	}
	t.recent.add(t.cellBytes, pause)
}

// shareBefore returns the part of the payload that a path carried in the second before a time; 0
// where that is not known.
func (t *Path) shareBefore(at int64) float64 {
	if t.recent == nil || t.dir.recent == nil {
		return 0
	}
	from := t.dir.cellOf(at) - rateCells
	own, known := t.recent.sum(from)
	if all, too := t.dir.recent.sum(from); known && too && all > 0 {
		return float64(own) / float64(all)
	}
	return 0
}

// comesBack takes the first progress of a path that had died.
func (h *Handover) comesBack(at PacketRef, d *DataDir) {
	h.Back, h.LastLost = at, h.failback.tries[0]
	if h.failback.tries[1].Seen() { // this one was answered
		h.Unanswered--
	}
	h.failback.next, h.failback.searching = d.cellOf(at.Time), h.failback.share > 0
}

// findFailback looks for the first second after the path came back in which it carried its share
// again. It ends if the path dies again.
func (d *DataDir) findFailback(h *Handover) {
	f, t := &h.failback, d.Follow(d.c.followed[h.From])
	if t.handover > 0 || t.recent == nil {
		f.searching = false
		return
	}
	for f.next = max(f.next, d.recent.first); f.searching && f.next+rateCells <= d.recent.end; f.next++ {
		own, known := t.recent.sum(f.next)
		all, _ := d.recent.sum(f.next)
		if known && all > 0 && float64(own) >= failbackPart*f.share*float64(all) {
			h.Failback, h.FailedBack = max(0, d.Data.From.Time+f.next*cellLength-h.Back.Time), true
			f.searching = false
		}
	}
}
