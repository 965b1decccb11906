package symptoms

import "mpanalyze/internal/subflow"

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
