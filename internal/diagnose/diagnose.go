// Package diagnose explains why a connection does not aggregate its paths, or became slow.
// It finds verdicts in the finished figures of packages metrics and report. Each verdict
// has the packets and the numbers that prove it; the most severe one comes first. If one
// capture does not show which of two causes is true, the verdict names both.
package diagnose

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// Judge finds verdicts. It leaves the fields of a verdict that are for people empty: package sentences
// fills them in.
type Judge struct{}

// Connection fills in the verdicts of a Multipath TCP connection. Their list is never null.
func (Judge) Connection(m *metrics.Connection, c *report.Connection) {
	j := judge{m: m, start: m.Conn.Start, c: c}
	j.gaps()
	j.oneDirection()
	j.lateStart()
	j.setup()
	j.converter()
	j.cut()
	j.uncaptured()
	j.malformed()
	j.fallback()
	j.joins()
	j.addresses()
	j.end()
	j.finUnacked()
	j.unmapped()
	j.backups()
	j.rebindings()
	for _, from := range [2]conn.Side{conn.A, conn.B} {
		j.flow(from)
	}
	j.gone()
	j.unneeded()
	j.aggregates()
	j.accounted()
	j.dropUnproven()
	j.complete()
	*c.Verdicts = ranked(j.out)
	j.disjoint(*c.Verdicts)
}

// TCP fills in the verdicts of a plain TCP connection: why it is plain.
func (Judge) TCP(m *metrics.Connection, t *report.TCP) {
	j := judge{m: m, start: m.Conn.Start}
	j.gaps()
	j.oneDirection()
	j.plain(t)
	j.converter()
	j.dropUnproven()
	j.withoutMPTCP(t)
	j.complete()
	t.Verdicts = ranked(j.out)
}

// judge collects the verdicts on one connection.
type judge struct {
	m     *metrics.Connection
	c     *report.Connection // nil for plain TCP
	start int64              // ns
	out   []report.Verdict

	moved    []int          // subflows that a translator forgot, and those that go on for them behind a new mapping
	priority []priorityLine // by subflow; known once backups are judged
}

// add enters a verdict and returns it, so that the caller can fill in its other fields. form says which
// of the sentences of its code it has. Facts without a description are words of the sentence, the
// others prove it; empty ones are left out.
func (j *judge) add(code report.VerdictCode, s report.Severity, form string, facts ...fact) *report.Verdict {
	j.out = append(j.out, report.Verdict{Code: code, Severity: s, Certainty: report.Certain, Form: form})
	v := &j.out[len(j.out)-1]
	enter(v, facts...)
	return v
}

// complete enters what verdicts have in common: their paths, the causes that packets leave, and what
// decides between the things to do.
func (j *judge) complete() {
	for i := range j.out {
		v := &j.out[i]
		if v.Subflow != nil && j.c != nil {
			v.Path = new(j.c.Subflows[*v.Subflow].Path)
		}
		j.icmpErrors(v)
		if v.Cause == nil && (v.Code != report.VerdictSinglePath || len(j.m.Subs) == 1) { // else all subflows run over one path
			v.Alternatives = Remaining(v)
		}
		j.advise(v)
	}
}

// has reports whether there is a verdict of a code.
func (j *judge) has(code report.VerdictCode) bool { return has(j.out, code) }

func has(all []report.Verdict, codes ...report.VerdictCode) bool {
	return slices.ContainsFunc(all, func(v report.Verdict) bool { return slices.Contains(codes, v.Code) })
}

// concerning returns the first verdict of one of these codes on the data that side from sends over
// a subflow; nil if there is none.
func (j *judge) concerning(sub int, from conn.Side, codes ...report.VerdictCode) *report.Verdict {
	return find(j.out, func(v *report.Verdict) bool {
		return slices.Contains(codes, v.Code) && v.Subflow != nil && *v.Subflow == sub && (v.Direction == nil || *v.Direction == directionOf(from))
	})
}

// maxVerdicts bounds the verdicts on one connection; the least severe ones are dropped first.
const maxVerdicts = 100

// subflows returns the subflows that are judged.
func (j *judge) subflows() []*metrics.Sub { return j.m.Subs[:min(len(j.m.Subs), symptoms.MaxFollowed)] }

// at reports whether the capture was taken at a side.
func (j *judge) at(s conn.Side) bool {
	return j.m.Vantage == conn.AtA && s == conn.A || j.m.Vantage == conn.AtB && s == conn.B
}

// timed reports whether the timestamps can be used to measure time. If not, figures of
// time and the verdicts that use them are absent.
func (j *judge) timed() bool { return j.m.Conn.ClockFault() == "" }

// dir returns the figures of the data that side from sends.
func (j *judge) dir(from conn.Side) *report.ConnDir { return j.c.Dir(directionOf(from)) }

// subDir returns the figures of the data that side from sends over a subflow.
func (j *judge) subDir(i int, from conn.Side) *report.SubDir {
	return j.c.Subflows[i].Dir(directionOf(from))
}

// side returns the name that reports give a side.
func side(s conn.Side) string { return s.String() }

// direction returns the direction of the data that side from sends.
func direction(from conn.Side) *report.Direction { return new(directionOf(from)) }

func directionOf(from conn.Side) report.Direction { return report.Directions[from] }

// from returns which side sends the data of a verdict.
func from(v *report.Verdict) conn.Side { return senderOf(v.Direction) }

// senderOf returns which side sends the data of a direction; A where there is none.
func senderOf(d *report.Direction) conn.Side { return conn.Side(report.Known(d).Sender()) }

func percent(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
