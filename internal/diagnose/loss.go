package diagnose

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// Limits of the verdict on losses.
const (
	lossMuch     = report.LossMuch
	lossCosts    = report.LossCosts
	lossLeast    = report.LossLeast
	unprovenPart = 20 // a twentieth of the losses, or more, that nothing proves is said
)

// lossy returns the verdicts on paths that lose much of the data that side from sends; where none does and recovery is the main
// limit, those on paths that lose some. tests are the tests for the cause by the id of the subflow.
func lossy(c *report.Connection, from conn.Side, tests map[int]*lossTest) []report.Verdict {
	all := losing(c, from, tests, lossMuch)
	if d := c.Dir(directionOf(from)); len(all) == 0 && d != nil && d.TimeAccount != nil && d.TimeAccount.Recovery.Percent >= mainLimit {
		all = losing(c, from, tests, lossCosts)
	}
	return all
}

// losing returns the verdicts on paths that lose so many of their segments, percent, or more.
func losing(c *report.Connection, from conn.Side, tests map[int]*lossTest, least float64) []report.Verdict {
	j := judge{c: c}
	all := j.segments(from)
	for i := range c.Subflows[:min(len(c.Subflows), symptoms.MaxFollowed)] {
		d := j.subDir(i, from).Drops
		if d == nil || d.Percent == nil || d.Count == 0 {
			continue
		}
		t := cmp.Or(tests[i], untested())
		lost, before := d.Count, report.Known(d.BeforeCapture)
		if unprovenPart*t.unproven >= d.Count {
			lost -= t.unproven
		}
		share, cost := *d.Percent*float64(lost)/float64(d.Count), percent(lost, all)
		if share < least || lost < lossLeast {
			continue
		}
		v := j.add(report.VerdictHeavyLoss, warningIf(cost >= lossCosts), "", word("counted", string(d.Evidence)),
			number("drops", "drops", float64(lost), "segments"), number("percent", "of those sent", share, "percent"),
			only(lost < d.Count, number("most", "of those sent, at most", *d.Percent, "percent")), number("", "of those sent on all subflows", cost, "percent"),
			only(before > 0, number("before", "dropped before the capture point", float64(before), "segments")))
		v.Cost, v.Direction, v.Subflow, v.Path = &cost, direction(from), subflowID(i), new(c.Subflows[i].Path)
		if t.enter(v, d, from); t.cause != report.CauseUnknown && (t.cause != report.CauseLinkDown || d.Evidence == report.Holes) {
			v.Certainty = report.Likely // the cause rests on statistics, or on what the receiver did not get
		}
		if x := j.subDir(i, from); x.Segments > 0 { // by the mean size of its segments
			concernsBytes(v, int64(math.Round(float64(lost)*float64(report.Known(x.Bytes))/float64(x.Segments))))
		}
	}
	return j.out
}

// segments returns how many segments side from sent on all subflows.
func (j *judge) segments(from conn.Side) (n int64) {
	for i := range j.c.Subflows {
		d := j.subDir(i, from)
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

// dropsHost returns the host that sends, where it dropped at least half of the losses itself.
func dropsHost(d *report.Drops, from conn.Side) *report.Side {
	if n := report.Known(d.BeforeCapture); n == 0 || 2*n < d.Count {
		return nil
	}
	return new(report.Side(side(from)))
}

// judgeLossesAgain replaces verdicts on losses, which were found before the packets of the
// two captures were matched, by verdicts that both captures prove.
func judgeLossesAgain(c *report.Connection) {
	if c.Verdicts == nil {
		return
	}
	all := *c.Verdicts
	for _, from := range sides {
		d, tests := directionOf(from), map[int]*lossTest{}
		if !slices.ContainsFunc(c.Subflows, func(s report.Subflow) bool {
			x := s.Dir(d)
			return x != nil && x.Drops != nil && x.Drops.Evidence == report.Matched
		}) {
			continue
		}
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
