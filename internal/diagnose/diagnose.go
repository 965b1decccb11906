package diagnose

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/remedy"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// Options say for whom verdicts are.
type Options struct {
	Kernel remedy.Kernel // kernel that the remedies are for
}

// Connection fills in the verdicts of a Multipath TCP connection. Their list is never null.
func (o Options) Connection(m *metrics.Connection, c *report.Connection) {
	j := judge{kernel: o.Kernel, m: m, start: m.Conn.Start, c: c}
	j.gaps()
	j.oneDirection()
	j.lateStart()
	j.setup()
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
	j.alternatives()
	j.remedies()
	*c.Verdicts = ranked(j.out)
	j.disjoint(*c.Verdicts)
}

// TCP fills in the verdicts of a plain TCP connection: why it is plain.
func (o Options) TCP(m *metrics.Connection, t *report.TCP) {
	j := judge{kernel: o.Kernel, m: m, start: m.Conn.Start, tcp: t}
	j.gaps()
	j.oneDirection()
	j.plain(t)
	j.dropUnproven()
	j.withoutMPTCP(t)
	j.alternatives()
	j.remedies()
	t.Verdicts = ranked(j.out)
}

// judge collects the verdicts on one connection.
type judge struct {
	kernel remedy.Kernel
	m      *metrics.Connection
	c      *report.Connection // nil for plain TCP
	tcp    *report.TCP        // nil for Multipath TCP
	start  int64              // ns
	out    []report.Verdict

	moved    []int          // subflows that are earlier ones behind a new mapping of a translator
	priority []priorityLine // by subflow; known once backups are judged
}

// add enters a verdict and returns it, so that the caller can fill in its other fields.
func (j *judge) add(code report.VerdictCode, s report.Severity, text string, proofs ...report.Proof) *report.Verdict {
	j.out = append(j.out, report.Verdict{Code: code, Severity: s, Certainty: report.Certain, Text: text})
	v := &j.out[len(j.out)-1]
	for _, p := range proofs {
		if p.What != "" {
			v.Evidence = append(v.Evidence, p)
		}
	}
	return v
}

// has reports whether there is a verdict of a code.
func (j *judge) has(code report.VerdictCode) bool {
	return slices.ContainsFunc(j.out, func(v report.Verdict) bool { return v.Code == code })
}

// packet returns a packet that was marked as a proof; an empty proof if there is no such
// packet. sub is negative where it concerns no subflow.
func (j *judge) packet(what string, k symptoms.PacketRef, sub int) report.Proof {
	if !k.Seen() {
		return report.Proof{}
	}
	n, t := int64(k.Packet), float64(k.Time-j.start)/1e9
	return report.Proof{What: what, Packet: &n, TS: &t, Subflow: subflowID(sub)}
}

// concerning returns the first verdict of one of these codes on the data that side from sends over
// a subflow; nil if there is none.
func (j *judge) concerning(sub int, from conn.Side, codes ...report.VerdictCode) *report.Verdict {
	for i := range j.out {
		if v := &j.out[i]; slices.Contains(codes, v.Code) && v.Subflow != nil && *v.Subflow == sub && (v.Direction == nil || *v.Direction == directionOf(from)) {
			return v
		}
	}
	return nil
}

// number returns a figure as a proof.
func number(what string, v float64, unit string) report.Proof {
	return report.Proof{What: what, Value: &v, Unit: &unit}
}

func subflowID(sub int) *int {
	if sub < 0 {
		return nil
	}
	return &sub
}

// Bounds for one connection: the subflows that are judged one by one, and the verdicts; the
// least severe verdicts are dropped first.
const (
	maxSubflows = 64
	maxVerdicts = 100
)

// subflows returns the subflows that are judged.
func (j *judge) subflows() []*metrics.Sub { return j.m.Subs[:min(len(j.m.Subs), maxSubflows)] }

// side returns the name that reports give a side.
func side(s conn.Side) string { return s.String() }

// direction returns the direction of the data that side from sends.
func direction(from conn.Side) *report.Direction { return new(directionOf(from)) }

func directionOf(from conn.Side) report.Direction { return report.Directions[from] }

// at reports whether the capture was taken at a side.
func (j *judge) at(s conn.Side) bool {
	return j.m.Vantage == conn.AtA && s == conn.A || j.m.Vantage == conn.AtB && s == conn.B
}
