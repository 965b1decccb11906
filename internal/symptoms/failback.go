package symptoms

// failbackPart is the part of its former share that a path that came back carries when it is in
// use as before.
const failbackPart = 0.9

// failback is how a path that died and came back takes up its share of the payload again. It
// compares seconds of whole cells.
type failback struct {
	next      int64 // the next cell with which a second is to begin
	searching bool

	tries [2]PacketRef // the latest data on the path since it died
}

// comesBack takes the first progress of a path that had died.
func (t *Path) comesBack(at PacketRef) {
	h := &t.dir.Handovers[t.handover-1]
	h.Back, h.Blocked, t.handover = at, t.BlockedUntil(at.Time)-h.blockedBefore, 0
	h.LastLost = h.failback.tries[0]
	if h.failback.tries[1].Seen() { // this one was answered
		h.Unanswered--
	}
	h.failback.next, h.failback.searching = t.dir.cellOf(at.Time), h.Share > 0
}

// shareBefore returns the part of the payload that a path carried in the second before a time; 0
// where that is not known.
func (t *Path) shareBefore(at int64) float64 {
	from := t.dir.cellOf(at) - rateCells
	own, all := t.recent.sum(from), t.dir.recent.sum(from)
	if own < 0 || all <= 0 {
		return 0
	}
	return float64(own) / float64(all)
}

// compare sets what all paths carried before the silence of a path and after its beginning, once a
// second before and a second after are known. Then it looks for the first second after the path came
// back in which it carried its share again. That ends if the path dies again.
func (d *DataDir) compare(h *Handover) {
	f, t, at := &h.failback, d.Follow(d.c.followed[h.From]), d.cellOf(h.Gap.From.Time)
	if !h.Rated && d.cellOf(d.Data.To.Time) > at+rateCells {
		if before, after := d.recent.sum(at-rateCells), d.recent.sum(at+1); min(before, after) >= 0 {
			h.Before, h.After, h.Rated = before, after, true
		}
	}
	f.searching = f.searching && t.handover == 0
	for f.next = max(f.next, d.recent.first()); f.searching && f.next+rateCells <= d.recent.end; f.next++ {
		if own, all := float64(t.recent.sum(f.next)), float64(d.recent.sum(f.next)); all > 0 && own >= failbackPart*h.Share*all {
			h.Failback, h.FailedBack = max(0, d.Data.From.Time+f.next*cellLength-h.Back.Time), true
			f.searching = false
		}
	}
}
