package overview

import (
	"math"
	"slices"

	"mpanalyze/internal/report"
	"mpanalyze/internal/sentences"
)

// The ways to name a path.
const (
	byPair = iota // label or address pair
	byA           // address of a, or label
	byB           // address of b, or label
	namings
)

// place is the name of a path for each way to name it.
type place [namings]string

// builder adds up the connections of a report, one after the other.
type builder struct {
	out         Overview
	keep        Keep
	part        bool  // the report is about a part of the time: a subflow without a share carried no data in it
	shares      bool  // the share of at least one subflow is known
	first, last int64 // times of the first and last packet of all connections, ns
	tables      [namings]table
	whole       table    // verdicts without their paths
	varies      [2]int   // number of connections whose subflows have several addresses at a, and at b
	segments    [2]int64 // sent on all paths, by direction
	places      []place  // of the subflows of the current connection
	used        []string // paths that carried its data
}

func newBuilder(keep Keep) *builder {
	return &builder{keep: keep, first: math.MaxInt64, last: math.MinInt64}
}

// span adds the time of a connection.
func (b *builder) span(start report.Time, duration float64) {
	b.first, b.last = min(b.first, int64(start)), max(b.last, int64(start)+round(duration*1e9))
}

// connection adds a connection of Multipath TCP.
func (b *builder) connection(i int, c *report.Connection) {
	b.out.Connections++
	b.span(c.Start, c.DurationS)
	only, dirs := report.Direction(""), c.Dirs()
	for d, x := range dirs {
		if x != nil {
			*[2]*int64{&b.out.BytesA2B, &b.out.BytesB2A}[d] += report.Known(x.Bytes)
		} else if dirs[1-d] != nil {
			only = report.Directions[1-d]
		}
	}
	if b.out.Connections == 1 {
		b.out.Only = only
	} else if b.out.Only != only {
		b.out.Only, b.out.Lacking = "", true
	}
	b.places, b.used = b.places[:0], b.used[:0]
	r := Ref{At: i, id: c.ID, bytes: c.A2B.Volume() + c.B2A.Volume()}
	for k := range c.Subflows {
		b.subflow(r, c, &c.Subflows[k])
	}
	switch n := len(b.used); {
	case n == 1:
		b.out.OnePath++
	case n > 1:
		b.out.SeveralPaths++
		b.ratios(r, c)
	}
	b.ends(c.Subflows)
	b.verdicts(r, c.DurationS, report.Known(c.Verdicts))
}

// plain adds a plain TCP connection.
func (b *builder) plain(i int, c *report.TCP) {
	b.out.TCP++
	b.span(c.Start, c.DurationS)
	bytes := int64(0)
	for _, d := range c.Dirs() {
		if d != nil {
			bytes += report.Known(d.BytesUnique)
		}
	}
	b.out.BytesTCP += bytes
	r := Ref{TCP: true, At: i, id: c.ID, bytes: bytes}
	b.places = append(b.places[:0], b.member(r, c.Path, c.A.Addr, c.B.Addr))
	b.verdicts(r, c.DurationS, c.Verdicts)
}

// common returns the names that all places share. A name is empty if they differ in it.
func common(all []place) (out place) {
	for i, at := range all {
		for k, name := range at {
			switch {
			case i == 0:
				out[k] = name
			case out[k] != name:
				out[k] = ""
			}
		}
	}
	return out
}

// ends counts at which end a connection has several addresses.
func (b *builder) ends(all []report.Subflow) {
	if slices.ContainsFunc(all, func(s report.Subflow) bool { return s.A.Addr != all[0].A.Addr }) {
		b.varies[0]++
	}
	if slices.ContainsFunc(all, func(s report.Subflow) bool { return s.B.Addr != all[0].B.Addr }) {
		b.varies[1]++
	}
}

// member counts a connection that has a subflow on a path, and returns the names of that. A label is the name in
// all ways.
func (b *builder) member(r Ref, path, addrA, addrB string) place {
	at := place{path, path, path}
	if path == addrA+"-"+addrB {
		at = place{path, addrA, addrB}
	}
	for k, name := range at {
		if m := b.tables[k].members.get(name, maxPaths); m != nil {
			m.count(r)
		}
	}
	return at
}

