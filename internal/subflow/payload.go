package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// PartKind says what a part of a captured segment is.
type PartKind uint8

// The kinds of a part.
const (
	New        PartKind = iota // bytes never seen before on this subflow
	Retransmit                 // bytes whose SSNs were sent before on this subflow
)

// Part is a part of a captured segment's payload, all of one kind.
type Part struct {
	seq.Range[seq.SSN]
	Kind PartKind
}

// tally adds up what one captured segment holds below SND.NXT.
type tally struct {
	unclaimed   int64 // its segments that were not counted for a retransmitted part yet
	hasRexmit   bool  // part of it was seen before
	filledBytes int64 // bytes that fill holes
	lateBytes   int64 // the part of filledBytes that came so late that it was not reordered
}

// placeBelow classifies the payload of packet s, n segments that begin below SND.NXT.
func (snd *Sender) placeBelow(n int64, s *packet.Segment, out *Sent) {
	snd.tally = tally{unclaimed: n}
	snd.classify(out.Range, s, out)
	if t := &snd.tally; t.filledBytes > 0 {
		snd.HoleFills += snd.segmentsIn(t.lateBytes)
		if !t.hasRexmit {
			snd.OutOfOrder += snd.segmentsIn(t.filledBytes)
		}
	}
}

// appendToStream appends r to the stream, which packet s carries in segments of unit bytes.
func (snd *Sender) appendToStream(r seq.Range[seq.SSN], s *packet.Segment, unit int64) {
	snd.rtxQueue.push(r, s.Time, unit)
	snd.sndNxt, snd.latestNew = r.End, stampOf(s)
}

// openHole opens the hole between SND.NXT and p, where s begins.
func (snd *Sender) openHole(p seq.SSN, s *packet.Segment) {
	snd.holes.open(hole{
		Range: seq.Range[seq.SSN]{Start: snd.sndNxt, End: p}, before: snd.latestNew, after: stampOf(s),
		tsval: s.TSVal, hasTS: s.Have&packet.HasTimestamps != 0,
	})
}

// classify splits payload that begins below SND.NXT into what fills holes, what was
// sent before, and what is new.
func (snd *Sender) classify(r seq.Range[seq.SSN], s *packet.Segment, out *Sent) {
	at := r.Start
	for x := range snd.holes.list.From(snd.holes.find(r.Start)) {
		if x.Start >= r.End {
			break
		}
		run := x.Intersect(r)
		snd.retransmitted(seq.Range[seq.SSN]{Start: at, End: run.Start}, s, out)
		snd.fillHole(run, x, s, out)
		at = run.End
	}
	if at > r.Start { // it overlaps a hole
		snd.holes.close(r)
	}
	snd.retransmitted(seq.Range[seq.SSN]{Start: at, End: min(r.End, snd.sndNxt)}, s, out)
	if r.End > snd.sndNxt {
		tail := seq.Range[seq.SSN]{Start: snd.sndNxt, End: r.End}
		out.addNew(tail)
		snd.appendToStream(tail, s, snd.segBytes)
	}
}

// addNew appends r, new to the subflow, to the parts of the packet.
func (o *Sent) addNew(r seq.Range[seq.SSN]) {
	if n := len(o.Parts); n > 0 && o.Parts[n-1].Kind == New && o.Parts[n-1].End == r.Start {
		o.Parts[n-1].End = r.End
		return
	}
	o.Parts = append(o.Parts, Part{r, New})
}

// fillHole enters run, a part of hole x.
func (snd *Sender) fillHole(run seq.Range[seq.SSN], x *hole, s *packet.Segment, out *Sent) {
	out.addNew(run)
	p := rtxEntry{sent: s.Time, marks: segBytesMarks(snd.segBytes)}
	if !x.acked {
		snd.tally.filledBytes += run.Len()
		if n := snd.unackedBytes(run); n > 0 && x.tooLate(s, snd.reorderWait) {
			before := snd.segmentsIn(snd.tally.lateBytes)
			snd.tally.lateBytes += n
			snd.Loss.filled(snd, run, x, snd.segmentsIn(snd.tally.lateBytes)-before, s)
			p.marks |= rexmitted
		}
	}
	if late := min(run.End, snd.sndUna) - run.Start; late > 0 {
		out.Found = append(out.Found, Gap{int64(late), x.before, x.after})
	}
	run.Start = max(run.Start, snd.sndUna)
	if run.Empty() {
		return
	}
	p.Range = run
	if snd.sacked.Covers(run) { // the SACK was captured before the data
		p.marks |= sacked
	}
	snd.rtxQueue.list.Insert(snd.rtxQueue.find(run.Start), p)
}

// unackedBytes returns how many bytes of r are neither acknowledged nor SACKed. Data
// that was acknowledged but not captured arrived: the capture missed it.
func (snd *Sender) unackedBytes(r seq.Range[seq.SSN]) int64 {
	r.Start = max(r.Start, snd.sndUna)
	if r.Empty() {
		return 0
	}
	return r.Len() - snd.sacked.Overlap(r)
}

// retransmitted takes payload r that was sent before.
func (snd *Sender) retransmitted(r seq.Range[seq.SSN], s *packet.Segment, out *Sent) {
	if r.Empty() {
		return
	}
	out.Parts = append(out.Parts, Part{r, Retransmit})
	snd.tally.hasRexmit = true
	n := min(snd.segmentsIn(r.Len()), snd.tally.unclaimed)
	snd.tally.unclaimed -= n
	snd.RexmitSegments += n
	snd.RexmitBytes += r.Len()
	snd.Loss.retransmitted(snd, r, n, s)
	snd.markRetransmitted(r, s.Time)
}

// markRetransmitted marks r as retransmitted in the queue.
func (snd *Sender) markRetransmitted(r seq.Range[seq.SSN], now int64) {
	q := &snd.rtxQueue
	for at := q.find(r.Start); ; at = q.list.Next(at) {
		p := q.list.At(at)
		if p == nil || p.Start >= r.End {
			return
		}
		if p.Start < r.Start {
			at = q.split(at, r.Start)
			continue
		}
		if p.End > r.End {
			at = q.split(at, r.End)
			p = q.list.At(at)
		}
		p.marks |= rexmitted
		p.sent = now
	}
}
