package clockstep

import (
	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// Options say what is taken for a step.
type Options struct {
	// Coarse leaves steps below [Pause] alone: with two captures of a session,
	// the delays between them tell how large those are.
	Coarse bool
}

const (
	// Pause is how long a capture must be silent to be looked at, ns: larger
	// steps forward are found. ntpd (128 ms) and others step by more.
	Pause = 100e6
	// leastBack is by how much capture times must go back to be looked at, ns.
	// Packets of several processors or interfaces are out of order by less.
	leastBack = 3e6
	// leastHidden is how long a capture must be silent, ns, for a step back that
	// is shorter than the silence to be looked for.
	leastHidden = 1e6
	// leastLate is by how much a packet must stand too late in the file, or capture
	// times go back without TCP timestamps as a proof, to be reported, ns.
	leastLate = 10e6
	// leastWithoutTimestamps is the least step forward that is found without TCP
	// timestamps, ns: by then a sender has sent again what was not acknowledged
	// (RFC 6298, Section 2: after at most a second at first).
	leastWithoutTimestamps = 2e9

	// MaxHeld bounds the packets that wait until a jump is understood.
	MaxHeld = 192
	// A step is proven when the packets after it cover so much time and are so
	// many.
	settleTime    = 50e6 // ns
	settlePackets = 128

	// noteAll is how many packets are all noted. After them 32 in a row of 512 are,
	// as timestamps tell the same in each. Those without timestamps always are, as
	// each may tell of data in flight.
	noteAll = 4096

	// maxSteps bounds the steps that are listed.
	maxSteps = 32
)

// Step is a place where the clock was set.
type Step struct {
	Packet uint64 // the first one after it, as in [packet.Segment]
	Iface  uint16
	Time   int64 // of that packet by the clock as it was before all steps, ns since the Unix epoch
	Size   int64 // ns; by how much the clock was set forward
	Within int64 // how far Size may be off where Proven, ns
	Proven bool  // by TCP timestamps; else the time that passed across it is not known
}

// Late tells of packets that stand too late in the file, by more than they can be
// moved.
type Late struct {
	Count  int64
	Packet uint64 // the first
	Time   int64  // at which that was captured, ns
	Most   int64  // by which one of them is late, ns
}

// Watch looks at the times of one host's captures, in the order of the packets in
// the files. It is not safe for concurrent use.
type Watch struct {
	opt     Options
	streams []stream // by interface; bounded by the number of interfaces
	clocks  [tableSets][setSize]tsClock
	begin   int64  // time of the first packet, ns
	latest  int64  // time, ns
	from    uint16 // the interface that showed it
	seen    int    // packets
	held    bool   // the first of the segments at hand is not understood yet

	steps []Step // bounded by maxSteps
	count int64
	late  Late
}

// stream is what is known of the times of one interface of one file: the packets
// of several are merged, which is no longer exact where a clock was set.
type stream struct {
	begun bool
	prev  int64 // the latest time, without the steps, ns
	shift int64 // what takes the steps out of a capture time, ns
}

// time returns a capture time without the steps. It stays within [capture.LatestTime],
// whatever steps damaged times show.
func (x *stream) time(at int64) int64 {
	now := at + x.shift
	switch {
	case -capture.LatestTime <= now && now <= capture.LatestTime: // also no overflow: a sum that wraps is beyond
		return now
	case x.shift > 0:
		return capture.LatestTime
	}
	return -capture.LatestTime
}

// New returns a watch for captures of one host that are read together.
func New(opt Options) *Watch { return &Watch{opt: opt} }

// Steps returns the first steps, and how many there were.
func (w *Watch) Steps() ([]Step, int64) { return w.steps, w.count }

// Late returns what was found out of order.
func (w *Watch) Late() Late { return w.late }

// Look takes the packets that follow in the order of the file: those from the
// index from on are new, those before it wait since the last call. It puts right
// the times of as many as it returns. The caller hands it the others again, with
// more behind them. With last it settles all.
func (w *Watch) Look(segs []packet.Segment, from int, last bool) (settled int) {
	i := from
	switch {
	case w.held:
		i = 0
	case w.seen == 0 && len(segs) > 0:
		w.begin, w.latest = segs[0].Time, segs[0].Time
	}
	var st *stream
	for iface := -1; i < len(segs); {
		s := &segs[i]
		if int(s.Iface) != iface {
			iface = int(s.Iface)
			st = w.stream(s.Iface)
		}
		now := st.time(s.Time)
		if since := now - st.prev; st.begun && (uint64(since+leastBack) > Pause+leastBack || w.early(s, since)) {
			f := w.judge(segs[i:], since, last)
			if w.held = f.kind == undecided; w.held {
				return i
			}
			now = w.apply(s, st, &f)
		}
		st.begun, st.prev = true, max(now, st.prev)
		if behind := w.latest - now; behind >= leastLate && int(w.from) != iface && (!w.opt.Coarse || behind >= Pause) {
			now = w.lateness(s, now, w.latest) // of another interface
		}
		if now >= w.latest {
			w.latest, w.from = now, s.Iface
		}
		s.Time = now
		w.seen++
		if w.seen&0x1e0 == 0 || s.Have&packet.HasTimestamps == 0 || w.seen < noteAll || s.Flags&packet.SYN != 0 {
			w.note(s)
		}
		i++
	}
	w.held = false
	return i
}

// Begin returns the time of the first packet, ns since the Unix epoch.
func (w *Watch) Begin() int64 { return w.begin }

// stream returns what is known of an interface.
func (w *Watch) stream(iface uint16) *stream {
	for int(iface) >= len(w.streams) {
		w.streams = append(w.streams, stream{})
	}
	return &w.streams[iface]
}

// apply puts the time of s right by what was found out, notes the step, and
// returns the time.
func (w *Watch) apply(s *packet.Segment, st *stream, f *finding) int64 {
	now := st.time(s.Time)
	switch f.kind {
	case lateness:
		return w.lateness(s, now, st.prev)
	case step:
		size := min(f.size, now-st.prev) // time does not go back
		if first, ok := w.repeats(s, now-size, size); ok {
			size = min(first, now-st.prev)
			st.shift -= size
			return now - size
		}
		st.shift -= size
		now -= size
		w.mark(s, packet.ClockChange{Size: size, Proven: f.proven})
		if w.count++; len(w.steps) < maxSteps {
			w.steps = append(w.steps, Step{Packet: s.Num, Iface: s.Iface, Time: now, Size: size, Within: f.within, Proven: f.proven})
		}
	}
	return now
}

// lateness marks a packet that stands too late in the file, and returns the time
// that it gets: that of the one before.
func (w *Watch) lateness(s *packet.Segment, now, prev int64) int64 {
	w.mark(s, packet.ClockChange{Size: now - prev, OutOfOrder: true})
	if w.late.Count++; w.late.Count == 1 {
		w.late.Packet, w.late.Time = s.Num, now
	}
	w.late.Most = max(w.late.Most, prev-now)
	return prev
}

// repeats reports whether another interface of the host showed the same step
// before, and returns the size that it had there.
func (w *Watch) repeats(s *packet.Segment, now, size int64) (first int64, ok bool) {
	for i := range w.steps {
		x := &w.steps[i]
		if x.Iface != s.Iface && within(x.Size-size, max(x.Within, Pause)) && within(x.Time-now, leastWithoutTimestamps) {
			return x.Size, true
		}
	}
	return 0, false
}

// within reports whether x is between -limit and limit.
func within(x, limit int64) bool { return max(x, -x) <= limit }

// mark tells the connections of a packet what happened to the clock before it.
func (w *Watch) mark(s *packet.Segment, c packet.ClockChange) {
	s.Have |= packet.ClockChanged
	s.Clock = c
}
