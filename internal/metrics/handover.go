package metrics

import (
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// handoverUnit reports handovers, which package symptoms finds.
var handoverUnit = &unit{key: "handovers", family: catalogue.FamilyVerdicts, report: new(handoverReport)}

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
	case h.Share == 0:
		return "the path carried nothing in the second before its silence, or the capture shows less than that second"
	}
	return "the path did not carry its share again before it died again or the data ended"
}
