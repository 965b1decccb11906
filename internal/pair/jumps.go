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
func (c *Clock) jumped(k *clock) bool {
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
		return false
	}
	at := c.step.at
	if c.step.end == AtReceiver {
		at -= c.rough
	}
	c.StepS = float64(at-k.origin) / 1e9
	return true
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
// step that is set had not happened: then packets waited in their host. The
// path and direction that are nearest to either story tell; others may have
// queues.
func (c *Clock) contradicted(k *clock) bool {
	with, without := math.Inf(1), math.Inf(1)
	for _, p := range k.order {
		for e, sign := range []float64{1, -1} {
			for _, s := range []*series{&p.minis[e], &p.datas[e]} {
				if grown, ok := c.grown(End(e), s); ok {
					with = min(with, math.Abs(grown-sign*c.StepMS))
					without = min(without, math.Abs(grown))
				}
			}
		}
	}
	return with > without
}

// enoughLeast is how many least delays on either side of a step show its part
// in them.
const enoughLeast = 4

// grown returns by how much the least delay behind the step exceeds the one
// before it, ms.
func (c *Clock) grown(out End, s *series) (ms float64, ok bool) {
	least := [2]int64{math.MaxInt64, math.MaxInt64}
	var n [2]int
	for _, b := range s.bins {
		at := c.arrival(out, b.t)
		if !b.ok || c.unclear(out, at, b.d) {
			continue
		}
		i := 0
		if c.behind(out, at, b.d) {
			i = 1
		}
		n[i]++
		least[i] = min(least[i], b.d)
	}
	return float64(least[1]-least[0]) / 1e6, min(n[0], n[1]) >= enoughLeast
}
