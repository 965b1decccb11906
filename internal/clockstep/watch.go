package clockstep

import (
	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// Options say which steps are looked for.
type Options struct {
	// Coarse leaves out steps below [Pause]. With two captures of a session, the delays
	// between them show the size of such steps more precisely.
	Coarse bool
}

const (
	// Pause is how long a capture must be silent for a step forward to be looked for, ns.
	// So smaller steps forward are not found. ntpd steps by 128 ms or more.
	Pause = 100e6
	// leastBack is by how much capture times must go back for a step to be looked for, ns.
	// Packets of several processors or interfaces are out of order by less.
	leastBack = 3e6
	// leastHidden is how long a capture must be silent for a step back that is shorter than
	// the silence to be looked for, ns.
	leastHidden = 1e6
	// leastLate is the least error of the order that is reported, ns: of a packet that is
	// too late in the file, or of capture times that go back where no TCP timestamps prove
	// a step.
	leastLate = 10e6
	// leastWithoutTimestamps is the least step forward that is found without TCP
	// timestamps, ns. By then a sender has repeated what was not acknowledged: its first
	// retransmission timeout is at most a second (RFC 6298, Section 2).
	leastWithoutTimestamps = 2e9

	// MaxHeld bounds the packets that wait until a jump is decided.
	MaxHeld = 192
	// A step counts as proven when the packets after it cover this time and are so many.
	settleTime    = 50e6 // ns
	settlePackets = 128

	// noteAll is how many packets are all noted. After them only 32 of each 512 packets are
	// noted, because the timestamps of all say the same. Packets without timestamps are
	// always noted, because each may show data in flight.
	noteAll = 4096
	noted   = 512 - 32 // bits of a packet's number that are 0 for those 32

	// maxSteps bounds the list of steps.
	maxSteps = 32
)

// Step is a place in the capture where the clock was set.
type Step struct {
	Packet uint64 // number of the first packet after it, as in [packet.Segment]
	Iface  uint16
	Time   int64 // time of that packet by the clock as it was before all steps, ns
	Size   int64 // by how much the clock was set forward, ns; negative: back
	Within int64 // greatest error of Size where Proven, ns
	Proven bool  // by TCP timestamps; otherwise the time that really passed across it is not known
}

// Late counts packets that are too late in the order of the file, by more than sorting can
// correct.
type Late struct {
	Count  int64
	Packet uint64 // number of the first
	Time   int64  // its capture time, ns
	Most   int64  // by how much the latest of them is late, ns
}

// Watch checks the times of one host's captures, in the order of the packets in the files.
// It is not safe for concurrent use.
type Watch struct {
	opt     Options
	streams []stream // by interface; bounded by the number of interfaces
	clocks  [tableSets][setSize]tsClock
	begin   int64  // time of the first packet, ns
	latest  int64  // latest time so far, without the steps, ns
	from    uint16 // the interface of that packet
	seen    int    // packets so far
	held    bool   // the jump before the first of the waiting segments is not decided yet

	steps []Step // bounded by maxSteps
	count int64
	late  Late
}

// stream has the times of one interface of one file. Each interface needs its own: packets
// of several are merged by time, and that order is no longer exact where a clock was set.
type stream struct {
	begun bool
	prev  int64 // latest time, without the steps, ns
	shift int64 // added to a capture time to take the steps out, ns
}

// earliest and latest are the bounds of capture times.
const (
	earliest = capture.EarliestTime + packet.Origin
	latest   = capture.LatestTime + packet.Origin
)

// time returns a capture time without the steps. The result stays between the bounds,
// whatever steps damaged times show.
func (x *stream) time(at int64) int64 {
	now := at + x.shift
	switch {
	case earliest <= now && now <= latest: // a sum that overflows is outside, too
		return now
	case x.shift > 0:
		return latest
	}
	return earliest
}

// New returns a watch for captures of one host that are read together.
func New(opt Options) *Watch { return &Watch{opt: opt} }

// Steps returns the first steps, and the number of all steps.
func (w *Watch) Steps() ([]Step, int64) { return w.steps, w.count }

// Late returns the packets that were out of order.
func (w *Watch) Late() Late { return w.late }

// Look takes packets in the order of the file. Those from index from on are new; those
// before it wait since the last call. It corrects the times of the packets that it settles,
// and returns their number. The caller passes the others again, with more behind them. With
// last, no more packets will come, and all are settled.
func (w *Watch) Look(segs []packet.Segment, from int, last bool) (settled int) {
	i := from
	switch {
	case w.held:
		i = 0
	case w.seen == 0 && len(segs) > 0:
		w.begin, w.latest = segs[0].Time, segs[0].Time
	}
	var st *stream
	for iface := -1; ; {
		if i = w.quiet(segs, i); i >= len(segs) {
			break
		}
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
			now = w.lateness(s, now, w.latest) // later than a packet of another interface
		} else if now >= w.latest {
			w.latest, w.from = now, s.Iface
		}
		s.Time = now
		w.seen++
		if w.seen&noted == 0 || s.Have&packet.HasTimestamps == 0 || w.seen < noteAll || s.Flags&packet.SYN != 0 {
			w.note(s)
		}
		i++
	}
	w.held = false
	return i
}

