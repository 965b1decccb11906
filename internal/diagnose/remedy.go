package diagnose

import (
	"fmt"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
	"mpanalyze/internal/textwrap"
)

// remedies fills in what to do about each verdict that does not have it yet: the text for
// its code, with the paths, hosts and numbers that the capture shows; and its path.
func (j *judge) remedies() {
	for i := range j.out {
		if v := &j.out[i]; v.Subflow != nil && j.c != nil {
			v.Path = new(j.c.Subflows[*v.Subflow].Path)
		}
		if v := &j.out[i]; v.Remedy == "" {
			v.Remedy = j.advice(v)
		}
	}
}

// version returns the version of Multipath TCP, which shows the kind of kernel; nil if it
// is not known.
func (j *judge) version() *int {
	if j.c != nil {
		return j.c.Version
	}
	return j.tcp.RequestedVersion
}

// advice returns what to do about a verdict on this connection. If the capture shows that
// the general advice of the code does not apply, it returns only the advice for this
// capture; otherwise that advice comes first, and the general one follows.
func (j *judge) advice(v *report.Verdict) string {
	do, alone := "", ""
	switch v.Code {
	case report.VerdictWindowClosed:
		do, alone = j.widen(v)
	case report.VerdictHoLBlocked, report.VerdictUnequalPaths:
		do, alone = j.spare(v)
	case report.VerdictPathIdle, report.VerdictPathUnused:
		alone = j.leave(v)
	case report.VerdictJoinRefused, report.VerdictJoinAborted:
		do, alone = j.allow(v)
	case report.VerdictPathDied:
		if r := &j.m.Subs[*v.Subflow].Reset; r.Seen() {
			alone = fmt.Sprintf("Find out why %s reset %s (%s): another verdict on this subflow or the log of that host may say so; or a firewall or translator reset it in that host's name.",
				j.host(r.From), j.pathOf(v), reason(r))
			break
		}
		do = fmt.Sprintf("Look at the link of %s at that time. To lose less time, withdraw the address as soon as the link goes down, so that the peer learns it by REMOVE_ADDR.",
			j.pathOf(v))
	}
	if alone != "" {
		return alone
	}
	return j.kernel.With(do, v.Code, j.version())
}

// host names a side with the address that the first subflow has there.
func (j *judge) host(s conn.Side) string {
	if j.c == nil || len(j.c.Subflows) == 0 {
		return side(s)
	}
	first := &j.c.Subflows[0]
	return side(s) + " (" + report.Either(directionOf(s), &first.A, &first.B).Addr + ")"
}

// pathOf names the subflow of a verdict with its path.
func (j *judge) pathOf(v *report.Verdict) string {
	return pathText(*v.Subflow, &j.c.Subflows[*v.Subflow])
}

// from returns which side sends the data of a verdict.
func from(v *report.Verdict) conn.Side { return senderOf(v.Direction) }

// senderOf returns which side sends the data of a direction; A where there is none.
func senderOf(d *report.Direction) conn.Side {
	if d != nil && *d == report.B2A {
		return conn.B
	}
	return conn.A
}

// waitedFor names the path that delivery waited for most in the direction of v; "" if none is judged.
func (j *judge) waitedFor(v *report.Verdict) string {
	if i := j.waitsMostFor(from(v)); i >= 0 {
		return ", most for " + pathText(i, &j.c.Subflows[i])
	}
	return ""
}

// spareShare is the largest percentage of the data that a path may have carried to be
// recommended as a backup: if it carries more, the loss of throughput is too high a price
// for less delay.
const spareShare = 25.0

// spare says how to make a path quicker and, if it carried little, that it may become a
// backup.
func (j *judge) spare(v *report.Verdict) (do, alone string) {
	d := j.subDir(*v.Subflow, from(v))
	text := "Make " + j.pathOf(v) + " quicker: less loss, shorter queues"
	if d.SRTT != nil && d.RTT != nil && d.SRTT.Avg >= queueRatio*d.RTT.Min {
		text += fmt.Sprintf(" (packets wait in its queue: its mean round trip is %s, its least %s; keep its rate a little below that of the link with cake, or htb and fq_codel, where the data enters it)", durationText(int64(d.SRTT.Avg*1e6)), durationText(int64(d.RTT.Min*1e6)))
	}
	if v.Severity == report.Minor {
		text = "Nothing, if the sum of the paths is what is wanted. If data is to arrive in time: " + strings.ToLower(text[:1]) + text[1:]
	}
	switch {
	case d.Share == nil:
		return text + ".", ""
	case *d.Share > spareShare:
		return "", text + fmt.Sprintf(". It carried %.1f %% of the data, too much to make it a backup.", *d.Share)
	}
	return text + fmt.Sprintf("; or make it a backup, which gives up the %.1f %% of the data that it carried.", *d.Share), ""
}

