package build

import "mpanalyze/internal/report"

// noHandovers is the list of nearly every direction.
var noHandovers report.List[report.Handover]

// handovers lists the paths that died while data of the direction was on them.
func (b *dirBuilder) handovers() *report.List[report.Handover] {
	all := b.m.Trace(b.from).Handovers
	if len(all) == 0 {
		return &noHandovers
	}
	var out report.List[report.Handover]
	for _, h := range all {
		r := report.Handover{
			From: h.From, To: h.To, TS: seconds(h.Gap.From.Time - b.m.Conn.Start), GapMS: ms(h.Gap.Length()),
			BlockedMS: ms(h.Blocked), Reset: h.Reset.Seen(),
		}
		if h.Back.Seen() {
			r.RecoveredS = new(seconds(h.Back.Time - b.m.Conn.Start))
		} else {
			b.why.Set("handovers[].recovered_s", "the path stayed dead")
		}
		out = append(out, r)
	}
	return &out
}
