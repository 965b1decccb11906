package dss

import (
	"slices"
	"sort"

	"mpanalyze/internal/seq"
)

// duplicate is data of a subflow that another subflow carried again later. It is
// kept until an acknowledgment on the first subflow shows which of the two arrived
// first.
type duplicate struct {
	seq.Range[seq.SSN]         // the position of the original on its subflow
	data               seq.DSN // data position of Start
	sent               int64   // when the original was first sent, ns
	arrives            int64   // estimated arrival of the reinjection at the receiver, by the round trip of its subflow, ns; 0 = not known
	resent             bool    // the original was retransmitted on its subflow
}

// cut returns the part of d that lies in r; they overlap.
func (d duplicate) cut(r seq.Range[seq.SSN]) duplicate {
	part := d.Intersect(r)
	d.data += seq.DSN(part.Start - d.Start)
	d.Range = part
	return d
}

// maxDuplicates bounds the duplicates of a subflow. At the bound the oldest quarter
// counts as undecided.
const maxDuplicates = 4096

// ReinjectionOutcome is the number of reinjected bytes by what arrived first, original
// or reinjection.
type ReinjectionOutcome struct {
	ByReinjection int64 // the reinjection reached the receiver first
	ByOriginal    int64
	Undecided     int64 // the subflow of the original never acknowledged it
	NoRTT         int64 // no round trip of one of the two subflows is known
}

// ReinjectionOutcome estimates whether reinjections arrived before their
// originals. The estimate is right only in a capture at the sender. It assumes that a
// reinjection arrives half a round trip after it was sent, and an original half a round trip
// before the acknowledgment on its subflow. If that acknowledgment came more than one
// and a half round trips after the only transmission, it waited for data below; then
// the original arrived half a round trip after it was sent.
func (sp *Space) ReinjectionOutcome() ReinjectionOutcome {
	w := sp.outcome
	for _, sub := range sp.subflows {
		for _, d := range sub.duplicates {
			w.Undecided += d.Len()
		}
	}
	return w
}

// halfRTT returns half the smoothed round-trip time of the subflow, ns; 0 where none is
// known.
func (sub *SubflowSpace) halfRTT() int64 {
	if sub.RTT == nil {
		return 0
	}
	return int64(*sub.RTT / 2)
}

// noteDuplicate notes that subflow by sent a part of chunk c at time now; sub had
// carried the chunk first. If that part is acknowledged on sub already, the original
// arrived first.
func (sp *Space) noteDuplicate(sub *SubflowSpace, c *Chunk, part seq.Range[seq.DSN], by *SubflowSpace, now int64) {
	arrives := int64(0)
	if half := by.halfRTT(); half > 0 {
		arrives = now + half
	}
	sub.reinjectedData.Missing(part, func(r seq.Range[seq.DSN]) bool {
		at := c.SSN + seq.SSN(r.Start-c.Data.Start)
		if c.Acked != 0 || at+seq.SSN(r.Len()) <= sub.sndUna {
			sp.outcome.ByOriginal += r.Len()
			return true
		}
		sp.insertDuplicate(sub, duplicate{seq.Range[seq.SSN]{Start: at, End: at + seq.SSN(r.Len())}, r.Start, c.FirstSeen, arrives, c.resent})
		return true
	})
}

// insertDuplicate inserts d at its place by subflow position.
func (sp *Space) insertDuplicate(sub *SubflowSpace, d duplicate) {
	if len(sub.duplicates) >= maxDuplicates {
		for _, old := range sub.duplicates[:maxDuplicates/4] {
			sp.outcome.Undecided += old.Len()
		}
		sub.duplicates = slices.Delete(sub.duplicates, 0, maxDuplicates/4)
	}
	sub.duplicates = slices.Insert(sub.duplicates, sub.duplicateAt(d.Start), d)
	sub.lastArrival = max(sub.lastArrival, d.arrives)
	sp.lastArrival = max(sp.lastArrival, d.arrives)
}

// duplicateAt returns the index of the subflow's first duplicate that ends above p.
func (sub *SubflowSpace) duplicateAt(p seq.SSN) int {
	return sort.Search(len(sub.duplicates), func(i int) bool { return sub.duplicates[i].End > p })
}

// decideDuplicates decides whether original or reinjection arrived first. It does so for the
// duplicates in positions r of sub, which were acknowledged there for the first time at
// time now.
func (sp *Space) decideDuplicates(sub *SubflowSpace, r seq.Range[seq.SSN], now int64) {
	half := sub.halfRTT()
	sub.takeDuplicates(r, func(d duplicate) {
		arrived := now - half
		if !d.resent && now-d.sent > 3*half {
			arrived = d.sent + half
		}
		switch {
		case half == 0 || d.arrives == 0:
			sp.outcome.NoRTT += d.Len()
		case arrived > d.arrives:
			sp.outcome.ByReinjection += d.Len()
		default:
			sp.outcome.ByOriginal += d.Len()
		}
	})
}

// takeDuplicates removes the parts of the subflow's duplicates that lie in r, and calls
// f with each.
func (sub *SubflowSpace) takeDuplicates(r seq.Range[seq.SSN], f func(duplicate)) {
	i := sub.duplicateAt(r.Start)
	n := i
	var rest [2]duplicate // the parts below and above r
	k := 0
	for ; n < len(sub.duplicates) && sub.duplicates[n].Start < r.End; n++ {
		d := sub.duplicates[n]
		f(d.cut(r))
		for _, out := range [2]seq.Range[seq.SSN]{{Start: d.Start, End: r.Start}, {Start: r.End, End: d.End}} {
			if !out.Intersect(d.Range).Empty() {
				rest[k] = d.cut(out)
				k++
			}
		}
	}
	if n > i {
		sub.duplicates = slices.Replace(sub.duplicates, i, n, rest[:k]...)
	}
}

// decideByDataAck takes a DATA_ACK up to p at time now. If a reinjection of that data cannot
// have arrived by then, the original arrived first. It skips subflows whose reinjections have
// all arrived, because the duplicates of a dead path stay to the end of the connection.
func (sp *Space) decideByDataAck(p seq.DSN, now int64) {
	for _, sub := range sp.subflows {
		if now >= sub.lastArrival {
			continue
		}
		sub.duplicates = slices.DeleteFunc(sub.duplicates, func(d duplicate) bool {
			early := d.data+seq.DSN(d.Len()) <= p && now < d.arrives
			if early {
				sp.outcome.ByOriginal += d.Len()
			}
			return early
		})
	}
}

// noteRetransmitted notes that data was sent again at its positions r of the subflow.
func (sub *SubflowSpace) noteRetransmitted(data seq.Range[seq.DSN], r seq.Range[seq.SSN]) {
	sub.overlapping(data, func(c *Chunk) { c.resent = true })
	for i := sub.duplicateAt(r.Start); i < len(sub.duplicates) && sub.duplicates[i].Start < r.End; i++ {
		sub.duplicates[i].resent = true
	}
}
