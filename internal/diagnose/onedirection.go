package diagnose

import (
	"fmt"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// oneDirection judges a capture that lacks the packets of one end, on all subflows or on some.
func (j *judge) oneDirection() {
	for _, unseen := range [2]conn.Side{conn.A, conn.B} {
		if _, all := j.m.Conn.Unseen(unseen); all {
			j.onlyOneEnd(unseen, "", j.m.Subs...)
			continue
		} else if j.c == nil { // plain TCP has one subflow
			continue
		}
		for i, s := range j.subflows() {
			if s.Sub.Unseen(unseen) {
				j.onlyOneEnd(unseen, pathText(i, &j.c.Subflows[i])+": ", s).Subflow = subflowID(i)
			}
		}
	}
}

func (j *judge) onlyOneEnd(unseen conn.Side, where string, subflows ...*metrics.Sub) *report.Verdict {
	me, peer, packets, acked := side(unseen.Other()), side(unseen), int64(0), int64(0)
	for _, s := range subflows {
		packets += s.Sub.Senders[unseen.Other()].Packets
		acked += max(0, int64(s.Sub.Senders[unseen].SndUna())-1)
	}
	return j.add(report.VerdictOneDirection, report.Major,
		fmt.Sprintf("%sonly the packets of %s are in the capture, although %[2]s got packets of %s: these take another route, or a filter or tap leaves them out. What %[3]s sent, and what it did not do, is not known", where, me, peer),
		number("packets of "+me, float64(packets), "count"), number("sequence numbers of "+peer+" that it acknowledged", float64(acked), "count"))
}

// A verdict claims something of the packets of both ends, unless it is listed here.
var (
	// ofOneEnd are the verdicts that packets of one end prove, or that are about the capture.
	ofOneEnd = []report.VerdictCode{
		report.VerdictOneDirection, report.VerdictCaptureGap, report.VerdictTwice, report.VerdictMalformed, report.VerdictOptionsCut,
		report.VerdictNotRequested, report.VerdictNotGranted, report.VerdictJoinStripped, report.VerdictJoinForbidden,
		report.VerdictBackup, report.VerdictCopies, report.VerdictChecksum, report.VerdictInfinite, report.VerdictAborted,
	}
	// ofOneSubflow are those that packets of both ends of the subflow prove that they name.
	ofOneSubflow = []report.VerdictCode{
		report.VerdictSetupSlow, report.VerdictJoinRefused, report.VerdictJoinNotGranted, report.VerdictJoinUnanswered, report.VerdictJoinAborted, report.VerdictJoinSlow,
		report.VerdictHeavyLoss, report.VerdictGone,
	}
)

// dropUnproven drops the verdicts that claim something of packets that the capture lacks.
func (j *judge) dropUnproven() {
	noA, _ := j.m.Conn.Unseen(conn.A)
	noB, _ := j.m.Conn.Unseen(conn.B)
	if !noA && !noB {
		return
	}
	j.out = slices.DeleteFunc(j.out, func(v report.Verdict) bool {
		if slices.Contains(ofOneEnd, v.Code) {
			return false
		}
		if v.Subflow == nil || !slices.Contains(ofOneSubflow, v.Code) {
			return true
		}
		senders := &j.m.Subs[*v.Subflow].Sub.Senders
		return noA && senders[conn.A].Packets == 0 || noB && senders[conn.B].Packets == 0
	})
}

// amender is a report whose connections can be changed.
type amender interface {
	Amend(conn func(*report.Connection), tcp func(*report.TCP))
}

// withoutUnanswered drops the verdicts that SYNs got no answer, or may still get one, where the capture
// as a whole has one direction of its connections: then a SYN without an answer proves nothing.
func withoutUnanswered(d amender, warnings []report.Warning) {
	if !slices.ContainsFunc(warnings, func(w report.Warning) bool { return w.Code == conn.OneDirection }) {
		return
	}
	drop := func(all report.List[report.Verdict]) report.List[report.Verdict] {
		return slices.DeleteFunc(slices.Clone(all), func(v report.Verdict) bool {
			return v.Code == report.VerdictUnanswered || v.Code == report.VerdictJoinUnanswered || v.Code == report.VerdictEndsEarly
		})
	}
	d.Amend(func(c *report.Connection) {
		if c.Verdicts != nil {
			*c.Verdicts = drop(*c.Verdicts)
		}
	}, func(t *report.TCP) { t.Verdicts = drop(t.Verdicts) })
}
