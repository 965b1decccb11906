package pair

import "mpanalyze/internal/packet"

// The timestamps that a host writes into its packets (RFC 7323, Section 4.1)
// come from a clock that nobody sets: it shows when the stamps of the capture
// beside it jump, and whether they run at another rate, without any path in
// between.

// maxVoices bounds the directions whose timestamps are followed at a time.
const maxVoices = 64

// ticksKnown are the units of timestamps in use, ns.
var ticksKnown = [...]int64{1e3, 1e6, 4e6, 10e6}

// What it takes to tell the unit.
const (
	learnTime    = 100e6 // ns
	learnPackets = 8
)

// beat reads the timestamps of one direction at the host that sends them.
type beat struct {
	deaf   bool
	latest uint32
	start  int64 // time of the first packet, ns
	ticks  int64 // since then
	n      int   // packets until the unit is known
	tick   int64 // ns; 0 until then
	spoke  int64 // the latest timestamp on the scale of the stamps, ns; valid with voice
	voice  *voice
}

// take reads the timestamp of a packet that left at time now.
func (b *beat) take(c *clock, end End, now int64, ts uint32) {
	if b.voice == nil && !b.learn(c, end, now, ts) {
		return
	}
	b.spoke += int64(int32(ts-b.latest)) * b.tick
	b.latest = ts
	b.voice.take(now, now-b.spoke)
}

// hear reads the timestamp of a packet at its sender. That of a SYN may carry
// options instead of the time (SYN cookies), that of a RST nothing.
func (d *matchedDirection) noteTimestamp(s *packet.Segment) {
	if stamped(s) && s.Flags&(packet.SYN|packet.RST) == 0 {
		d.timestamps.take(&d.link.pair.clock, d.from, s.Time, s.TSVal)
	}
}

// learn finds out the unit, and reports whether it is known now.
func (b *beat) learn(c *clock, end End, now int64, ts uint32) bool {
	b.ticks += int64(int32(ts - b.latest))
	b.latest = ts
	switch {
	case b.deaf:
		return false
	case b.n == 0:
		b.start, b.ticks = now, 0
	}
	b.n++
	passed := now - b.start
	if passed < learnTime || b.n <= learnPackets {
		return false
	}
	for _, tick := range ticksKnown {
		if abs(b.ticks*tick-passed) <= passed/8 {
			b.tick = tick
			break
		}
	}
	if b.tick == 0 || len(c.voices) >= maxVoices {
		b.deaf = true
		return false
	}
	b.voice = &voice{end: end, tick: b.tick, margin: b.tick + stepMargin, first: now}
	c.voices = append(c.voices, b.voice)
	b.spoke = b.start + b.ticks*b.tick
	return true
}

// voice is what the timestamps of one direction say of the stamps: the time by
// the stamps less that by the timestamps. It lies between 0 and a tick, and
// above where packets waited in the host.
type voice struct {
	end         End
	tick        int64
	margin      int64 // deviations below it are no steps, ns
	trail       trail
	first, last int64
	level       [2]int64 // least values of this window and of the one before
	low         int64    // the lesser of both
	since       int64    // when this window began
	n           int      // packets in it
	calm        calm
	run         run    // of packets that deviate
	above       run    // those among them that stand above its floor: delays in the host, or the step, if the run is one of delays
	jumps       []jump // bounded by maxJumps
}

// calm is what packets are like that change nothing in a voice but how many
// they were.
type calm struct {
	from  int64  // least deviation
	span  uint64 // of deviations from there; 0 where no packet is calm
	until int64  // the latest time
	left  int    // packets that the last reading of the trail has yet to come
	n     int    // that came and are not counted yet
}

// run is a row of packets that all deviate in the same direction.
type run struct {
	sign   int64
	n      int
	before int64 // stamps of the last packet before it and of its first one
	after  int64
	floor  int64
}

// jump is a step of the stamps: between which two, and by how much, ns.
type jump struct{ before, after, size int64 }

const (
	stepMargin = 1e6 // ns
	maxJumps   = 4
	// A window of the level lasts a second and 32 packets.
	windowTime    = 1e9
	windowPackets = 32
	// A deviation is a step when it stays.
	stayUp      = 200e6 // ns: a queue in the host seldom lasts longer, and the paths have to agree
	stayDown    = 50e6  // ns: nothing makes a packet leave before its timestamp
	stayPackets = 16
)

// take follows the level.
func (v *voice) take(t, w int64) {
	c := &v.calm
	if uint64(w-c.from) < c.span && t <= c.until && c.n < c.left {
		c.n++
		v.last = t
		return
	}
	v.count()
	v.trail.add(t, w)
	v.judge(t, w)
	v.rest()
}

// count counts the calm packets, as the trail and keep would.
func (v *voice) count() {
	v.trail.n += v.calm.n
	v.n += v.calm.n
	v.calm.n = 0
}

// rest finds out what packets are calm from now on.
func (v *voice) rest() {
	if v.calm.span = 0; v.run.sign != 0 {
		return
	}
	v.calm.from = max(v.level[0], v.trail.last)
	v.calm.span = uint64(max(0, v.low+v.margin+1-v.calm.from))
	v.calm.until, v.calm.left = v.since+windowTime, v.trail.size-v.trail.n
}

// judge finds out whether a packet fits the level.
func (v *voice) judge(t, w int64) {
	if v.last == 0 {
		v.level, v.low, v.since, v.last = [2]int64{w, w}, w, t, t
		return
	}
	low := v.low
	slack := v.margin + max(0, t-v.since)*maxDrift/1e6
	sign := int64(0)
	switch {
	case w > low+slack:
		sign = 1
	case w < low-slack:
		sign = -1
	}
	if sign == 0 {
		v.keep(t, w)
	} else {
		v.deviate(sign, t, w, low)
	}
	v.low = min(v.level[0], v.level[1])
	v.last = t
}

// keep takes a packet that fits the level.
func (v *voice) keep(t, w int64) {
	if v.run.sign != 0 {
		v.run, v.above = run{}, run{}
	}
	v.n++
	if v.n > windowPackets && t-v.since > windowTime {
		v.level[1], v.level[0] = v.level[0], w
		v.since, v.n = t, 1
	}
	v.level[0] = min(v.level[0], w)
}

// deviate takes one that does not.
func (v *voice) deviate(sign, t, w, low int64) {
	if v.run.sign != sign {
		v.run, v.above = run{sign: sign, before: v.last, after: t, floor: w}, run{}
	}
	r := &v.run
	if w > r.floor+v.margin {
		r = &v.above
		if r.n == 0 {
			*r = run{sign: sign, before: v.last, after: t, floor: w}
		}
	} else {
		v.above = run{}
	}
	r.n++
	r.floor = min(r.floor, w)
	stay := int64(stayUp)
	if r.floor < low {
		stay = stayDown
	}
	if r.n < stayPackets || t-r.after < stay {
		return
	}
	if len(v.jumps) < maxJumps {
		v.jumps = append(v.jumps, jump{r.before, r.after, r.floor - low})
	}
	v.level, v.since, v.n, v.run, v.above = [2]int64{r.floor, r.floor}, t, 1, run{}, run{}
}
