package dss

import (
	"slices"
	"sort"

	"mpanalyze/internal/seq"
)

// duplicate is data of a lane that another lane carried later, until the lane's
// own acknowledgment tells which of the two arrived first.
type duplicate struct {
	seq.Range[seq.SSN]         // where the original stands on its lane
	data               seq.DSN // of Start
	sent               int64   // when the original was first sent, ns
	arrives            int64   // when the copy reaches the receiver, as its lane's round trip says, ns; 0 = not known
	resent             bool    // the original was sent again on its lane
}

// cut returns the part of d that lies in r, which meets it.
func (d duplicate) cut(r seq.Range[seq.SSN]) duplicate {
	part := d.Intersect(r)
	d.data += seq.DSN(part.Start - d.Start)
	d.Range = part
	return d
}

// maxDuplicates bounds the duplicates of a lane. At the bound the oldest are
// forgotten, and it is not known which of the two came first.
const maxDuplicates = 4096

// ReinjectionOutcome is what came of octets that were reinjected onto another lane.
type ReinjectionOutcome struct {
	ByCopy     int64 // the copy reached the receiver first
	ByOriginal int64
	Undecided  int64 // the lane of the original never acknowledged it
	NoRTT      int64 // one of the two lanes has no round trip
}

// ReinjectionOutcome returns which copies of reinjected data arrived first, by estimate, as
// only a capture at the sender allows. A copy arrives half a round trip after it
// left. An original arrived half a round trip before its lane acknowledged it. Where
// that took more than one and a half round trips of what was sent but once, it
// arrived half a round trip after that: the acknowledgment waited for what was
// missing below.
func (sp *Space) ReinjectionOutcome() ReinjectionOutcome {
	w := sp.worth
	for _, l := range sp.lanes {
		for _, d := range l.duplicates {
			w.Undecided += d.Len()
		}
	}
	return w
}

// halfTrip returns half the lane's smoothed round trip, ns; 0 where none is known.
func (l *SubflowSpace) halfTrip() int64 {
	if l.RTT == nil {
		return 0
	}
	return int64(*l.RTT / 2)
}

// duplicated notes that part of chunk c, which lane l was the first to carry, was
// sent on lane by too, at time now. What is acknowledged by then the original
// brought.
func (sp *Space) duplicated(l *SubflowSpace, c *Chunk, part seq.Range[seq.DSN], by *SubflowSpace, now int64) {
	arrives := int64(0)
	if half := by.halfTrip(); half > 0 {
		arrives = now + half
	}
	l.elsewhere.Missing(part, func(r seq.Range[seq.DSN]) bool {
		at := c.SSN + seq.SSN(r.Start-c.Data.Start)
		if c.Acked != 0 || at+seq.SSN(r.Len()) <= l.una {
			sp.worth.ByOriginal += r.Len()
			return true
		}
		sp.enterDuplicate(l, duplicate{seq.Range[seq.SSN]{Start: at, End: at + seq.SSN(r.Len())}, r.Start, c.FirstSeen, arrives, c.resent})
		return true
	})
}

// enterDuplicate keeps d in the order of the stream.
func (sp *Space) enterDuplicate(l *SubflowSpace, d duplicate) {
	if len(l.duplicates) >= maxDuplicates {
		for _, old := range l.duplicates[:maxDuplicates/4] {
			sp.worth.Undecided += old.Len()
		}
		l.duplicates = slices.Delete(l.duplicates, 0, maxDuplicates/4)
	}
	l.duplicates = slices.Insert(l.duplicates, l.duplicateAt(d.Start), d)
	l.arrivesLast = max(l.arrivesLast, d.arrives)
	sp.lastCopy = max(sp.lastCopy, d.arrives)
}

// duplicateAt returns the index of the first duplicate of the lane that ends above p.
func (l *SubflowSpace) duplicateAt(p seq.SSN) int {
	return sort.Search(len(l.duplicates), func(i int) bool { return l.duplicates[i].End > p })
}

// decide takes positions r of lane l, acknowledged there for the first time at
// time now: what of them is duplicated is decided.
func (sp *Space) decide(l *SubflowSpace, r seq.Range[seq.SSN], now int64) {
	half := l.halfTrip()
	l.take(r, func(d duplicate) {
		arrived := now - half
		if !d.resent && now-d.sent > 3*half {
			arrived = d.sent + half
		}
		switch {
		case half == 0 || d.arrives == 0:
			sp.worth.NoRTT += d.Len()
		case arrived > d.arrives:
			sp.worth.ByCopy += d.Len()
		default:
			sp.worth.ByOriginal += d.Len()
		}
	})
}

// take calls f with the parts of the lane's duplicates that lie in r, and forgets these.
func (l *SubflowSpace) take(r seq.Range[seq.SSN], f func(duplicate)) {
	i := l.duplicateAt(r.Start)
	n := i
	var rest [2]duplicate // what sticks out of r at either end
	k := 0
	for ; n < len(l.duplicates) && l.duplicates[n].Start < r.End; n++ {
		d := l.duplicates[n]
		f(d.cut(r))
		for _, out := range [2]seq.Range[seq.SSN]{{Start: d.Start, End: r.Start}, {Start: r.End, End: d.End}} {
			if !out.Intersect(d.Range).Empty() {
				rest[k] = d.cut(out)
				k++
			}
		}
	}
	if n > i {
		l.duplicates = slices.Replace(l.duplicates, i, n, rest[:k]...)
	}
}

// delivered takes a DATA_ACK up to p at time now. What it covers before a copy can
// have arrived the original brought. A lane of which all copies have arrived is not
// searched: the duplicates of a path that died stay for as long as the connection.
func (sp *Space) delivered(p seq.DSN, now int64) {
	for _, l := range sp.lanes {
		if now >= l.arrivesLast {
			continue
		}
		l.duplicates = slices.DeleteFunc(l.duplicates, func(d duplicate) bool {
			early := d.data+seq.DSN(d.Len()) <= p && now < d.arrives
			if early {
				sp.worth.ByOriginal += d.Len()
			}
			return early
		})
	}
}

// repeats notes that data was sent again at its positions r of the lane.
func (l *SubflowSpace) repeats(data seq.Range[seq.DSN], r seq.Range[seq.SSN]) {
	l.over(data, func(c *Chunk) { c.resent = true })
	for i := l.duplicateAt(r.Start); i < len(l.duplicates) && l.duplicates[i].Start < r.End; i++ {
		l.duplicates[i].resent = true
	}
}
