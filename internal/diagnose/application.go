package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// application judges a sender that had nothing to send: nothing was outstanding for much of the
// time, or the account says that of appMuch percent of it.
func (j *judge) application(from conn.Side, d *report.ConnDir, t *symptoms.DataDir) {
	quiet := percent(t.AppLimited, t.Data.Duration())
	share, ns, what := quiet, t.AppLimited, "nothing was outstanding"
	if x := senderAccount(d); quiet < quietMuch && x != nil {
		share, ns = x.Application.Percent+x.Idle.Percent, int64((x.Application.MS+x.Idle.MS)*1e6)
		if what = "the paths had room and nothing new was sent"; share < appMuch {
			return
		}
	}
	if share < quietMuch || ns < noticeable {
		return
	}
	text := fmt.Sprintf("%s for %.0f %% of the time: the application offers less than the paths carry, so that more of them cannot make it faster", what, share)
	if p, ok := j.onePathWouldDo(from); ok && len(j.m.Subs) > 1 {
		text += p.text(j.c)
	}
	v := j.add(report.VerdictApplication, report.Minor, text,
		number("time with nothing outstanding", quiet, "percent"),
		j.packet("first data", t.Data.From, -1), j.packet("last data", t.Data.To, -1))
	costs(v, share, ns)
}
