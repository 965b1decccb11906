package engine

import (
	"mpanalyze/internal/clockstep"
	"mpanalyze/internal/packet"
)

// In files that were merged from several interfaces, and in captures on several
// processors, timestamps are out of order by microseconds: an ACK may come before the
// data that it acknowledges. A packet is moved forward by no more than these bounds. A
// packet that is further off gets the time of its neighbour, so that time never goes back
// in what follows. Larger steps back in time come from a clock that was set.
const (
	maxDisorder = 1e6 // ns
	maxOvertake = 64  // packets
)

// putInOrder drops copies, takes steps of the clock out of the times, and sorts the
// segments of b by time; those from b.seen on are new. Segments after a jump of
// the timestamps wait until the clock watch has found its cause, or until last says
// that no more segments come.
func (r *reader) putInOrder(b *batch, last bool) {
	begun := b.seen
	defer func() { b.seen = b.n }()
	if r.clock == nil { // copies are not dropped either
		if b.ordered = b.n; !r.options.FileOrder {
			r.order.sort(b.segs[:b.n], begun)
		}
		return
	}
	if r.copies.undecided(b.segs[:b.n], last) {
		return
	}
	if !r.copies.begun {
		begun = 0
	}
	if begun == 0 || r.decoder.DetectsDuplicates() {
		r.copies.notePlaces(r.decoder, b.segs[begun:b.n])
		b.n = begun + r.copies.drop(b.segs[begun:b.n], r.skipped)
	}
	from := b.ordered
	waiting := b.segs[from:b.n]
	n := r.clock.Look(waiting, begun-from, last)
	if n < len(waiting) && (len(waiting)-n > clockstep.MaxHeld-runLen || payloadBytes(waiting[n:]) > maxHeldBack) {
		n += r.clock.Look(waiting[n:], len(waiting)-n, true)
	}
	b.ordered += n
	r.order.sort(b.segs[:b.ordered], from)
}

// payloadBytes returns how many bytes of payload some segments hold.
func payloadBytes(segs []packet.Segment) (n int) {
	for i := range segs {
		n += len(segs[i].Payload)
	}
	return n
}

// timeOrder puts segments in the order of time.
type timeOrder struct {
	passed int64 // time of the latest segment that no other can be moved before, ns; 0 for none

	// The segments that got another time.
	count  int64
	packet uint64 // number of the first
	time   int64  // its time in the capture, ns
	most   int64  // by how much the time of one was before, or below zero behind, its new time, ns
}

// sort sorts segments by time, within the bounds above. Those before begun are
// sorted already. Segments of equal times stay in the order of the file.
func (o *timeOrder) sort(segs []packet.Segment, begun int) {
	if begun == 0 && len(segs) > 0 && segs[0].Time < o.passed {
		o.correct(&segs[0], o.passed)
	}
	for i := max(1, begun); i < len(segs); i++ {
		if segs[i].Time < segs[i-1].Time {
			o.moveForward(segs, i)
		}
	}
}

// pass notes that segments are passed on.
func (o *timeOrder) pass(segs []packet.Segment) {
	if n := len(segs); n > 0 {
		o.passed = segs[n-1].Time
	}
}

// moveForward moves the i-th segment before those of later times.
func (o *timeOrder) moveForward(segs []packet.Segment, i int) {
	if last := &segs[i-1]; last.Time-segs[i].Time > maxDisorder && o.before(segs, i-1) <= segs[i].Time {
		o.correct(last, segs[i].Time) // it alone is too new
		return
	}
	to := i
	for to > max(0, i-maxOvertake) && segs[to-1].Time > segs[i].Time && segs[to-1].Time-segs[i].Time <= maxDisorder {
		to--
	}
	if before := o.before(segs, to); before > segs[i].Time {
		o.correct(&segs[i], before)
	}
	if to == i {
		return
	}
	s := segs[i]
	copy(segs[to+1:i+1], segs[to:i])
	segs[to] = s
}

// before returns the time of the segment before the i-th.
func (o *timeOrder) before(segs []packet.Segment, i int) int64 {
	if i == 0 {
		return o.passed
	}
	return segs[i-1].Time
}

// correct gives a segment the time of its neighbour.
func (o *timeOrder) correct(s *packet.Segment, to int64) {
	if o.count++; o.count == 1 {
		o.packet, o.time = s.Num, s.Time
	}
	if off := s.Time - to; max(off, -off) > max(o.most, -o.most) {
		o.most = off
	}
	s.Time = to
	s.Have |= packet.Untimed
}

// batchTail keeps the last segments of a batch for the next batch, because a later
// packet may have to be moved before them.
type batchTail struct {
	segs      []packet.Segment // bounded by maxOvertake and clockstep.MaxHeld
	payload   []byte           // bounded by maxHeldBack, twice
	unordered int              // how many segments at the end have no final time yet
}

// maxHeldBack bounds the payload in a tail. A batch of large segments may therefore
// leave a shorter tail.
const maxHeldBack = batchPayload / 4

// cut moves segments from the end of b to the tail: segments that are not in order yet,
// and segments that may come after a packet of the next batch.
func (e *batchTail) cut(b *batch) {
	end := b.n
	e.unordered = b.n - b.ordered
	b.n = b.ordered
	for held := 0; b.ordered-b.n < maxOvertake && b.n > 0; b.n-- {
		s := &b.segs[b.n-1]
		if held += len(s.Payload); held > maxHeldBack || b.segs[b.ordered-1].Time-s.Time > maxDisorder {
			break
		}
	}
	b.ordered = b.n
	e.segs = append(e.segs[:0], b.segs[b.n:end]...)
	for i := range e.segs {
		e.payload = keep(&e.segs[i], e.payload)
	}
}

// prependTo moves the tail to b. b must be empty.
func (e *batchTail) prependTo(b *batch) {
	b.n = copy(b.segs, e.segs)
	for i := range b.n {
		b.payload = keep(&b.segs[i], b.payload)
	}
	b.seen, b.ordered = b.n, b.n-e.unordered
	e.segs, e.payload, e.unordered = e.segs[:0], e.payload[:0], 0
}

// keep copies the payload of s to the end of buf, and returns buf.
func keep(s *packet.Segment, buf []byte) []byte {
	if len(s.Payload) == 0 {
		return buf
	}
	at := len(buf)
	buf = append(buf, s.Payload...)
	s.Payload = buf[at:len(buf):len(buf)]
	return buf
}
