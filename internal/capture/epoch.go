package capture

// A clock epoch is the time between two steps back of the clock that stamped a capture.
// Times of two epochs cannot be compared: packets before the step come before packets
// after it, on all interfaces, whatever their times. Each interface shows the step at
// its own next packet.

const (
	// minStepBack is how far the times of one interface must go back for a new epoch, in ns.
	// Packets from several processors are out of order by less.
	minStepBack = 10e6
	// packetsAfterJump is the number of packets that are read after a time jump until it is
	// assumed that no packet from before the jump follows. Packets of other interfaces come in
	// groups, so some can follow late.
	packetsAfterJump = 1024
)

// clockEpoch is the state of one interface or file.
type clockEpoch struct {
	n     int
	begun bool
	prev  int64 // time of its latest packet, ns
}

// clockEpochs is the state that all interfaces or files share.
type clockEpochs struct {
	n int
	// The latest time of the epoch before, from the interface that left it first, and
	// the first time after the step, ns.
	end, start int64
}

// next returns the epoch of the next packet of one interface, which has this time. If an
// interface was silent at the step, its own times do not show the step. It joins the new epoch
// when its times are above the end of the epoch before, or when over says that enough packets
// were read. The first packet of an interface belongs to the epoch whose times are nearer.
func (a *clockEpochs) next(e *clockEpoch, time int64, over bool) int {
	switch {
	case !e.begun:
		if e.n = a.n; e.n > 0 && !over && time <= a.end+mergeHorizon && max(time-a.end, a.end-time) < max(time-a.start, a.start-time) {
			e.n--
		}
	case time < e.prev-minStepBack:
		if e.n++; e.n > a.n {
			a.n, a.end, a.start = e.n, e.prev, time
		}
	case e.n < a.n && (over || time > a.end+mergeHorizon):
		e.n = a.n
	}
	e.begun, e.prev = true, time
	return e.n
}