// quiet takes packets from index i on, up to the first one that may show something: nearly
// all come in order, less than leastHidden after the packet before, on the same interface,
// and need not be noted. A loop of its own halves the work of this step, 80 instructions a packet.
func (w *Watch) quiet(segs []packet.Segment, i int) int {
	if w.seen < noteAll {
		return i
	}
	st, now, seen := &w.streams[w.from], w.latest, w.seen
	if st.prev != now {
		return i
	}
	for ; i < len(segs); i++ {
		s := &segs[i]
		t := s.Time + st.shift
		if uint64(t-now) >= leastHidden || t > latest || s.Iface != w.from || (seen+1)&noted == 0 || s.Have&packet.HasTimestamps == 0 || s.Flags&packet.SYN != 0 {
			break
		}
		s.Time, now = t, t
		seen++
	}
	st.prev, w.latest, w.seen = now, now, seen
	return i
}

// Begin returns the time of the first packet, ns.
func (w *Watch) Begin() int64 { return w.begin }

// stream returns the state of an interface.
func (w *Watch) stream(iface uint16) *stream {
	for int(iface) >= len(w.streams) {
		w.streams = append(w.streams, stream{})
	}
	return &w.streams[iface]
}

// apply corrects the time of s by the judgement on the jump before it, notes the step, and
// returns the corrected time.
func (w *Watch) apply(s *packet.Segment, st *stream, f *finding) int64 {
	now := st.time(s.Time)
	switch f.kind {
	case lateness:
		return w.lateness(s, now, st.prev)
	case step:
		size := min(f.size, now-st.prev) // time does not go back
		if first, ok := w.repeats(s.Iface, size); ok {
			size = min(first, now-st.prev)
			st.shift -= size
			return now - size
		}
		st.shift -= size
		now -= size
		proven := packet.ClockChange(0)
		if f.proven {
			proven = packet.ClockProven
		}
		mark(s, size, proven)
		if w.count++; len(w.steps) < maxSteps {
			w.steps = append(w.steps, Step{Packet: s.Num, Iface: s.Iface, Time: now, Size: size, Within: f.within, Proven: f.proven})
		}
	}
	return now
}

// lateness marks a packet that is too late in the file, and returns its corrected time: the
// time of the packet before it.
func (w *Watch) lateness(s *packet.Segment, now, prev int64) int64 {
	mark(s, now-prev, packet.OutOfOrder)
	s.Have |= packet.Untimed
	if w.late.Count++; w.late.Count == 1 {
		w.late.Packet, w.late.Time = s.Num, now
	}
	w.late.Most = max(w.late.Most, prev-now)
	return prev
}

// repeats reports whether another interface of the host showed the same step while this one was
// silent, and returns the size that it had there.
func (w *Watch) repeats(iface uint16, size int64) (first int64, ok bool) {
	silentSince := w.stream(iface).prev
	for i := range w.steps {
		x := &w.steps[i]
		if x.Iface != iface && within(x.Size-size, max(x.Within, Pause)) && silentSince-x.Time <= leastWithoutTimestamps {
			return x.Size, true
		}
	}
	return 0, false
}

// within reports whether x is between -limit and limit.
func within(x, limit int64) bool { return max(x, -x) <= limit }

// mark tells the connection of a packet what happened to the clock before the packet.
func mark(s *packet.Segment, set int64, c packet.ClockChange) {
	if s.Have&packet.ClockChanged != 0 {
		c |= s.Clock & (packet.TwoPlaces | packet.Uncountable)
	}
	s.Have |= packet.ClockChanged
	s.Clock, s.ClockSet = c, set
}
