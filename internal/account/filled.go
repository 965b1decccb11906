package account

// filled finds the rounds in which a path is full: no packet found its queue empty, as even the least round trip was a multiple of
// the least one, and the path delivered about what it ever did. Then what holds the sender back behind that queue, a congestion
// window or a buffer, costs nothing: the path has no room for more. What else makes the round trip so long: a longer route, or a
// delay that the link adds. The same flight then comes through at half of the rate or less, which the rate excludes. Jitter, and a
// receiver that delays ACKs, leave some packets of a round without delay, which the least round trip of several packets excludes.
// A queue of ACKs on the way back is not excluded: that is a path that is full, too. The receiver sees rounds of arrivals.
type filled struct {
	spans  spans
	deep   spans                                    // those in which nothing else costs time: no loss, no receive window, no pause
	rounds [plateauLeast]struct{ bytes, us uint32 } // the latest ones: together they even out ACKs that come in batches or get lost
	count  uint32
	best   float32 // most that so many rounds in a row delivered in fullTime or longer, bytes per ns
}

const (
	fullRatio = 2    // least round trip of a round / least one
	deepRatio = 4    // the same with a queue that stays if the flight is halved twice, by a loss while another one is repaired
	fullRate  = 0.75 // of the best rate: between a full path and the same flight over a round trip twice as long
	fullTime  = 2e8  // ns: ACKs that come in batches of a tenth of it leave its rate within fullRate
)

// round takes a round, the bytes that were delivered in it, and its least round trip; 0 = none is known.
func (x *filled) round(from, to, bytes, floor, least, segment int64) {
	r, all, time := &x.rounds[x.count%plateauLeast], int64(0), int64(0)
	x.count, r.bytes, r.us = x.count+1, uint32(min(bytes, 1<<32-1)), uint32(min((to-from)/1e3, 1<<32-1))
	for _, r := range x.rounds {
		all, time = all+int64(r.bytes), time+1e3*int64(r.us)
	}
	rate := float32(all) / float32(max(1, time))
	if time >= fullTime {
		x.best = max(x.best, rate)
	}
	if x.count >= plateauLeast && floor >= fullRatio*least && floor >= least+2e6 && bytes >= roundPackets*segment && rate >= fullRate*x.best {
		x.spans.add(from, to)
		if floor >= deepRatio*least {
			x.deep.add(from, to)
		}
	}
}
