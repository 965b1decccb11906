package metrics

import (
	"fmt"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// handoverUnit reports handovers, which package symptoms finds.
var handoverUnit = &unit{rows: handoverRows, family: catalogue.FamilyVerdicts, meter: func() meter { return new(handoverMeter) }}

var handoverRows = []catalogue.Metric{
	{
		Name: "handovers", JSON: "handovers", Timed: true, Also: []string{"handover"}, Unit: catalogue.Composite, Levels: catalogue.InConnDir, Better: catalogue.LowerIsBetter,
		Definition: fmt.Sprintf("Gaps between the last progress on a path that died and the first on another, and how long in-order delivery waited for it. A path died where it was reset after it had carried data, or had data outstanding and made no progress for %g s, or %d SRTT if that is longer, while another made some and still did after a quarter of that time.", symptoms.DeadAfter/1e9, symptoms.DeadRounds),
		Source:     "this program", Evidence: catalogue.Everywhere,
		Caveats: "`blocked_ms` ends where the path makes progress again, with the wait that is open then. At the sender a wait runs from the ACK of later data to that of the first missing data, and is that of the subflow that was captured to carry this first: of data that a dead path held and never sent it knows nothing, so that it is less than what the receiver's capture shows. There a wait runs from the arrival of later data, and is that of the subflow that announced the missing data or lacks it; a reinjected copy that fills the hole does not count for the subflow that brings it. At the receiver a death shows only by a hole that another path fills, or by data on a backup.",
	},
}

type handoverMeter struct{ nop }

// noHandovers is the list of nearly all directions.
var noHandovers report.List[report.Handover]

// reportConnection lists the paths that failed while data of the direction was in
// flight on them.
func (*handoverMeter) reportConnection(v *view, out *report.ConnDir) {
	all := v.m.Symptoms.Direction(v.from).Handovers
	if len(all) == 0 {
		out.Handovers = &noHandovers
		return
	}
	var list report.List[report.Handover]
	for _, h := range all {
		r := report.Handover{
			From: h.From, To: h.To, TS: seconds(h.Gap.From.Time - v.m.Conn.Start), GapMS: ms(h.Gap.Duration()),
			BlockedMS: ms(h.Blocked), Reset: h.Reset.Seen(),
		}
		if h.Back.Seen() {
			r.RecoveredS = new(seconds(h.Back.Time - v.m.Conn.Start))
		} else {
			v.Set("handovers[].recovered_s", "the path stayed dead")
		}
		list = append(list, r)
	}
	out.Handovers = &list
}
