package overview

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
)

// table holds the sums for one way to name paths.
type table struct {
	paths   ordered[string, [2]sums] // by direction; at most maxPaths, in the order of their first data
	rest    int64                    // bytes of further paths
	members ordered[string, member]  // connections with a subflow on the path; at most maxPaths
	groups  ordered[groupKey, Group] // at most maxGroups, and one more for each code
}

// ordered holds values by key, and the keys in the order in which they came. The zero value is empty.
type ordered[K comparable, V any] struct {
	of    map[K]*V
	order []K
}

// get returns the value of a key. It makes a new one if there are less than most, and else returns nil.
func (o *ordered[K, V]) get(key K, most int) *V {
	v := o.of[key]
	if v == nil && len(o.of) < most {
		if o.of == nil {
			o.of = map[K]*V{}
		}
		v = new(V)
		o.of[key] = v
		o.order = append(o.order, key)
	}
	return v
}

type groupKey struct {
	code report.VerdictCode
	path string
}

// member counts connections, each once.
type member struct {
	connections int
	last        Ref // connection that was counted last
}

// count counts a connection.
func (m *member) count(r Ref) {
	if m.connections == 0 || m.last.At != r.At || m.last.TCP != r.TCP {
		m.connections++
		m.last = r
	}
}

// sums holds what the subflows over a path carried in one direction.
type sums struct {
	subflows int
	bytes    int64
	payload  int64 // bytes of the subflows whose rate is known
	busy     times // when these subflows carried payload
	srtt     means
	loss     means
	lost     losses
	ratios   ratios
}

// add adds what a subflow of a connection carried in direction d, 0 or 1, from start on, ns: so many bytes of data.
func (t *table) add(name string, d int, sub *report.SubDir, bytes, start int64, of Ref) {
	p := t.paths.get(name, maxPaths)
	if p == nil {
		t.rest += bytes
		return
	}
	s := &p[d]
	s.subflows++
	s.bytes += bytes
	if r := sub.Throughput; r != nil && r.Avg > 0 {
		n := report.Known(sub.Bytes)
		s.payload += n
		s.busy.add(start, start+round(float64(n)*8e3/r.Avg)) // bytes / (Mbit/s) in ns
	}
	if r := sub.SRTT; r != nil {
		s.srtt.add(r.Evidence, r.Avg*float64(r.Samples), float64(r.Samples))
	}
	if r := sub.Drops; r != nil {
		s.loss.add(r.Evidence, 100*float64(r.Count), sentSegments(sub))
	}
	s.lost.add(sub, of)
}

// sentSegments returns how many segments a subflow sent in a direction: those captured, and those
// that were dropped before the capture point or never arrived.
func sentSegments(d *report.SubDir) float64 {
	if r := d.Drops; r != nil && r.Count > 0 && r.Percent != nil && *r.Percent > 0 {
		return 100 * float64(r.Count) / *r.Percent
	}
	return float64(d.Segments)
}

// list returns the paths, those with the most bytes first, and the bytes of further paths.
func (t *table) list() (out []Path, rest int64) {
	var all [2]int64
	for _, p := range t.paths.of {
		for d := range p {
			all[d] += p[d].bytes
		}
	}
	out = []Path{} // an empty list in JSON
	total := func(name string) int64 { return t.paths.of[name][0].bytes + t.paths.of[name][1].bytes }
	slices.SortStableFunc(t.paths.order, func(x, y string) int { return cmp.Compare(total(y), total(x)) })
	for _, name := range t.paths.order {
		for d, dir := range report.Directions {
			s := &t.paths.of[name][d]
			if s.subflows == 0 {
				continue
			}
			x := Path{Path: name, Direction: dir, Subflows: s.subflows, Bytes: s.bytes, SRTT: s.srtt.mean(), Loss: s.loss.mean()}
			if all[d] > 0 {
				x.Share = 100 * float64(s.bytes) / float64(all[d])
			}
			if ns := s.busy.Size(); ns > 0 {
				x.Rate = new(float64(s.payload) * 8e3 / float64(ns))
			}
			out = append(out, x)
		}
	}
	return out, t.rest
}

// means are weighted means, one for each kind of evidence, because figures with different
// evidence must not be mixed.
type means struct {
	ordered[report.Evidence, weighted]
}

type weighted struct{ sum, samples float64 }

func (m *means) add(e report.Evidence, sum, samples float64) {
	x := m.get(e, math.MaxInt)
	x.sum, x.samples = x.sum+sum, x.samples+samples
}

// most returns the mean with the most samples, and its evidence; without samples, one that has none.
func (m *means) most() (most weighted, evidence report.Evidence) {
	for _, e := range m.order {
		if x := m.of[e]; x.samples > most.samples {
			most, evidence = *x, e
		}
	}
	return most, evidence
}

// mean returns the mean with the most samples, or nil if there are no samples.
func (m *means) mean() *float64 {
	if most, _ := m.most(); most.samples > 0 {
		return new(most.sum / most.samples)
	}
	return nil
}

// times is a set of spans of time in ns.
type times struct{ seq.Set[int64] }

// maxTimes bounds the spans. If there are more, the two with the least time between them become
// one span, which makes the total a little longer.
const maxTimes = 256

// add adds a span.
func (t *times) add(from, to int64) {
	t.Add(seq.Range[int64]{Start: from, End: to})
	if t.Len() <= maxTimes {
		return
	}
	all, least := t.Ranges(), 0
	for i := range len(all) - 1 {
		if all[i+1].Start-all[i].End < all[least+1].Start-all[least].End {
			least = i
		}
	}
	t.Add(seq.Range[int64]{Start: all[least].End, End: all[least+1].Start})
}

// CauseCount is how many verdicts of a group name a cause.
type CauseCount struct {
	report.Cause
	// Verdicts that name it.
	Verdicts int `json:"verdicts"`
}

// countCause counts the cause of n verdicts; nil for none. There are few causes, so the list is
// short.
func (g *Group) countCause(x *report.Cause, n int) {
	if x == nil {
		return
	}
	i := slices.IndexFunc(g.Causes, func(c CauseCount) bool { return c.Code == x.Code && report.Known(c.Host) == report.Known(x.Host) })
	if i < 0 {
		i = len(g.Causes)
		g.Causes = append(g.Causes, CauseCount{Cause: *x})
	}
	g.Causes[i].Verdicts += n
}

// sortCauses puts the cause that most verdicts name first.
func (g *Group) sortCauses() {
	slices.SortStableFunc(g.Causes, func(x, y CauseCount) int {
		return cmp.Or(cmp.Compare(y.Verdicts, x.Verdicts), cmp.Compare(x.Code, y.Code))
	})
}
