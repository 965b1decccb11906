package diagnose

import (
	"cmp"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// Limits of the verdicts on paths.
const (
	idleMuch             = 50.0 // percent of the cells in which a path was open
	idleLeast            = 10   // cells in which a path must have been open
	idleShare            = 10.0 // percent of the data: a path that carried more was not left idle
	leftMuch             = 25.0 // percent of the time in which a path was open, from which on it matters that it carried nothing up to the end
	rttRatio, speedRatio = report.RTTRatio, 5.0
	benefitLeast         = 1.05
	besideLeast          = 10.0  // percent of the cells in which a path carried data, in which others did, too
	cell                 = 100e6 // length of the cells in which idle time is counted, ns
)

// unequal judges paths whose round trips or rates are far apart.
func (j *judge) unequal(from conn.Side) {
	type path struct {
		sub   int
		value float64
	}
	by := func(x, y path) int { return cmp.Compare(x.value, y.value) }
	var rtts, rates, least []path
	for i := range j.subflows() {
		r := j.subDir(i, from)
		if r.Volume() == 0 || r.Share == nil || *r.Share < report.FewShare {
			continue
		}
		if r.SRTT != nil && r.SRTT.Avg > 0 {
			rtts = append(rtts, path{i, r.SRTT.Avg})
		}
		if r.Throughput != nil && r.Throughput.Avg > 0 && j.concerning(i, from, report.VerdictPathDied, report.VerdictPathRemoved) == nil {
			rates = append(rates, path{i, r.Throughput.Avg})
			// A path carried as much as it can if its queue made round trips much longer, or it lost much. The rate of any other
			// shows only what the scheduler or the congestion control sent on it.
			if r.SRTT != nil && r.RTT != nil && r.SRTT.Avg >= queueRatio*r.RTT.Min || r.Drops != nil && report.Known(r.Drops.Percent) >= lossMuch {
				least = append(least, path{i, r.Throughput.Avg})
			}
		}
	}
	if len(rtts) > 0 {
		if slow, quick := slices.MaxFunc(rtts, by), slices.MinFunc(rtts, by); slow.value >= rttRatio*quick.value {
			j.add(report.VerdictUnequalPaths, report.Minor, "", counted("least", "", quick.sub), when(j.waitsMostFor(from) == slow.sub, "waits"), number("slow", "SRTT of the slower", slow.value, "ms"),
				number("quick", "SRTT of the quicker", quick.value, "ms"), number("ratio", "ratio", slow.value/quick.value, "ratio")).Subflow = &slow.sub
		}
	}
	if len(least) > 0 {
		if most, slow := slices.MaxFunc(rates, by), slices.MinFunc(least, by); most.value >= speedRatio*slow.value {
			v := j.add(report.VerdictUnequalPaths, report.Minor, "rates", counted("most", "", most.sub), number("fast", "throughput of the faster", most.value, "Mbit/s"),
				number("slow", "throughput of the slower", slow.value, "Mbit/s"), number("ratio", "ratio", most.value/slow.value, "ratio"))
			v.Subflow = &slow.sub
			if r := j.subDir(slow.sub, from); r.SRTT != nil && r.RTT != nil {
				enter(v, number("", "SRTT of the slower", r.SRTT.Avg, "ms"), number("", "its least round trip", r.RTT.Min, "ms"))
			}
		}
	}
}

// idle judges paths that were open but carried little or nothing.
func (j *judge) idle(from conn.Side) {
	for i, s := range j.subflows() {
		c, r := s.Path(from), j.subDir(i, from)
		if len(j.m.Subs) == 1 || c.OpenCells == 0 || s.Sub.Refused() || j.concerning(i, from, report.VerdictPathDied, report.VerdictPathRemoved, report.VerdictBlackHole, report.VerdictHandshake) != nil {
			continue
		}
		share, left := report.Known(r.Share), percent(c.IdleCells, c.OpenCells)
		facts := []fact{
			number("share", "share of the data", share, "percent"), number("idle", "time idle while others carried data", left, "percent"),
			when(!j.at(from), "elsewhere"), j.packet("established", s.Handshake.Third, i), lasted("", "longest idle time", int64(c.LongestIdle)*cell),
		}
		switch {
		case r.Volume() == 0 && c.OpenCells*2 < j.m.Symptoms.Dir(from).Cells:
			j.add(report.VerdictTooShort, report.Minor, "passed", facts...).Subflow = subflowID(i)
		case r.Volume() == 0 && j.early(i, s.Handshake.Third.Time, "unused", facts...):
		case r.Volume() == 0:
			j.unused(report.VerdictPathUnused, "", i, from, left, facts...)
		case left >= idleMuch && share < idleShare && c.OpenCells >= idleLeast:
			j.unused(report.VerdictPathIdle, "", i, from, left, facts...)
		default:
			j.leftFrom(i, from)
		}
	}
}

// leftFrom judges a path that carried nothing from some time on, although others did up to the end.
// It may have carried much before.
func (j *judge) leftFrom(i int, from conn.Side) {
	c, data := j.m.Subs[i].Path(from), j.m.Symptoms.Dir(from).Data
	share := percent(c.IdleRun, c.OpenCells)
	if c.IdleRun < idleLeast || share < leftMuch || c.OpenUntil < data.To.Time-cell {
		return
	}
	j.unused(report.VerdictPathIdle, "left", i, from, share, lasted("from", "", c.LastData.Time-j.start), lasted("rest", "", data.To.Time-c.LastData.Time),
		j.packet("last data on it", c.LastData, i), j.packet("last data", data.To, -1), number("", "time idle at the end while others carried data", share, "percent"))
}

// unused enters a verdict on a path that carried nothing for a part of the time, percent. Its cost is
// what its rate would have saved while the other paths limited. While a window or the application limits it saves nothing.
func (j *judge) unused(code report.VerdictCode, form string, i int, from conn.Side, share float64, facts ...fact) {
	why, quiet := j.whyIdle(i, from)
	v := j.add(code, warningIf(why == ""), form, append(facts, word("why", why), only(why == "application", value("quiet", quiet, "percent")))...)
	v.Subflow, v.Cost = subflowID(i), &share
	x := j.atSender(from)
	if x == nil || !j.pathsLimit(from, x) {
		v.CostUnknown = "what the path would have carried is not known"
		return
	}
	took(v, int64(j.atMost(i, from, x, pathsTime(x))*1e6))
}

// reserve reports whether a subflow is a backup at the end of the connection.
func (j *judge) reserve(i int) bool { return i < len(j.priority) && j.priority[i].isBackup() }

// whyIdle explains an idle path by other causes than the scheduler; why is empty if there are none. quiet is
// the part of the time in which nothing was outstanding, percent. Only
// a capture at the sender shows whether there was other data to send.
func (j *judge) whyIdle(i int, from conn.Side) (why string, quiet float64) {
	t := j.m.Symptoms.Dir(from)
	_, noRoom, _ := j.withoutRoom(from)
	account := j.nothingSent(from)
	quiet = percent(t.AppLimited, t.Data.Duration())
	switch {
	case j.reserve(i):
		return "backup", quiet
	case j.misses(from): // nor do the DATA_ACKs of the capture tell what was outstanding
		return "", quiet
	case quiet >= quietSome:
		return "application", quiet
	case account != nil:
		return "application", account.Application.Percent + account.Idle.Percent
	case !j.m.Dir(from).WindowsKnown():
		return "unknown", quiet
	case noRoom >= fullMuch:
		return "window", quiet
	case j.m.Role(from) != metrics.Sender:
		return "elsewhere", quiet
	}
	return "", quiet
}

// pathWork is what one path, which may have several subflows, carried in one direction.
// Times are counted in cells in which any path carried data.
type pathWork struct {
	path          string // of its first subflow
	link          [2][16]byte
	reserve       bool // it is a backup, which takes over and adds nothing
	bytes         int64
	open          int64 // cells in which a subflow of it was open
	carried, side int64 // cells in which it carried data, and how many of those in which another subflow carried data, too
}

// pathWork returns the work of the paths of these subflows, in the order of their first subflows. Subflows with one address
// of a host that has several of them count as one path, because an address belongs to one link: of the hosts with several
// addresses, that with the fewest decides.
func (j *judge) pathWork(subflows []int, from conn.Side) (out []*pathWork) {
	var hosts [2]map[[16]byte]bool
	for _, side := range sides {
		hosts[side] = map[[16]byte]bool{}
		for _, i := range subflows {
			hosts[side][j.m.Subs[i].Sub.Ends[side].Addr] = true
		}
	}
	for _, i := range subflows {
		var link [2][16]byte
		for _, side := range sides {
			if n, other := len(hosts[side]), len(hosts[side.Other()]); n > 1 && (n <= other || other == 1) {
				link[side] = j.m.Subs[i].Sub.Ends[side].Addr
				break
			}
		}
		path := j.c.Subflows[i].Path
		at := slices.IndexFunc(out, func(p *pathWork) bool { return p.path == path || p.link == link })
		if at < 0 {
			at, out = len(out), append(out, &pathWork{path: path, link: link, reserve: j.reserve(i)})
		}
		p, c := out[at], j.m.Subs[i].Path(from)
		p.bytes += j.subDir(i, from).Volume()
		p.open += c.OpenCells
		p.carried += c.BusyCells
		p.side += c.SharedCells
	}
	return out
}

// sideBySide reports whether another path helped the one that carried most: it was open
// for half of the time at least, and not only when that one carried nothing. A path that
// took over from another, as backups do, or lived briefly, did not help it.
func sideBySide(paths []*pathWork, cells int64) bool {
	if paths = slices.DeleteFunc(slices.Clone(paths), func(p *pathWork) bool { return p.reserve }); len(paths) == 0 {
		return false
	}
	most := slices.MaxFunc(paths, func(a, b *pathWork) int { return cmp.Compare(a.bytes, b.bytes) })
	return slices.ContainsFunc(paths, func(p *pathWork) bool {
		return p != most && p.open*2 >= cells && percent(p.side, p.carried) >= besideLeast
	})
}

// pathsLimit reports whether the paths limited the rate, so that one path alone would have carried less.
// Where a window, a buffer or the application limits, it would have carried as much.
func (j *judge) pathsLimit(from conn.Side, x *report.TimeAccount) bool {
	if x == nil {
		return false // nobody knows
	}
	limited := x.Path.Percent + x.Recovery.Percent
	if x.SeenAt != report.SeenAtSender {
		return limited >= networkSome && limited > x.Rwnd.Percent
	}
	limited += x.CongestionWindow.Percent + x.SlowStart.Percent
	if j.queuesStand(from, x) {
		limited += x.Window.Percent
	}
	return limited >= networkMuch
}

// oneWouldDo reports whether one path was seen to carry for a moment as much as all did together: on the mean, without a
// loss, so that nothing would have kept it from that rate alone; or at their best moment, while all are full, so that they
// share a link. In a short transfer the most over a second is less than the mean, and tells nothing.
func (j *judge) oneWouldDo(from conn.Side) bool {
	best, all := 0.0, j.dir(from).Goodput
	for i := range j.subflows() {
		carries, lost := j.m.Dir(from).Carries(i), j.subDir(i, from).Drops
		if best = max(best, carries); all != nil && all.Avg <= carries && lost != nil && lost.Count == 0 {
			return true
		}
	}
	most, known := j.m.Symptoms.Dir(from).DeliveredRate()
	mean := j.dir(from).Throughput
	if x := j.atSender(from); !known || x == nil || !j.queuesStand(from, x) || mean == nil || mean.Avg < steadyMost*most || mean.Avg > benefitLeast*most {
		return false
	}
	return benefitLeast*best > most
}

// aggregates reports what the paths achieved together, if they did, and whether several
// subflows used one path.
func (j *judge) aggregates() {
	for _, from := range sides {
		d := j.dir(from)
		if d.AggregationBenefit == nil || float64(report.Known(d.Bytes)) < fewBytes {
			continue
		}
		var used []int // subflows
		for i := range j.subflows() {
			if r := j.subDir(i, from); r.Share != nil && *r.Share > 0 {
				used = append(used, i)
			}
		}
		paths := j.pathWork(used, from)
		benefit := number("benefit", "aggregation_benefit", *d.AggregationBenefit, "ratio")
		pairs := map[string]bool{}
		for _, i := range used {
			pairs[j.c.Subflows[i].Path] = true
		}
		if len(paths) < len(pairs) { // the metric takes each pair of addresses for a path
			all, most := int64(0), int64(0)
			for _, p := range paths {
				all, most = all+p.bytes, max(most, p.bytes)
			}
			benefit = number("benefit", "data of all paths, divided by that of the one with most", float64(all)/float64(most), "ratio")
		}
		switch {
		case *d.AggregationBenefit >= benefitLeast && j.pathsLimit(from, d.TimeAccount) && !j.oneWouldDo(from) && sideBySide(paths, j.m.Symptoms.Dir(from).Cells):
			v := j.add(report.VerdictAggregates, report.Fine, "", counted("paths", "", len(paths)), benefit)
			v.Direction = direction(from)
			if d.TimeAccount.SeenAt != report.SeenAtSender { // a send buffer may have limited for a time
				v.Certainty = report.Likely
			}
		case len(paths) == 1 && len(used) > 1 && !j.has(report.VerdictUncaptured):
			v := j.add(report.VerdictSinglePath, report.Minor, "shared", counted("subflows", "", len(used)), word("over", paths[0].path), benefit)
			v.Direction = direction(from)
			concernsBytes(v, report.Known(d.Bytes))
		}
	}
}

// unneeded judges subflows that never carried anything because the connection had little
// data. Without this verdict, and with no other one on such a subflow, the reader may look
// for a fault.
func (j *judge) unneeded() {
	a, b := j.c.A2B.Volume(), j.c.B2A.Volume()
	if a+b == 0 || float64(max(a, b)) >= fewBytes || j.c.Fallback != nil || j.has(report.VerdictUncaptured) || j.has(report.VerdictOptionsCut) {
		return
	}
	last := max(j.m.Symptoms.Dir(conn.A).Data.To.Time, j.m.Symptoms.Dir(conn.B).Data.To.Time)
	for i, s := range j.subflows() {
		up := s.Handshake.Third
		named := slices.ContainsFunc(j.out, func(v report.Verdict) bool { return v.Subflow != nil && *v.Subflow == i })
		if !s.Sub.Joined || !up.Seen() || s.Sub.Refused() || !j.neverCarried(s) || named {
			continue
		}
		form := "after"
		if up.Time < last {
			form = "little"
		}
		j.add(report.VerdictTooShort, report.Minor, form, lasted("up", "", up.Time-j.start), j.packet("third packet", up, i), number("volume", "application bytes", float64(a+b), "bytes")).Subflow = subflowID(i)
	}
}
