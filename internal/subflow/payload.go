package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// PartKind says what a part of a captured segment is.
type PartKind uint8

// The kinds of a part.
const (
	New        PartKind = iota // octets never seen before on this subflow
	Retransmit                 // octets whose SSNs were already sent on this subflow
)

// Part is a run of a captured segment's payload of one kind.
type Part struct {
	seq.Range[seq.SSN]
	Kind PartKind
}

// tally is what one captured segment holds besides the stream's continuation.
type tally struct {
	left   int64 // segments of it that no retransmitted part has claimed yet
	copied bool  // part of it repeats what was seen
	filled int64 // octets that fill holes
	late   int64 // those that came too late for reordering
}

// old classifies the payload of packet s, n segments of which at least the
// first lies below the end of the stream, against what was sent before.
func (h *Sender) old(n int64, s *packet.Segment, out *Sent) {
	h.tally = tally{left: n}
	h.below(out.Range, s, out)
	if t := &h.tally; t.filled > 0 {
		h.HoleFills += h.units(t.late)
		if !t.copied {
			h.OutOfOrder += h.units(t.filled)
		}
	}
}

// extend continues the stream with r, sent at time now in segments of unit
// octets.
func (h *Sender) extend(r seq.Range[seq.SSN], now, unit int64) {
	h.inflight.push(r, now, unit)
	h.nxt = r.End
}

// skip opens the hole between the end of the stream and p, where s begins.
func (h *Sender) skip(p seq.SSN, s *packet.Segment) {
	h.holes.open(hole{
		Range: seq.Range[seq.SSN]{Start: h.nxt, End: p}, opened: s.Time,
		tsval: s.TSVal, hasTS: s.Have&packet.HasTimestamps != 0,
	})
}

// below is old for a segment that starts below what was sent: it fills
// holes, repeats, or both.
func (h *Sender) below(r seq.Range[seq.SSN], s *packet.Segment, out *Sent) {
	at := r.Start
	for x := range h.holes.list.From(h.holes.find(r.Start)) {
		if x.Start >= r.End {
			break
		}
		run := x.Intersect(r)
		h.repeat(seq.Range[seq.SSN]{Start: at, End: run.Start}, s, out)
		h.fill(run, x, s, out)
		at = run.End
	}
	if at > r.Start { // else it met none
		h.holes.close(r)
	}
	h.repeat(seq.Range[seq.SSN]{Start: at, End: min(r.End, h.nxt)}, s, out)
	if r.End > h.nxt {
		tail := seq.Range[seq.SSN]{Start: h.nxt, End: r.End}
		out.grow(tail)
		h.extend(tail, s.Time, h.unit)
	}
}

// grow adds new octets to the parts of the packet.
func (o *Sent) grow(r seq.Range[seq.SSN]) {
	if n := len(o.Parts); n > 0 && o.Parts[n-1].Kind == New && o.Parts[n-1].End == r.Start {
		o.Parts[n-1].End = r.End
		return
	}
	o.Parts = append(o.Parts, Part{r, New})
}

// fill enters positions below the end of the stream that were never seen: run
// is part of hole x.
func (h *Sender) fill(run seq.Range[seq.SSN], x *hole, s *packet.Segment, out *Sent) {
	out.grow(run)
	p := flight{sent: s.Time, marks: unitMarks(h.unit)}
	if !x.acked {
		h.tally.filled += run.Len()
		if n := h.missing(run); n > 0 && x.tooLate(s, h.patience) {
			before := h.units(h.tally.late)
			h.tally.late += n
			h.Loss.filled(h, run, x, h.units(h.tally.late)-before, s)
			p.marks |= rexmitted
		}
	}
	run.Start = max(run.Start, h.una)
	if run.Empty() {
		return
	}
	p.Range = run
	if h.sacked.Covers(run) { // the SACK was captured before what it acknowledges
		p.marks |= sacked
	}
	h.inflight.list.Insert(h.inflight.find(run.Start), p)
}

// missing returns how many octets of r nothing acknowledged. What was never
// captured and is acknowledged had arrived: the capture missed it.
func (h *Sender) missing(r seq.Range[seq.SSN]) int64 {
	r.Start = max(r.Start, h.una)
	if r.Empty() {
		return 0
	}
	return r.Len() - h.sacked.Overlap(r)
}

// repeat takes payload that was sent before.
func (h *Sender) repeat(r seq.Range[seq.SSN], s *packet.Segment, out *Sent) {
	if r.Empty() {
		return
	}
	out.Parts = append(out.Parts, Part{r, Retransmit})
	h.tally.copied = true
	n := min(h.units(r.Len()), h.tally.left)
	h.tally.left -= n
	h.RexmitSegments += n
	h.RexmitBytes += r.Len()
	h.Loss.retransmitted(h, r, n, s)
	h.mark(r, s.Time)
}

// mark notes on what is in flight that r was sent again.
func (h *Sender) mark(r seq.Range[seq.SSN], now int64) {
	f := &h.inflight
	for at := f.find(r.Start); ; at = f.list.Next(at) {
		p := f.list.At(at)
		if p == nil || p.Start >= r.End {
			return
		}
		if p.Start < r.Start {
			at = f.split(at, r.Start)
			continue
		}
		if p.End > r.End {
			at = f.split(at, r.End)
			p = f.list.At(at)
		}
		p.marks |= rexmitted
		p.sent = now
	}
}
