package symptoms

import (
	"mpanalyze/internal/subflow"
)

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

// The limits of a fall of the rate.
const (
	// FallRatio is the part of the rate before below which the rate has fallen.
	FallRatio = 0.5
	// FallRounds least round trips, and FallLeast, are how long the rate stays down at least.
	FallRounds = 10
	FallLeast  = 500e6 // ns
	// FallRTT times the least round trip is what every round trip takes then, at least: the
	// flight of before, at half the rate, takes twice as long.
	FallRTT = 1.5
	// FallWindowRounds least round trips, or FallWindow if that is longer, is the window in
	// which the rate is measured.
	FallWindowRounds = 5
	FallWindow       = 200e6 // ns
)

// RateFalls are the times in which the rate of a path fell to less than half, at the sender:
// data was in flight throughout and took long, so that neither the sender nor a small
// congestion window held the rate down. Where nothing at all was acknowledged for a retransmission
// timeout, the path was silent and not slow: at a low rate the round trip is long, and so is the timeout.
type RateFalls struct {
	Total   int64 // ns
	Count   int64
	Longest RateFall
	Brief   PacketRange // the longest time of a low rate that was too short to count

	since PacketRef // beginning of the open window; none while nothing is in flight
	bytes int64     // acknowledged in it
	least int64     // least round trip in it, ns; 0 = no sample
	last  int64     // latest acknowledgment, ns
	open  RateFall  // the fall that goes on; its To is the end of its latest window
}

// RateFall is one time in which the rate of a path was low.
type RateFall struct {
	PacketRange
	Before Rate  // the most before it
	During Rate  // in it
	RTT    int64 // least round trip in it, ns
}

// ack takes an acknowledgment of so many new bytes. inFlight says whether data is in flight
// after it, least is the least round trip of the path and srtt the smoothed one, ns, best the highest rate so far.
func (f *RateFalls) ack(a *subflow.Ack, bytes int64, at PacketRef, inFlight bool, least int64, srtt float64, best *Rate) {
	whole := f.since.Seen() && float64(at.Time-f.last) < min(timeout(srtt), DeadAfter) // without a silence
	f.last = at.Time
	if whole {
		f.bytes += bytes
		if a.NewestRTT > 0 && (f.least == 0 || a.NewestRTT < f.least) {
			f.least = a.NewestRTT
		}
		if inFlight && at.Time-f.since.Time < max(FallWindow, FallWindowRounds*least) {
			return
		}
	}
	if whole && inFlight {
		f.window(at, least, *best)
	} else {
		f.end(least)
	}
	if f.since, f.bytes, f.least = at, 0, 0; !inFlight {
		f.since = PacketRef{}
	}
}

// window takes a window in which data was in flight throughout.
func (f *RateFalls) window(at PacketRef, least int64, best Rate) {
	now := Rate{f.bytes, at.Time - f.since.Time}
	if f.open.From.Seen() {
		best = f.open.Before
	}
	if float64(f.least) < FallRTT*float64(least) || best.Time == 0 || now.Mbps() >= FallRatio*best.Mbps() {
		f.end(least)
		return
	}
	if !f.open.From.Seen() {
		f.open = RateFall{PacketRange: PacketRange{From: f.since}, Before: best, RTT: f.least}
	}
	f.open.RTT = min(f.open.RTT, f.least)
	f.open.To = at
	f.open.During.Bytes += now.Bytes
	f.open.During.Time += now.Time
}

// end ends the open fall, and counts it if it was long enough.
func (f *RateFalls) end(least int64) {
	if d := f.open.Duration(); d >= max(FallLeast, FallRounds*least) {
		f.Total += d
		f.Count++
		if d > f.Longest.Duration() {
			f.Longest = f.open
		}
	} else if d > f.Brief.Duration() {
		f.Brief = f.open.PacketRange
	}
	f.open = RateFall{}
}

// Fallen returns the falls of the rate, the one that goes on included.
func (t *Path) Fallen() RateFalls {
	f := t.falls
	if t.sender != nil {
		f.end(t.sender.RTT.Min)
	}
	return f
}
