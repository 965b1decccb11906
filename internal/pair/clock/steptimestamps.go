package clock

import (
	"math"
	"slices"
)

// sameJump is by how much the times of two jumps of the same step may differ,
// ns, besides the times between packets.
const sameJump = 50e6

// stepInTimestamps looks for a step where the capture times of one host jump
// against the TCP timestamps of that host: most directions that lasted long
// enough must show the jump, and no path may contradict it.
func (e *Estimator) stepInTimestamps() step {
	best := step{roughLead: e.roughLead}
	for _, t := range e.tracks {
		for _, j := range t.jumps {
			j, ok := e.confirm(t.at, j)
			if !ok || math.Abs(ms(j.size)) <= math.Abs(best.size) {
				continue
			}
			try := step{
				found: true, size: -t.at.sign() * ms(j.size), inTimestamps: true, at: t.at, time: j.after,
				margin: abs(j.size) + j.gap() + aboutStep, roughLead: e.roughLead,
			}
			if !e.denies(&try) {
				best = try
			}
		}
	}
	at := best.time
	if best.at == AtReceiver {
		at -= e.roughLead
	}
	best.sinceOrigin = float64(at-e.origin) / 1e9
	return best
}

// confirm reports whether most directions of a host show a jump. It returns the
// jump with the median size, between the two capture times that are closest to
// each other.
func (e *Estimator) confirm(at End, j jump) (closest jump, ok bool) {
	var sizes []int64
	against := 0
	closest = j
	for _, t := range e.tracks {
		if t.at != at || t.first > j.before-sameJump || t.last < j.after+sameJump {
			continue
		}
		i := slices.IndexFunc(t.jumps, func(o jump) bool {
			return o.before <= j.after+sameJump && j.before <= o.after+sameJump && abs(o.size-j.size) <= t.noise
		})
		if i < 0 {
			against++
			continue
		}
		if t.jumps[i].gap() < closest.gap() {
			closest = t.jumps[i]
		}
		sizes = append(sizes, t.jumps[i].size)
	}
	if len(sizes) == 0 || against >= len(sizes) {
		return closest, false
	}
	slices.Sort(sizes)
	closest.size = sizes[len(sizes)/2]
	return closest, true
}

const (
	// sureLeast is how many least delays on either side of a step are enough to
	// see whether the delays contain it.
	sureLeast = 4
	// longestWait is the longest time that packets wait in their own host, ms:
	// longer than in a queue of a second. Their TCP timestamps are too early by
	// that time.
	longestWait = 1000.0
)

// denies reports whether the delays between the captures do not change at the
// step: then the packets waited in their host. One direction without queues
// that does not contain the step is enough. Otherwise the decision comes from
// the direction whose change is nearest to the step, or to no change: other
// directions may have queues.
func (e *Estimator) denies(st *step) bool {
	size := math.Abs(st.size)
	for _, enough := range []int{sureLeast, 1} {
		with, without := math.Inf(1), math.Inf(1)
		for _, p := range e.paths {
			for from := range p.dirs {
				for _, m := range p.dirs[from].bins() {
					before, after := e.around(End(from), m, st)
					if min(len(before), len(after)) < enough {
						continue
					}
					change := after[0] - before[0]
					if math.Abs(change) < size/2 && max(medianAboveLeast(before), medianAboveLeast(after)) < size/4 {
						return true
					}
					with = min(with, math.Abs(change-End(from).sign()*st.size))
					without = min(without, math.Abs(change))
				}
			}
		}
		if !math.IsInf(with, 1) {
			return with > without
		}
	}
	return size < longestWait // no delays are known before and after the step
}

// around returns the least delays before and after a step, ms, sorted.
func (e *Estimator) around(from End, m *minBins, st *step) (before, after []float64) {
	for _, b := range m.bins {
		at := e.arrivedAt(from, b.time)
		switch {
		case !b.ok || st.near(from, at, b.delay):
		case st.in(from, at, b.delay):
			after = append(after, ms(b.delay))
		default:
			before = append(before, ms(b.delay))
		}
	}
	slices.Sort(before)
	slices.Sort(after)
	return before, after
}

// medianAboveLeast returns the median of sorted values less the least of them.
func medianAboveLeast(sorted []float64) float64 { return sorted[len(sorted)/2] - sorted[0] }
