package build

import (
	"math"

	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// split is the reason why figures of a connection's data do not come from both
// captures.
const split = "one capture shows parts of the connection as connections of their own"

// whole returns a function that reports whether both captures show the same connection.
// They do if all its subflows with data, in each capture, belong to one connection of
// the other capture.
func whole(flows []pair.Subflow) func(*pair.Conn) bool {
	var other [2]map[int]int // by capture: the only connection of the other one, or -1 where there are several
	for e := range other {
		other[e] = map[int]int{}
		for i := range flows {
			if a, b := flows[i].Dirs[0], flows[i].Dirs[1]; a.Sent+a.Arrived+b.Sent+b.Arrived == 0 {
				continue
			}
			own, far := flows[i].ID[e].Conn, flows[i].ID[1-e].Conn
			if was, ok := other[e][own]; ok && was != far {
				far = -1
			}
			other[e][own] = far
		}
	}
	return func(c *pair.Conn) bool {
		for e := range other {
			if far, ok := other[e][c.ID[e]]; ok && far != c.ID[1-e] {
				return false
			}
		}
		return true
	}
}

// sumUp makes the totals of a merged connection the sums over its subflows, which may
// come from either capture. part says that only a part of the time was measured.
// Figures of that part, such as shares, then stay those of one capture.
func sumUp(c *report.Connection, part bool) {
	a, b := make([]*report.SubDir, len(c.Subflows)), make([]*report.SubDir, len(c.Subflows))
	for i := range c.Subflows {
		s := &c.Subflows[i]
		a[i], b[i] = s.A2B, s.B2A
		c.DurationS = math.Max(c.DurationS, s.EndS)
	}
	sumUpDir(c.A2B, c.Subflows, a, part)
	sumUpDir(c.B2A, c.Subflows, b, part)
}

// sumUpDir does what sumUp does, for one direction.
func sumUpDir(d *report.ConnDir, subflows []report.Subflow, dirs []*report.SubDir, part bool) {
	d.Segments, d.RetransmittedSegments, d.RetransmittedBytes = 0, 0, 0
	known := d.Bytes != nil
	for _, s := range dirs {
		d.Segments += s.Segments
		d.RetransmittedSegments += s.RetransmittedSegments
		d.RetransmittedBytes += s.RetransmittedBytes
		known = known && s.BytesUnique != nil && s.ReinjectedBytes != nil
	}
	if !known {
		return
	}
	var bytes, segments, reinjected, same int64
	for _, s := range dirs {
		bytes += first(s)
		segments += *s.ReinjectedSegments
		reinjected += *s.ReinjectedBytes
		same += *s.ReinjectedSameSubflowBytes
	}
	d.Bytes, d.ReinjectedSegments, d.ReinjectedBytes, d.ReinjectedSameSubflowBytes = &bytes, &segments, &reinjected, &same
	sumPaths(d, subflows, dirs)
	if part {
		addShares(d, subflows, dirs)
		return
	}
	sumShares(d, dirs)
	d.Overhead, d.AggregationBenefit = nil, nil
	if bytes > 0 {
		d.Overhead = new(100 * float64(d.RetransmittedBytes+reinjected) / float64(bytes))
		d.AggregationBenefit = new(float64(bytes) / float64(bestPath(d.Paths)))
	}
	d.Unavailable.Settle("overhead_percent_of_data", bytes == 0, fill.NoData)
	d.Unavailable.Settle("aggregation_benefit", bytes == 0, fill.NoData)
}

// first returns the bytes of data that the subflow was the first to carry.
func first(d *report.SubDir) int64 { return *d.BytesUnique - *d.ReinjectedBytes }

// sumPaths fills in what paths carried.
func sumPaths(d *report.ConnDir, subflows []report.Subflow, dirs []*report.SubDir) {
	at := map[string]int{}
	d.Paths = nil
	d.Unavailable.Settle("paths", false, "")
	for i, s := range dirs {
		name := subflows[i].Path
		k, ok := at[name]
		if !ok {
			k = len(d.Paths)
			at[name] = k
			d.Paths = append(d.Paths, report.PathShare{Path: name, Bytes: new(int64), FirstBytes: new(int64), ReinjectedBytes: new(int64)})
		}
		p := &d.Paths[k]
		p.Subflows = append(p.Subflows, subflows[i].ID)
		*p.Bytes += *s.Bytes
		*p.FirstBytes += first(s)
		*p.ReinjectedBytes += *s.ReinjectedBytes
		p.RetransmittedBytes += s.RetransmittedBytes
	}
}

// sumShares fills in the shares of all data that subflows and paths carried.
func sumShares(d *report.ConnDir, dirs []*report.SubDir) {
	d.Unavailable.Settle("paths[].share_percent", *d.Bytes == 0, fill.NoData)
	for _, s := range dirs {
		s.Share = nil
		if *d.Bytes > 0 {
			s.Share = new(100 * float64(first(s)) / float64(*d.Bytes))
		}
		s.Unavailable.Settle("share_percent", s.Share == nil, fill.NoData)
	}
	for i := range d.Paths {
		if p := &d.Paths[i]; *d.Bytes > 0 {
			p.Percent = new(100 * float64(*p.FirstBytes) / float64(*d.Bytes))
		}
	}
}

// addShares makes the share of a path the sum of the shares of its subflows. If one of
// these shares is not known, the path has no share, for the same reason.
func addShares(d *report.ConnDir, subflows []report.Subflow, dirs []*report.SubDir) {
	why, missing := "", false
	for i := range d.Paths {
		p, sum, known := &d.Paths[i], 0.0, true
		for j, s := range dirs {
			switch {
			case subflows[j].Path != p.Path:
			case s.Share == nil:
				why, _ = s.Unavailable.Of("share_percent")
				known, missing = false, true
			default:
				sum += *s.Share
			}
		}
		if known {
			p.Percent = &sum
		}
	}
	d.Unavailable.Settle("paths[].share_percent", missing, why)
}

// bestPath returns the largest number of bytes of data that one path, with all its
// subflows, was the first to carry; 0 without paths.
func bestPath(paths report.List[report.PathShare]) (best int64) {
	for _, p := range paths {
		best = max(best, *p.FirstBytes)
	}
	return best
}

// advance moves the beginning of the connection to an earlier time, by a number of
// seconds.
func advance(c *report.Connection, by float64) {
	c.Start -= report.Time(math.Round(by * 1e9))
	c.DurationS += by
	for i := range c.Subflows {
		c.Subflows[i].StartS += by
		c.Subflows[i].EndS += by
	}
	for i := range c.Events {
		c.Events[i].TS += by
	}
	for _, d := range []*report.ConnDir{c.A2B, c.B2A} {
		handovers := report.Items(d.Handovers)
		for i := range handovers {
			h := &handovers[i]
			h.TS += by
			if h.RecoveredS != nil {
				*h.RecoveredS += by
			}
		}
	}
	for _, v := range report.Items(c.Verdicts) {
		for _, p := range v.Evidence {
			if p.TS != nil {
				*p.TS += by
			}
		}
	}
}
