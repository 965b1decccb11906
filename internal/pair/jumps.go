package pair

import (
	"math"
	"slices"
)

// joined is by how much the stamps of two jumps may differ that are the same
// step, besides the times between packets, ns.
const joined = 50e6

// about is within which time of a step readings are left out, besides its size,
// ns.
const about = 5e6

// jumped looks for a step in what the captures' stamps say of their own hosts'
// timestamps: every direction of that host shows it that lasted long enough,
// and no path contradicts it.
func (c *Clock) jumped(k *clock) {
	best := *c
	for _, v := range k.voices {
		for _, j := range v.jumps {
			at, ok := k.confirm(v.end, j)
			if !ok || math.Abs(ms(at.size)) <= math.Abs(best.StepMS) {
				continue
			}
			try := *c
			try.StepMS = ms(at.size)
			if v.end == AtSender {
				try.StepMS = -try.StepMS
			}
			try.step = stepped{end: v.end, at: at.after, seen: true, there: true, about: abs(at.size) + at.gap() + about}
			if !try.contradicted(k) {
				best = try
			}
		}
	}
	*c = best
	if !c.step.there {
		return
	}
	at := c.step.at
	if c.step.end == AtReceiver {
		at -= c.rough
	}
	c.StepS = float64(at-k.origin) / 1e9
}

// gap is how much time passed between the packet before a jump and the one
// behind it, ns.
func (j *jump) gap() int64 { return max(0, j.after-j.before-j.size) }

// confirm asks the other directions of a host whether they show a jump as well,
// and returns the median size and the narrowest place.
func (k *clock) confirm(end End, j jump) (at jump, ok bool) {
	var sizes []int64
	against := 0
	at = j
	for _, v := range k.voices {
		if v.end != end || v.first > j.before-joined || v.last < j.after+joined {
			continue
		}
		i := slices.IndexFunc(v.jumps, func(o jump) bool {
			return o.before <= j.after+joined && j.before <= o.after+joined && abs(o.size-j.size) <= v.tick+stepMargin
		})
		if i < 0 {
			against++
			continue
		}
		if v.jumps[i].gap() < at.gap() {
			at = v.jumps[i]
		}
		sizes = append(sizes, v.jumps[i].size)
	}
	if len(sizes) == 0 || against >= len(sizes) {
		return at, false
	}
	slices.Sort(sizes)
	at.size = sizes[len(sizes)/2]
	return at, true
}

// contradicted reports whether the delays between the captures go on as if the
// step that is set had not happened: then packets waited in their host. A
// direction without queues that shows nothing of the step denies it. Else the
// path and direction that are nearest to either story tell, as others may have
// queues.
func (c *Clock) contradicted(k *clock) bool {
	for _, enough := range []int{enoughLeast, 1} {
		with, without := math.Inf(1), math.Inf(1)
		for _, p := range k.order {
			for e, sign := range []float64{1, -1} {
				for _, s := range []*series{&p.minis[e], &p.datas[e]} {
					before, behind := c.around(End(e), s)
					if min(len(before), len(behind)) < enough {
						continue
					}
					grown := behind[0] - before[0]
					if size := math.Abs(c.StepMS); math.Abs(grown) < size/2 && max(above(before), above(behind)) < size/4 {
						return true
					}
					with = min(with, math.Abs(grown-sign*c.StepMS))
					without = min(without, math.Abs(grown))
				}
			}
		}
		if !math.IsInf(with, 1) {
			return with > without
		}
	}
	return math.Abs(c.StepMS) < longestWait // no delay is known on both sides of the step
}

// enoughLeast is how many least delays on either side of a step show its part
// in them for certain.
const enoughLeast = 4

// longestWait is how long packets wait in their own host at most, ms, so that
// their timestamps lag by as much: longer than in a queue of a second.
const longestWait = 1000.0

// around returns the least delays of a series before and behind the step,
// sorted, ms.
func (c *Clock) around(out End, s *series) (before, behind []float64) {
	for _, b := range s.bins {
		at := c.arrival(out, b.t)
		switch {
		case !b.ok || c.unclear(out, at, b.d):
		case c.behind(out, at, b.d):
			behind = append(behind, ms(b.d))
		default:
			before = append(before, ms(b.d))
		}
	}
	slices.Sort(before)
	slices.Sort(behind)
	return before, behind
}

// above returns how far the median of sorted values lies above their least.
func above(sorted []float64) float64 { return sorted[len(sorted)/2] - sorted[0] }
