package clockstep

import (
	"encoding/binary"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// The memory for directions: sets of 4, each for directions with the same hash.
// A direction that finds no room takes that of the one that was silent longest.
const (
	clockSets = 128
	clockWays = 4
)

// ticksKnown are the units of TCP timestamps in use, ns.
var ticksKnown = [...]int64{1e6, 4e6, 10e6, 1e3}

const (
	unknownTick = 0
	noTick      = -1 // the timestamps follow no clock that is known

	// What it takes to tell the unit.
	learnTime    = 100e6 // ns
	learnPackets = 8
	learnTries   = 16 // packets that waited in a queue spoil one

	// A window of the level lasts a second and so many packets.
	windowTime    = 1e9
	windowPackets = 32

	// maxDrift is how much the clock of the capture and that of a host may gain
	// on each other, ns per ns.
	maxDrift = 500e-6
	// noise is what the capture itself adds to a stamp, ns.
	noise = 1e6
)

// tsClock is one direction of a TCP connection: what its timestamps say of the
// stamps of the capture. Their difference is smallest for packets that waited
// nowhere, and this least difference stays, but for the drift of the clocks.
type tsClock struct {
	src, dst packet.Endpoint
	known    bool
	stamped  bool // its packets carry timestamps

	tick      int64 // ns; or unknownTick, noTick
	start     int64 // time of the first packet, ns
	ticks     int64 // since then
	n         int   // packets until the unit is known, then those of this window
	tries     int   // to learn it
	latest    uint32
	stampTime int64 // the latest timestamp on the scale of the stamps, ns; valid with a tick
	level     [2]int64
	since     int64 // when this window began
	jitter    int64 // mean of how far the difference is above its least, ns
	last      int64 // time of the latest packet, ns

	// Where the unit is not known, what tells of data in flight.
	end    seq.Wire // behind what it sent
	ack    seq.Wire // the latest acknowledgment number that it sent
	sent   bool
	acking bool
}

// find returns the timestamp clock of a direction, nil where there is none.
func (w *Watch) find(src, dst *packet.Endpoint) *tsClock {
	set := &w.clocks[hash(src, dst)]
	for i := range set {
		if v := &set[i]; v.known && v.src == *src && v.dst == *dst {
			return v
		}
	}
	return nil
}

// make returns a timestamp clock for a direction that has none.
func (w *Watch) make(s *packet.Segment) *tsClock {
	set := &w.clocks[hash(&s.Src, &s.Dst)]
	v := &set[0]
	for i := range set {
		if !set[i].known {
			v = &set[i]
			break
		}
		if set[i].last < v.last {
			v = &set[i]
		}
	}
	*v = tsClock{src: s.Src, dst: s.Dst, known: true}
	return v
}

func hash(src, dst *packet.Endpoint) uint64 {
	le := binary.LittleEndian
	h := le.Uint64(src.Addr[8:]) ^ uint64(src.Port)<<16 ^ uint64(dst.Port)
	h = (h ^ h>>29) * 0x9e3779b97f4a7c15
	h ^= le.Uint64(dst.Addr[8:])
	h = (h ^ h>>32) * 0xd1b54a32d192ed03
	return h >> 57 // 128 sets
}

// note takes a packet whose stamp is right, or was put right.
func (w *Watch) note(s *packet.Segment) {
	if s.Flags&packet.RST != 0 {
		return // its timestamp may be any, and so may its numbers
	}
	v := w.find(&s.Src, &s.Dst)
	if v == nil {
		v = w.make(s)
	}
	if s.Flags&packet.SYN != 0 {
		*v = tsClock{src: s.Src, dst: s.Dst, known: true} // the timestamp may carry options instead (SYN cookies)
		v.last, v.end, v.sent = s.Time, s.End(), true
		return
	}
	v.last = s.Time
	v.stamped = s.Have&packet.HasTimestamps != 0
	if v.tick <= 0 {
		v.flight(s)
	}
	if v.stamped && v.tick != noTick {
		v.observe(s.Time, s.TSVal)
	}
}

// flight notes what a packet sends and acknowledges.
func (v *tsClock) flight(s *packet.Segment) {
	if end := s.End(); end != s.Seq && (!v.sent || int32(end-v.end) > 0) {
		v.end, v.sent = end, true
	}
	if s.Flags&packet.ACK != 0 && (!v.acking || int32(s.Ack-v.ack) > 0) {
		v.ack, v.acking = s.Ack, true
	}
}

// observe takes the timestamp of a packet.
func (v *tsClock) observe(now int64, ts uint32) {
	if v.tick == unknownTick {
		v.learn(now, ts)
		return
	}
	v.stampTime += int64(int32(ts-v.latest)) * v.tick
	v.latest = ts
	d := now - v.stampTime
	if v.n > windowPackets && now-v.since > windowTime {
		v.level[1], v.level[0] = v.level[0], d
		v.since, v.n = now, 0
	}
	v.n++
	v.level[0] = min(v.level[0], d)
	v.jitter += (d - v.low() - v.jitter) / 16
}

// learn finds out the unit of the timestamps.
func (v *tsClock) learn(now int64, ts uint32) {
	if v.n == 0 {
		v.start, v.ticks = now, 0
	} else {
		v.ticks += int64(int32(ts - v.latest))
	}
	v.latest = ts
	v.n++
	passed := now - v.start
	if passed < learnTime || v.n <= learnPackets {
		return
	}
	if v.tries++; v.tries == learnTries {
		v.tick = noTick
	}
	for _, tick := range ticksKnown {
		if off := v.ticks*tick - passed; max(off, -off) <= passed/8 {
			v.tick = tick
			break
		}
	}
	if v.tick <= 0 {
		v.n = 0
		return
	}
	v.stampTime = v.start + v.ticks*v.tick
	d := now - v.stampTime
	v.level, v.since, v.n, v.jitter = [2]int64{d, d}, now, 1, v.tick
}

// low is the least difference of late.
func (v *tsClock) low() int64 { return min(v.level[0], v.level[1]) }

// ahead returns by how much a packet at time now is further from its timestamp
// than the least of those before, and how much of that means nothing, ns.
func (v *tsClock) ahead(now int64, ts uint32) (by, slack int64) {
	stampTime := v.stampTime + int64(int32(ts-v.latest))*v.tick
	silent := max(stampTime-v.last, 0) + max(v.last-v.since, 0)
	return now - stampTime - v.low(), v.tick + noise + int64(float64(silent)*maxDrift)
}
