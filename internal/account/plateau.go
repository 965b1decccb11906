package account

// plateauRounds is the number of rounds of a plateau.
const plateauRounds = 16

// plateau finds the time in which the most that a subflow has in flight does not grow, although
// nothing waits in a queue: a send buffer or a clamp holds. A congestion window that grows by
// half a segment in each round leaves a plateau within its 16 rounds.
type plateau struct {
	spans  spans
	rounds []round // the latest ones since the latest loss, the latest pause or the latest queue
	until  int64   // end of the latest plateau
}

// round is a round and the most bytes in flight in it.
type round struct{ from, most int64 }

func (x *plateau) restart() { x.rounds = x.rounds[:0] }

// round takes a round.
func (x *plateau) round(from, to, most, segment int64) {
	if len(x.rounds) == plateauRounds {
		x.rounds = append(x.rounds[:0], x.rounds[1:]...)
	}
	x.rounds = append(x.rounds, round{from, most})
	if len(x.rounds) == plateauRounds && x.stands(segment) {
		x.spans.add(x.rounds[0].from, to)
		x.until = to
	}
}

// stands reports whether the rounds are a plateau.
func (x *plateau) stands(segment int64) bool {
	const half = plateauRounds / 2
	least, most := x.rounds[0].most, x.rounds[0].most
	var sums [2]int64 // of the earlier and the later half
	for i, r := range x.rounds {
		least, most = min(least, r.most), max(most, r.most)
		sums[i/half] += r.most
	}
	moved := max(sums[1]-sums[0], sums[0]-sums[1])
	return most-least <= max(segment, most/8) && moved <= max(half*segment/2, sums[0]/50)
}

// pending is since when a plateau may have begun; 0 = there is none.
func (x *plateau) pending() int64 {
	if len(x.rounds) == 0 {
		return 0
	}
	return max(x.rounds[0].from, x.until)
}