// subflow adds what a subflow carried to its path.
func (b *builder) subflow(r Ref, c *report.Connection, s *report.Subflow) {
	at := b.member(r, s.Path, s.A.Addr, s.B.Addr)
	b.places = append(b.places, at)
	for d, sub := range s.Dirs() {
		if sub.Volume() == 0 {
			continue
		}
		b.shares = b.shares || sub.Share != nil
		b.segments[d] += round(sentSegments(sub))
		for k, name := range at {
			b.tables[k].add(name, d, sub, b.dataBytes(sub, c.Dirs()[d]), int64(c.Start)+round(s.StartS*1e9), r)
		}
		if !slices.Contains(b.used, s.Path) {
			b.used = append(b.used, s.Path)
		}
	}
}

// dataBytes returns the application bytes that a subflow was the first to carry. If that is not
// known, it returns the payload, or 0 if the report is about a part of the time.
func (b *builder) dataBytes(s *report.SubDir, c *report.ConnDir) int64 {
	switch {
	case s.Share != nil && c != nil && c.Bytes != nil:
		return round(*s.Share / 100 * float64(*c.Bytes))
	case b.part:
		return 0
	case s.BytesUnique != nil:
		return *s.BytesUnique
	}
	return report.Known(s.Bytes)
}

// verdicts adds the verdicts on the current connection.
func (b *builder) verdicts(r Ref, duration float64, all []report.Verdict) {
	r.severity = report.Severity("").Rank() // of a connection without a verdict
	for i := range all {
		v := &all[i]
		b.out.Uncaptured = b.out.Uncaptured || v.Code == report.VerdictUncaptured
		w := weight(v, duration)
		if k := v.Severity.Rank(); k < r.severity {
			r.severity, r.weight = k, w
		} else if k == r.severity {
			r.weight = max(r.weight, w)
		}
		b.whole.verdict(v, "", w, r)
		at := common(b.places)
		if v.Subflow != nil && *v.Subflow < len(b.places) {
			at = b.places[*v.Subflow]
		}
		for k, name := range at {
			b.tables[k].verdict(v, name, w, r)
		}
	}
	if b.keep.Worst == 0 || r.TCP && !b.keep.TCP {
		return
	}
	b.out.Worst = append(b.out.Worst, r)
	if len(b.out.Worst) >= 2*b.keep.Worst+64 { // only the worst are kept
		slices.SortStableFunc(b.out.Worst, worse)
		b.out.Worst = b.out.Worst[:b.keep.Worst]
	}
}

// verdict adds a verdict to its group. w is its cost in seconds.
func (t *table) verdict(v *report.Verdict, path string, w float64, r Ref) {
	g := t.groups.get(groupKey{v.Code, path}, maxGroups)
	if g == nil {
		path = ""
		g = t.groups.get(groupKey{v.Code, path}, math.MaxInt)
	}
	if g.Code == "" {
		*g = Group{Code: v.Code, Path: path, Severity: v.Severity, Causes: []CauseCount{}, worst: -1}
	}
	g.counted.count(r)
	g.Connections = g.counted.connections
	g.weight += w
	g.countCause(v.Cause, 1)
	if v.CostS != nil {
		g.CostS = sum(g.CostS, *v.CostS)
	}
	if v.CostBytes != nil {
		g.CostBytes = sum(g.CostBytes, *v.CostBytes)
	}
	worse := v.Severity.Rank() < g.Severity.Rank()
	if worse {
		g.Severity = v.Severity
	}
	if worse || g.worst < 0 || v.Severity == g.Severity && w > g.worst {
		g.worst, g.Headline, g.Text, g.Remedy, g.Worst, g.WorstTCP = w, v.Headline, v.Text, sentences.For(v), r.id, r.TCP
	}
}

// sum adds v to a figure. The figure is nil if it is not known yet.
func sum[T int64 | float64](p *T, v T) *T {
	if p == nil {
		return &v
	}
	*p += v
	return p
}
