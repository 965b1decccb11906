package clock

import "mpanalyze/internal/tcpclock"

// maxTracks bounds the directions whose TCP timestamps are followed.
const maxTracks = 64

// TSClock compares the TCP timestamps of one direction with the capture times at
// the host that sends them: no path lies between the two. Its zero value is
// ready to use.
type TSClock struct {
	reader tcpclock.Reader
	track  *tsTrack // nil while the unit is not known, and for directions beyond maxTracks
}

// Observe takes the timestamp of a packet, and the time at which the capture at
// its sender shows the packet, ns.
func (c *TSClock) Observe(e *Estimator, at End, now int64, tsval uint32) {
	shown, ok := c.reader.Read(now, tsval, 1)
	if !ok {
		return
	}
	if c.track == nil {
		if len(e.tracks) >= maxTracks {
			return
		}
		c.track = &tsTrack{at: at, noise: c.reader.Tick() + captureNoise, first: now}
		e.tracks = append(e.tracks, c.track)
	}
	c.track.add(now, now-shown)
}

// tsTrack follows the offset of one direction: the time by the capture less the
// time by the TCP timestamp. Between two ticks of the timestamp it grows by
// less than a tick; it also grows by the time that a packet waits in the host.
// Its least values change only if a clock drifts, or was set.
type tsTrack struct {
	at          End
	noise       int64     // smaller changes of the offset are no steps, ns
	offsets     minFilter // least offsets, for the drift
	first, last int64     // capture time of the first and the latest packet, ns
	least       [2]int64  // least offsets of this window and of the one before
	since       int64     // when this window began
	n           int       // packets in this window
	row         deviation // the latest packets, if they deviate
	high        deviation // the latest of row, if they lie above the rest of it: the rest was a queue in the host, and these may show a step
	jumps       []jump    // bounded by maxJumps
}

// deviation is a number of packets in a row whose offsets all lie above the
// least offset by more than the noise, or all below it.
type deviation struct {
	sign   int64 // +1 above, -1 below, 0: no packets
	n      int
	before int64 // capture time of the last packet before these
	after  int64 // capture time of the first of these
	least  int64 // least offset of these
}

// jump is a step of the capture's clock: the two capture times between which it
// lies, and its size, ns.
type jump struct{ before, after, size int64 }

const (
	captureNoise = 1e6 // ns that a capture may add to its times
	maxJumps     = 4
	// A window of the least offset lasts a second and 32 packets.
	windowTime    = 1e9
	windowPackets = 32
	// A deviation that lasts so long is a jump.
	lastsUp      = 200e6 // ns: a queue in the host seldom lasts longer; if one does, the delays show that it is no step
	lastsDown    = 50e6  // ns: no packet leaves before its timestamp
	lastsPackets = 16
)

// add takes the offset of a packet.
func (t *tsTrack) add(now, offset int64) {
	t.offsets.add(now, offset)
	if t.last == 0 {
		t.least, t.since, t.last = [2]int64{offset, offset}, now, now
		return
	}
	least := min(t.least[0], t.least[1])
	slack := t.noise + max(0, now-t.since)*maxDrift/1e6
	switch {
	case offset > least+slack:
		t.deviates(+1, now, offset, least)
	case offset < least-slack:
		t.deviates(-1, now, offset, least)
	default:
		t.fits(now, offset)
	}
	t.last = now
}

// fits takes a packet whose offset is as before.
func (t *tsTrack) fits(now, offset int64) {
	if t.row.sign != 0 {
		t.row, t.high = deviation{}, deviation{}
	}
	t.n++
	if t.n > windowPackets && now-t.since > windowTime {
		t.least[1], t.least[0] = t.least[0], offset
		t.since, t.n = now, 1
	}
	t.least[0] = min(t.least[0], offset)
}

// deviates takes a packet whose offset is not as before.
func (t *tsTrack) deviates(sign, now, offset, least int64) {
	begun := deviation{sign: sign, before: t.last, after: now, least: offset}
	if t.row.sign != sign {
		t.row, t.high = begun, deviation{}
	}
	d := &t.row
	if offset > d.least+t.noise {
		d = &t.high
		if d.n == 0 {
			*d = begun
		}
	} else {
		t.high = deviation{}
	}
	d.n++
	d.least = min(d.least, offset)
	lasts := int64(lastsUp)
	if d.least < least {
		lasts = lastsDown
	}
	if d.n < lastsPackets || now-d.after < lasts {
		return
	}
	if len(t.jumps) < maxJumps {
		t.jumps = append(t.jumps, jump{d.before, d.after, d.least - least})
	}
	t.least, t.since, t.n = [2]int64{d.least, d.least}, now, 1
	t.row, t.high = deviation{}, deviation{}
}

// gap is how much time passed between the packet before a jump and the one
// after it, ns.
func (j *jump) gap() int64 { return max(0, j.after-j.before-j.size) }
