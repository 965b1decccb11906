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
	v := j.add(report.VerdictApplication, report.Minor,
		fmt.Sprintf("%s for %.0f %% of the time: the application offered nothing to send", what, share),
		number("time with nothing outstanding", quiet, "percent"),
		j.packet("first data", t.Data.From, -1), j.packet("last data", t.Data.To, -1))
	costs(v, share, ns)
}

// senderAccount returns the account of a capture at the sender; nil if there is none. Elsewhere
// most of the time is undetermined, so that a small share says nothing.
func senderAccount(d *report.ConnDir) *report.TimeAccount {
	if x := d.TimeAccount; x != nil && x.SeenAt == report.SeenAtSender {
		return x
	}
	return nil
}
