package metrics

import "mpanalyze/internal/report"

// handoverUnit reports handovers, which [Trace] finds.
var handoverUnit = &unit{family: FamilyVerdicts, open: func(*Dir) meter { return &handoverMeter{} }}

type handoverMeter struct{ nop }

// noHandovers is the list of nearly every direction.
var noHandovers report.List[report.Handover]

// reportConnection lists the paths that died while data of the direction was on them.
func (*handoverMeter) reportConnection(v *view, out *report.ConnDir) {
	all := v.m.Trace(v.from).Handovers
	if len(all) == 0 {
		out.Handovers = &noHandovers
		return
	}
	var list report.List[report.Handover]
	for _, h := range all {
		r := report.Handover{
			From: h.From, To: h.To, TS: seconds(h.Gap.From.Time - v.m.Conn.Start), GapMS: ms(h.Gap.Length()),
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
