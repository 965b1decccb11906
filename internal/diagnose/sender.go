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

// sendBufferMuch is the part of the time of a direction from which on the sender limits it,
// percent.
const sendBufferMuch = 25.0

// senderLimited judges a sender that limits itself: what is outstanding does not grow although
// the paths and the receive window have room.
func (j *judge) senderLimited(from conn.Side, d *report.ConnDir) {
	x := senderAccount(d)
	if j.has(report.VerdictStrippedData) { // without DATA_ACKs the send buffer stays full
		return
	}
	if x == nil || x.Window.Percent < sendBufferMuch || x.Window.MS*1e6 < noticeable {
		return
	}
	v := j.add(report.VerdictSenderLimited, report.Major,
		fmt.Sprintf("%s itself limited what was outstanding for %.0f %% of the time, although the receive window and the paths had room: its send buffer was full, or its congestion window has a limit",
			side(from), x.Window.Percent))
	v.Certainty = report.Likely
	costs(v, x.Window.Percent, int64(x.Window.MS*1e6))
}

// senderAccount returns the account of a capture at the sender; nil if there is none. Elsewhere
// most of the time is undetermined, so that a small share says nothing.
func senderAccount(d *report.ConnDir) *report.TimeAccount {
	if x := d.TimeAccount; x != nil && x.SeenAt == report.SeenAtSender {
		return x
	}
	return nil
}

// onePath is a path that could have carried alone what all paths carried.
type onePath struct {
	subflow int
	most    float64 // the highest rate that it delivered, Mbit/s
	all     float64 // mean rate of the data of the direction, Mbit/s
}

// onePathWouldDo returns the quickest path if the most that it delivered over a second is the
// mean rate of all data, or more; ok is false if there is none, or its rate is not known.
func (j *judge) onePathWouldDo(from conn.Side) (p onePath, ok bool) {
	d := j.dir(from)
	if d.Goodput == nil {
		return p, false
	}
	p.all = d.Goodput.Avg
	for i, s := range j.subflows() {
		if mbps, known := s.Path(from).DeliveredRate(); known && mbps > p.most {
			p.subflow, p.most = i, mbps
		}
	}
	return p, p.most >= p.all && p.all > 0
}

// text says that one path would do.
func (p onePath) text(c *report.Connection) string {
	return fmt.Sprintf("; %s delivered up to %.3g Mbit/s, and all data came at %.3g Mbit/s on average: one path would do, and a second one helps only above %.3g Mbit/s",
		pathText(p.subflow, &c.Subflows[p.subflow]), p.most, p.all, p.most)
}
