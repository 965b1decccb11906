// Package tcpclock reads the timestamp clock of a host from its TCP packets (RFC 7323,
// Section 4.1). It finds the unit of the timestamps of one direction of a connection, and
// converts them to nanoseconds. Setting the time of a host does not change that clock, so
// it shows where the clock of the capture was set.
package tcpclock

// ticks are the usual units of TCP timestamps, ns.
var ticks = [...]int64{1e3, 1e6, 4e6, 10e6}

// An attempt to find the unit needs this time and more than so many packets.
const (
	learnTime    = 100e6 // ns
	learnPackets = 8
)

// Reader reads the timestamps of one direction. Its zero value is ready to use.
type Reader struct {
	tick     int64 // ns; 0 while it is not known
	shown    int64 // the time that the latest timestamp shows, ns; valid with tick
	start    int64 // capture time of the first packet of this attempt, ns
	units    int64 // by how many units the timestamps have grown since then
	latest   uint32
	packets  int32 // packets of this attempt
	attempts int32 // attempts that failed
}

// Read takes the timestamp of a packet captured at time now, ns. It returns the time that
// the timestamp shows, in nanoseconds of the same scale. ok is false while the unit is not
// known. After so many failed attempts to find the unit, the reader gives up. One packet
// that waited in a queue can make an attempt fail.
func (r *Reader) Read(now int64, tsval uint32, attempts int32) (shown int64, ok bool) {
	if r.tick == 0 {
		if r.attempts >= attempts || !r.learn(now, tsval) {
			return 0, false
		}
		r.shown = r.start + r.units*r.tick
	} else {
		r.shown = r.Shows(tsval)
	}
	r.latest = tsval
	return r.shown, true
}

// Known reports whether the unit is known.
func (r *Reader) Known() bool { return r.tick != 0 }

// Tick returns the unit, ns; 0 while it is not known.
func (r *Reader) Tick() int64 { return r.tick }

// Shows returns the time that a timestamp shows, ns; valid if the unit is known.
func (r *Reader) Shows(tsval uint32) int64 { return r.shown + int64(int32(tsval-r.latest))*r.tick }

// learn takes a packet of an attempt to find the unit, and reports whether the unit is
// known now.
func (r *Reader) learn(now int64, tsval uint32) bool {
	if r.packets == 0 {
		r.start, r.units = now, 0
	} else {
		r.units += int64(int32(tsval - r.latest))
	}
	r.latest = tsval
	r.packets++
	passed := now - r.start
	if passed < learnTime || r.packets <= learnPackets {
		return false
	}
	for _, tick := range ticks {
		if off := r.units*tick - passed; max(off, -off) <= passed/8 {
			r.tick = tick
			return true
		}
	}
	r.packets = 0
	r.attempts++
	return false
}
