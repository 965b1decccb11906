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
// come from either capture.
func (b *Builder) sumUp(c *report.Connection) {
	for i := range c.Subflows {
		c.DurationS = math.Max(c.DurationS, c.Subflows[i].EndS)
	}
	for side, d := range c.Dirs() {
		if !b.memory.Sums(d, c.Subflows, side, d.Bytes != nil) {
			continue
		}
		d.Paths = b.memory.PathSums(c.Subflows, side, true)
		d.Unavailable.Settle("paths", false, "")
		dirs := make([]*report.SubDir, len(c.Subflows))
		for i := range c.Subflows {
			dirs[i] = c.Subflows[i].Dirs()[side]
		}
		if b.part { // only totals are of the whole time
			addShares(d, c.Subflows, dirs)
		} else {
			shares(d, dirs)
		}
	}
}

// shares fills in what the subflows and paths carried in relation to all data.
func shares(d *report.ConnDir, dirs []*report.SubDir) {
	part := func(n int64) *float64 {
		if *d.Bytes == 0 {
			return nil
		}
		return new(100 * float64(n) / float64(*d.Bytes))
	}
	for _, s := range dirs {
		s.Share = part(*s.BytesUnique - *s.ReinjectedBytes)
		s.Unavailable.Settle("share_percent", s.Share == nil, fill.NoData)
	}
	best := int64(0)
	for i := range d.Paths {
		p := &d.Paths[i]
		p.Percent, best = part(*p.FirstBytes), max(best, *p.FirstBytes)
	}
	d.Overhead, d.AggregationBenefit = part(d.RetransmittedBytes+*d.ReinjectedBytes), nil
	if best > 0 {
		d.AggregationBenefit = new(float64(*d.Bytes) / float64(best))
	}
	for _, name := range []string{"paths[].share_percent", "overhead_percent_of_data", "aggregation_benefit"} {
		d.Unavailable.Settle(name, *d.Bytes == 0, fill.NoData)
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
	for _, d := range c.Dirs() {
		handovers := report.Known(d.Handovers)
		for i := range handovers {
			h := &handovers[i]
			h.TS += by
			if h.RecoveredS != nil {
				*h.RecoveredS += by
			}
		}
	}
	for _, v := range report.Known(c.Verdicts) {
		for _, p := range v.Evidence {
			if p.TS != nil {
				*p.TS += by
			}
		}
	}
}
