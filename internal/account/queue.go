package account

// queue finds the time in which a path carries what it can, as the receiver sees it: in a round
// trip of arrivals no packet found the queue empty, the rate stands on its plateau, the receive
// window certainly has room, nothing is missing, and slow start is over; so it was in the rounds
// before. The delay of a packet above the least one is its time in queues.
type queue struct {
	growth
	spans spans

	since int64 // beginning of the open round; 0 = none
	bytes int64 // that arrived in it
	n     int   // packets in it
	least int64 // least delay in it, ns
	free  bool  // with all of them the window has room, and nothing is missing

	full int // rounds in a row that showed that the path carries what it can
	base LeastDelay
}

// LeastDelay is the least delay of packets so far, by the clocks of two hosts.
type LeastDelay struct {
	ns, at int64
	begun  bool
}

// Above takes the delay of a packet and returns how much longer than the least it is, ns. The least rises by what the clocks run
// apart at most.
func (x *LeastDelay) Above(now, delay int64) int64 {
	if x.ns = min(x.ns+(now-x.at)/clockDrift, delay); !x.begun {
		x.begun, x.ns = true, delay
	}
	x.at = now
	return delay - x.ns
}

const (
	// roundPackets is the least number of packets in a round: jitter that leaves half of all
	// packets without a delay leaves all of them with one in 0.4 % of rounds.
	roundPackets = 8
	// plateauLeast is how many rounds in a row show it.
	plateauLeast = 4
	// clockDrift is how much one clock may gain or lose against another, as one part of this.
	clockDrift = 10_000
)

// restart begins slow start again, after the path was down.
func (x *queue) restart() {
	x.growth.restart()
	x.full, x.since = 0, 0
}

// passed takes payload.
func (x *queue) passed(now int64, p *Data, free bool, f *filled) {
	if p.SRTT == 0 {
		return
	}
	x.base.Above(now, p.Delay)
	if x.since != 0 && now-x.since >= p.SRTT {
		x.end(now, p, f)
	}
	if x.since == 0 {
		x.since, x.bytes, x.n, x.least, x.free = now, 0, 0, p.Delay, true
	}
	x.bytes += p.Bytes
	x.n++
	x.least = min(x.least, p.Delay)
	x.free = x.free && free
}

// end ends the open round with the payload at now, which begins the next one.
func (x *queue) end(now int64, p *Data, f *filled) {
	stands := x.round(x.bytes, float64(x.bytes)/float64(now-x.since))
	waits := p.Timed && x.n >= roundPackets && x.least-x.base.ns >= 1e6+max(p.LeastRTT/10, 2e6) // 1 ms: the unit of the timestamps
	full := waits && x.free && !x.growing && stands
	if p.Timed { // the rest of the round trip is the least one
		floor := p.LeastRTT + x.least - x.base.ns
		if !x.free && floor < deepRatio*p.LeastRTT { // the sender may wait for the receive window or a loss, as there
			floor = 0
		}
		f.round(x.since, now, x.bytes, floor, p.LeastRTT, p.Segment)
	}
	if !full {
		x.full = 0
	} else if x.full++; x.full >= plateauLeast { // a burst of the application fills a queue for a round or two
		x.spans.add(x.since, now)
	}
	x.since = 0
}

func (x *queue) known(now int64) int64 { return decided(false, x.since, now) }
