package capture

// An epoch is the time between two steps back of the clock that stamped a capture.
// Times of two epochs cannot be compared: what several interfaces captured before
// the step comes before what they captured behind it, whatever the stamps say. Each
// shows the step at its own next packet.

const (
	// minStepBack is by how much the times of one interface must go back for another
	// epoch, ns; packets of several processors are out of order by less.
	minStepBack = 10e6
	// packetsAfterJump is how many packets are read behind a jump of the times before those
	// of before the jump are taken for complete: other interfaces' come in runs.
	packetsAfterJump = 1024
)

// clockEpoch is where one interface or file has come.
type clockEpoch struct {
	n     int
	begun bool
	prev  int64 // time of its latest packet, ns
}

// clockEpochs is where all of them have come.
type clockEpochs struct {
	n int
	// The latest time of the epoch before, as the first to leave it shows it, and the
	// first one behind the step, ns.
	end, start int64
}

// next takes the time of the next packet of one of them, and returns its epoch. One
// that shows no step back, as it was silent, joins the others once its times are
// behind the end of the epoch before, or enough was read since. The first packet of one
// is of the epoch that its time is nearer to.
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
