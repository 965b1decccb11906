package diagnose

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// oneDirection judges a capture that lacks the packets of one end, on all subflows or on some.
func (j *judge) oneDirection() {
	for _, unseen := range sides {
		if _, all := j.m.Conn.Unseen(unseen); all {
			j.onlyOneEnd(unseen, j.m.Subs...)
			continue
		} else if j.c == nil { // plain TCP has one subflow
			continue
		}
		for i, s := range j.subflows() {
			if s.Sub.Unseen(unseen) {
				j.onlyOneEnd(unseen, s).Subflow = subflowID(i)
			}
		}
	}
}

func (j *judge) onlyOneEnd(unseen conn.Side, subflows ...*metrics.Sub) *report.Verdict {
	me, peer, packets, acked := side(unseen.Other()), side(unseen), int64(0), int64(0)
	for _, s := range subflows {
		packets += s.Sub.Senders[unseen.Other()].Packets
		acked += max(0, int64(s.Sub.Senders[unseen].SndUna())-1)
	}
	return j.add(report.VerdictOneDirection, report.Major, "", word("by", me), word("peer", peer),
		counted("", "packets of "+me, packets), counted("", "sequence numbers of "+peer+" that it acknowledged", acked))
}

// dropUnproven drops the verdicts that claim something of packets that the capture lacks.
func (j *judge) dropUnproven() {
	noA, _ := j.m.Conn.Unseen(conn.A)
	noB, _ := j.m.Conn.Unseen(conn.B)
	if !noA && !noB {
		return
	}
	j.out = slices.DeleteFunc(j.out, func(v report.Verdict) bool {
		switch k := kindOf(&v); {
		case k.Proof == "one end":
			return false
		case v.Subflow == nil || k.Proof != "subflow":
			return true
		}
		senders := &j.m.Subs[*v.Subflow].Sub.Senders
		return noA && senders[conn.A].Packets == 0 || noB && senders[conn.B].Packets == 0
	})
}
