package symptoms

import "mpanalyze/internal/subflow"

// The spans over which the delivered rate of a path is measured: a second, or so many
// smoothed round trips if that is longer. A path whose data took less than a second is
// measured over all of it, if that is not less than deliveredLeast.
const (
	DeliveredSpan   = 1e9 // ns
	DeliveredRounds = 8
	deliveredLeast  = 200e6 // ns
)

// deliveredMarks is the number of marks in a span, and two more: the latest span begins
// at the second mark or later.
const deliveredMarks = 6

// Delivered is the most data of a path that its receiver acknowledged, cumulatively or
// selectively, over a span. Data counts when it is acknowledged first, so that an
// acknowledgment that fills a hole adds only what filled it. Such a rate is at most that
// of the slowest link of the path: a span begins with an acknowledgment, what this one
// covers does not count, and the span is not shorter than the time in which the data was
// sent, so that acknowledgments that waited together in a queue raise no rate.
type Delivered struct {
	Best Rate // of the span with the highest rate; zero before the first span

	first, last deliveredMark
	marks       [deliveredMarks]deliveredMark // the latest ones, a ring
	n           int                           // number of marks up to now
	marked      int64                         // time of the latest mark, ns; valid with n
}

// Rate is an amount of data and the time that it took.
type Rate struct{ Bytes, Time int64 }

// Mbps returns the rate; 0 where there is none.
func (r Rate) Mbps() float64 {
	if r.Time <= 0 {
		return 0
	}
	return float64(r.Bytes) * 8e3 / float64(r.Time)
}

// deliveredMark is the state after an acknowledgment.
type deliveredMark struct {
	at    int64 // ns
	bytes int64 // acknowledged up to now
	sent  int64 // when the newest segment acknowledged up to now was sent, ns
}

// to returns the rate between two marks.
func (m *deliveredMark) to(o *deliveredMark) Rate {
	return Rate{o.bytes - m.bytes, max(o.at-m.at, o.sent-m.sent)}
}

// ack takes an acknowledgment of so many new bytes at the time now. srtt is the smoothed round
// trip of the path, ns.
func (d *Delivered) ack(a *subflow.Ack, bytes, now int64, srtt float64) {
	if pause := now - d.last.at; d.n > 0 && pause > DeliveredSpan && pause > spanOf(srtt) {
		if r, ok := d.Most(); ok { // what came before counts as a whole if it has no span
			d.Best = r
		}
		d.n = 0 // a rate across the pause says little
	}
	d.last.at = now
	d.last.bytes += bytes
	if a.New && a.NewestRTT > 0 {
		d.last.sent = max(d.last.sent, now-a.NewestRTT)
	}
	if d.n == 0 || now-d.marked >= DeliveredSpan/(deliveredMarks-2) { // nearly never
		d.mark(spanOf(srtt))
	}
}

// spanOf returns the span of a path with a smoothed round trip, ns.
func spanOf(srtt float64) int64 { return max(DeliveredSpan, int64(DeliveredRounds*srtt)) }

// mark sets a mark where one is due, and ends the shortest span that is long enough.
func (d *Delivered) mark(span int64) {
	switch {
	case d.n == 0:
		d.first = d.last
		if d.last.sent == 0 { // without the time of the first segment no span has a time of sending
			return
		}
	case d.last.at-d.marked < span/(deliveredMarks-2):
		return
	}
	for i := d.n - 1; i >= max(0, d.n-deliveredMarks); i-- {
		m := &d.marks[i%deliveredMarks]
		if d.last.at-m.at < span {
			continue
		}
		if r := m.to(&d.last); r.Mbps() > d.Best.Mbps() {
			d.Best = r
		}
		break
	}
	d.marks[d.n%deliveredMarks] = d.last
	d.marked = d.last.at
	d.n++
}

// Most returns the highest rate at which data was acknowledged over a span; ok is false
// where too little was acknowledged to tell.
func (d *Delivered) Most() (r Rate, ok bool) {
	if d.Best.Time > 0 {
		return d.Best, true
	}
	r = d.first.to(&d.last)
	return r, d.n > 0 && r.Bytes > 0 && r.Time >= deliveredLeast
}

// DeliveredRate returns the highest rate at which the receiver acknowledged data over a second
// or longer, of all paths together. ok is false where it is not known: see [Path.DeliveredRate].
func (d *DataDir) DeliveredRate() (mbps float64, ok bool) {
	if d.c == nil {
		return 0, false
	}
	for _, s := range d.c.followed {
		if t := s.Path(d.from); t.sender == nil || t.sender.Bytes == 0 {
			continue
		} else if mbps, ok = t.DeliveredRate(); !ok && t.lacksSACK() {
			return 0, false
		}
	}
	if d.together == nil {
		return mbps, ok
	}
	r, ok := d.together.Most()
	return r.Mbps(), ok
}
