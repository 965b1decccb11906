package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/remedy"
	"mpanalyze/internal/report"
)

// lossy returns the verdicts on paths that lose much of the data that side from sends. tests
// are the tests for the cause by the id of the subflow.
func lossy(c *report.Connection, from conn.Side, tests map[int]*lossTest) []report.Verdict {
	var out []report.Verdict
	all := segments(c, from)
	for i := range c.Subflows[:min(len(c.Subflows), maxSubflows)] {
		s := &c.Subflows[i]
		d := subDirOf(c, i, from).Drops
		if d == nil || d.Percent == nil || *d.Percent < lossMuch || d.Count < lossLeast {
			continue
		}
		cost, t := percent(d.Count, all), cmp.Or(tests[i], untested())
		v := report.Verdict{
			Code: report.VerdictHeavyLoss, Severity: warningIf(cost >= lossCosts), Certainty: report.Certain,
			Cost: &cost, Direction: direction(from), Subflow: subflowID(i), Path: new(s.Path),
			Text:     fmt.Sprintf("%s lost %.1f %% of its segments (%s)%s%s", pathText(i, s), *d.Percent, evidence(d.Evidence), atHost(d), causeText(t)),
			Evidence: append(lossProofs(d, cost), t.proofs()...),
			Cause:    &report.Cause{Code: t.cause, Host: dropsHost(d, from)}, Alternatives: t.alternatives(dropsHost(d, from)),
		}
		if t.cause != report.CauseUnknown && t.cause != report.CauseLinkDown {
			v.Certainty = report.Likely // the cause rests on statistics
		}
		concernsBytes(&v, lostBytes(c, i, from))
		if v.Remedy = againstLoss(c, i, from, t); t.cause == report.CauseRandom || t.cause == report.CauseUnknown {
			v.Remedy = remedy.Kernel("").With(v.Remedy, v.Code, c.Version) // the settings are for losses that show no congestion
		}
		out = append(out, v)
	}
	return out
}

// lostBytes returns how many bytes a subflow lost, by the mean size of its segments.
func lostBytes(c *report.Connection, i int, from conn.Side) int64 {
	d := subDirOf(c, i, from)
	if d.Segments == 0 {
		return 0
	}
	return int64(math.Round(float64(d.Drops.Count) * float64(report.Known(d.Bytes)) / float64(d.Segments)))
}

// subDirOf returns the figures of the data that side from sends over a subflow.
func subDirOf(c *report.Connection, i int, from conn.Side) *report.SubDir {
	return c.Subflows[i].Dir(directionOf(from))
}

// segments returns how many segments side from sent on all subflows.
func segments(c *report.Connection, from conn.Side) (n int64) {
	for i := range c.Subflows {
		d := subDirOf(c, i, from)
		if d == nil {
			continue
		}
		n += d.Segments
		switch {
		case d.Drops == nil:
		case d.Drops.Evidence == report.Holes: // what was lost did not arrive
			n += d.Drops.Count
		case d.Drops.BeforeCapture != nil:
			n += *d.Drops.BeforeCapture
		}
	}
	return n
}

// lossProofs returns the figures that prove a verdict on losses; cost is the percentage of
// the segments of all subflows.
func lossProofs(d *report.Drops, cost float64) []report.Proof {
	out := []report.Proof{
		number("drops", float64(d.Count), "segments"), number("of those sent", *d.Percent, "percent"), number("of those sent on all subflows", cost, "percent"),
	}
	if n := report.Known(d.BeforeCapture); n > 0 {
		out = append(out, number("dropped before the capture point", float64(n), "segments"))
	}
	return out
}

// atHost says how many of the losses happened in the sending host; "" if there are none.
func atHost(d *report.Drops) string {
	n := report.Known(d.BeforeCapture)
	switch {
	case n == 0:
		return ""
	case n == d.Count:
		return ", all of them before the capture point: the sending host itself dropped them (queueing discipline, netem or policer), not the path"
	}
	return fmt.Sprintf(", %d of %d before the capture point: these the sending host itself dropped (queueing discipline, netem or policer)", n, d.Count)
}

// dropsHost returns the host that sends, where it dropped at least half of the losses itself.
func dropsHost(d *report.Drops, from conn.Side) *report.Side {
	if n := report.Known(d.BeforeCapture); n == 0 || 2*n < d.Count {
		return nil
	}
	return new(report.Side(side(from)))
}

func evidence(e report.Evidence) string {
	switch e {
	case report.Inferred:
		return "inferred from retransmissions"
	case report.Holes:
		return "at least: gaps that a later copy filled"
	case report.Matched:
		return "left one host and never reached the other"
	}
	return string(e)
}

// judgeLossesAgain replaces verdicts on losses, which were found before the packets of the
// two captures were matched, by verdicts that both captures prove.
func judgeLossesAgain(c *report.Connection) {
	if c.Verdicts == nil {
		return
	}
	all := *c.Verdicts
	for _, from := range [2]conn.Side{conn.A, conn.B} {
		if !matched(c, from) {
			continue
		}
		d, tests := directionOf(from), map[int]*lossTest{}
		all = slices.DeleteFunc(all, func(v report.Verdict) bool {
			if v.Code != report.VerdictHeavyLoss || *v.Direction != d {
				return false
			}
			tests[*v.Subflow] = testOf(&v)
			return true
		})
		if float64(report.Known(c.Dir(d).Bytes)) >= fewBytes {
			all = append(all, lossy(c, from, tests)...)
		}
	}
	*c.Verdicts = ranked(all)
}

// matched reports whether losses of the data that side from sends were counted by comparing
// two captures.
func matched(c *report.Connection, from conn.Side) bool {
	return slices.ContainsFunc(c.Subflows, func(s report.Subflow) bool {
		d := s.Dir(directionOf(from))
		return d != nil && d.Drops != nil && d.Drops.Evidence == report.Matched
	})
}
