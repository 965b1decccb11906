package metrics

import (
	"fmt"
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// handoverUnit reports handovers, which package symptoms finds.
var handoverUnit = &unit{rows: handoverRows, family: catalogue.FamilyVerdicts, report: new(handoverReport)}

var handoverRows = []catalogue.Metric{
	{
		Name: "handovers", JSON: "handovers", BothEnds: true, Timed: true, Also: []string{"handover"}, Unit: catalogue.Composite, Levels: catalogue.InConnDir, Better: catalogue.LowerIsBetter, Form: "*List[Handover]",
		Definition: fmt.Sprintf("Gaps between the last progress on a path that died and the first on another, and how long in-order delivery waited for it. A path died if it was reset with data outstanding. It also died if it had data outstanding and made no progress for %g s, or for %d SRTT if that is longer. Meanwhile another path has to make progress, also after a quarter of that time.", symptoms.DeadAfter/1e9, symptoms.DeadRounds),
		Source:     "this program", Evidence: catalogue.Everywhere,
		Caveats: "`blocked_ms` ends when the path makes progress again; a wait that is open then counts up to that time. At the sender a wait lasts from the ACK of later data to that of the first missing data. It counts for the subflow that the capture shows to carry the missing data first. Data that a dead path held and never sent does not show, so that the figure is less than that of the receiver's capture. There a wait begins with the arrival of later data. It counts for the subflow that announced the missing data, or on which it is missing. It does not count for a subflow that fills the hole with a reinjected copy. A subflow that is reset with nothing outstanding ended; no path died. The receiver does not see data that was lost on the way. There nothing counts as outstanding if the subflow has no hole and has been silent for 200 ms. There a dead path shows only by a hole that another path fills, or by data on a backup.",
	},
}

type handoverReport struct{ nop }

// noHandovers is the list of nearly all directions.
var noHandovers report.List[report.Handover]

// reportConnection lists the paths that failed while data of the direction was in
// flight on them.
func (*handoverReport) reportConnection(v *view, out *report.ConnDir) {
	all := v.m.Symptoms.Dir(v.from).Handovers
	if !slices.ContainsFunc(all, func(h symptoms.Handover) bool { return !h.Idle }) {
		out.Handovers = &noHandovers
		return
	}
	var list report.List[report.Handover]
	for _, h := range all {
		if h.Idle {
			continue
		}
		r := report.Handover{
			From: h.From, To: h.To, TS: seconds(h.Gap.From.Time - v.m.Conn.Start), GapMS: ms(h.Gap.Duration()),
			BlockedMS: ms(h.Blocked), Reset: h.Reset.Seen(),
		}
		if h.Back.Seen() {
			r.RecoveredS = new(seconds(h.Back.Time - v.m.Conn.Start))
		} else {
			v.Set("handovers[].recovered_s", stayedDead)
		}
		if why := noFailback(&h); why == "" {
			r.FailbackMS = new(ms(h.Failback))
		} else {
			v.Set("handovers[].failback_ms", why)
		}
		list = append(list, r)
	}
	out.Handovers = &list
}

const stayedDead = "the path stayed dead"

// noFailback returns why it is not known when a path carried its share again; "" if it is.
func noFailback(h *symptoms.Handover) string {
	switch {
	case h.FailedBack:
		return ""
	case !h.Back.Seen():
		return stayedDead
	case !h.HasShare():
		return "the path carried nothing in the second before its silence, or the capture shows less than that second"
	}
	return "the path did not carry its share again before it died again or the data ended"
}