// leave says why an idle path may stay idle; "" if it should not.
func (j *judge) leave(v *report.Verdict) string {
	t := j.m.Symptoms.Dir(from(v))
	_, noRoom, _ := j.withoutRoom(from(v))
	switch {
	case j.reserve(*v.Subflow):
		return j.kernel.With("Nothing, if the path is meant as a backup, as it is now. Else remove the flag.", report.VerdictBackup, j.version())
	case noRoom >= fullMuch:
		return "See receive_window first: while the window is full no path gets data."
	case percent(t.AppLimited, t.Data.Duration()) >= quietSome:
		return "Nothing: the other paths carry all that the application offers."
	}
	return ""
}

// allow says what a host that reset a join must allow, by the reason in its reset.
func (j *judge) allow(v *report.Verdict) (do, alone string) {
	if v.Subflow == nil { // one of the joins beyond those that are followed
		return "", ""
	}
	r := &j.m.Subs[*v.Subflow].Reset
	if !r.HasReason {
		return "", ""
	}
	who := j.host(r.From)
	switch r.Reason {
	case 2, 3:
		return fmt.Sprintf("Let %s take more subflows: it refused this one by its limits (MP_TCPRST reason %d), which are lower than the %d subflows that were tried, or because the connection was closing.", who, r.Reason, len(j.m.Subs)), ""
	case 6:
		return "", fmt.Sprintf("Find the middlebox on that path: %s says that one changes or removes options (MP_TCPRST reason 6). Try another port or a tunnel over that path.", who)
	}
	return "", fmt.Sprintf("Look at %s, which sent the RST (MP_TCPRST reason %d): it has to know the token of the connection; behind a load balancer the join may reach another host.", who, r.Reason)
}

// useAnnounced says what the host that received an announced address must do.
func (j *judge) useAnnounced(a *symptoms.Announcement) string {
	n := 0 // addresses that this host announced
	for i := range j.m.Symptoms.Addresses {
		if j.m.Symptoms.Addresses[i].From == a.From {
			n++
		}
	}
	return fmt.Sprintf("Let %s open a subflow to %s, and check that it can be reached from there (a private address behind a translator cannot). %s announced %s: limits lower than that leave some out.",
		j.host(a.From.Other()), where(a), side(a.From), textwrap.Count(int64(n), "address"))
}

// againstLoss says what to do about the losses of a path, by where they happened and by
// their cause.
func againstLoss(c *report.Connection, i int, sender conn.Side, t *lossTest) string {
	d, s := subDirOf(c, i, sender), &c.Subflows[i]
	path := pathText(i, s)
	if n := report.Known(d.Drops.BeforeCapture); n > 0 && 2*n >= d.Drops.Count {
		return fmt.Sprintf("Look at the host that sends on %s, not at the link: its queueing discipline or a policer dropped %d of %d (tc -s qdisc show dev INTERFACE). Give that queue more room, or shape with a queue that keeps delay short (fq_codel).",
			path, n, d.Drops.Count)
	}
	switch t.cause {
	case report.CauseQueue:
		most := ""
		if t.delivered > 0 {
			most = fmt.Sprintf(" (%.3g Mbit/s of the payload of this subflow came through at most)", t.delivered)
		}
		return fmt.Sprintf("A queue on %s overflows: shape a little below the rate of the link%s, with a queue that keeps delay short (tc qdisc, cake or fq_codel), or give the queue of the link more room.", path, most)
	case report.CauseRandom:
		return fmt.Sprintf("Look at the link of %s (radio, duplex, cable): a queue or less traffic would not help. Until it is repaired, try a congestion control that does not treat each loss as congestion.", path)
	case report.CausePolicer:
		return fmt.Sprintf("Ask who limits the rate of %s to about %.3g Mbit/s of payload, or shape a little below that on the host that sends (tc qdisc, cake or tbf), so that packets wait and are not dropped.", path, t.between)
	case report.CauseLinkDown:
		return fmt.Sprintf("Find out why the link of %s carried nothing for a time (radio, cable, handover). Its losses at other times are few.", path)
	default:
		return fmt.Sprintf("Find the cause of the losses of %s first: %s. A longer capture shows more losses.", path, causeNames(t.remain))
	}
}

// bytesText writes a number of bytes with three digits.
func bytesText(n float64) string {
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if n < 999.5 || unit == "GB" {
			return fmt.Sprintf("%.3g %s", n, unit)
		}
		n /= 1000
	}
	return ""
}
