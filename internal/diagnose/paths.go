package diagnose

import (
	"fmt"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// unequal judges paths whose round trips or rates are far apart.
func (j *judge) unequal(from conn.Side) {
	slow, quick, least, most := -1, -1, -1, -1
	rtts, rates := make([]float64, len(j.m.Subs)), make([]float64, len(j.m.Subs))
	for i := range j.subflows() {
		r := j.subDir(i, from)
		if r.Volume() == 0 || r.Share == nil || *r.Share < report.FewShare {
			continue
		}
		if r.SRTT != nil && r.SRTT.Avg > 0 {
			rtts[i] = r.SRTT.Avg
			slow, quick = extreme(rtts, slow, i, true), extreme(rtts, quick, i, false)
		}
		if r.Throughput != nil && r.Throughput.Avg > 0 {
			rates[i] = r.Throughput.Avg
			if most = extreme(rates, most, i, true); exhausted(r) {
				least = extreme(rates, least, i, false)
			}
		}
	}
	if slow >= 0 && rtts[slow] >= rttRatio*rtts[quick] {
		j.slower(from, slow, quick, rtts)
	}
	if least >= 0 && rates[most] >= speedRatio*rates[least] {
		j.narrower(least, most, rates, from)
	}
}

// exhausted reports whether a path carried as much as it can: its queue made round trips
// much longer, or it lost much. The rate of any other path shows only what the scheduler or
// the congestion control sent on it, and not what the path can carry.
func exhausted(r *report.SubDir) bool {
	return r.SRTT != nil && r.RTT != nil && r.SRTT.Avg >= queueRatio*r.RTT.Min || r.Drops != nil && r.Drops.Percent != nil && *r.Drops.Percent >= lossMuch
}

// slower enters the verdict on a path whose round trip is long.
func (j *judge) slower(from conn.Side, slow, quick int, rtts []float64) {
	ratio := rtts[slow] / rtts[quick]
	waits := ""
	if j.waitsMostFor(from) == slow {
		waits = ": data of the slow path holds up that of the quick one"
	}
	j.add(report.VerdictUnequalPaths, report.Minor,
		fmt.Sprintf("the round trip of subflow %d (%s) is %.1f times that of subflow %d (%s)%s",
			slow, durationText(int64(rtts[slow]*1e6)), ratio, quick, durationText(int64(rtts[quick]*1e6)), waits),
		number("SRTT of the slower", rtts[slow], "ms"), number("SRTT of the quicker", rtts[quick], "ms"), number("ratio", ratio, "ratio")).Subflow = subflowID(slow)
}

// narrower enters the verdict on a path with a low rate.
func (j *judge) narrower(least, most int, rates []float64, from conn.Side) {
	ratio, r := rates[most]/rates[least], j.subDir(least, from)
	proofs := []report.Proof{
		number("throughput of the faster", rates[most], "Mbit/s"), number("throughput of the slower", rates[least], "Mbit/s"), number("ratio", ratio, "ratio"),
	}
	if r.SRTT != nil && r.RTT != nil {
		proofs = append(proofs, number("SRTT of the slower", r.SRTT.Avg, "ms"), number("its least round trip", r.RTT.Min, "ms"))
	}
	j.add(report.VerdictUnequalPaths, report.Minor,
		fmt.Sprintf("subflow %d (%.2f Mbit/s) is %.1f times as fast as subflow %d (%.2f Mbit/s): the slow path can add little", most, rates[most], ratio, least, rates[least]),
		proofs...).Subflow = subflowID(least)
}

// extreme returns which of best and i has the larger value, or the smaller.
func extreme(v []float64, best, i int, larger bool) int {
	if best < 0 || larger && v[i] > v[best] || !larger && v[i] < v[best] {
		return i
	}
	return best
}

// cell is the length of the cells in which idle time is counted, ns.
const cell = 100e6

// idle judges paths that were open but carried little or nothing.
func (j *judge) idle(from conn.Side) {
	for i, s := range j.subflows() {
		c, r := s.Path(from), j.subDir(i, from)
		if len(j.m.Subs) == 1 || c.OpenCells == 0 || s.Sub.Refused() || j.concerning(i, from, report.VerdictPathDied, report.VerdictPathRemoved, report.VerdictBlackHole) != nil {
			continue
		}
		share := 0.0
		if r.Share != nil {
			share = *r.Share
		}
		why, left := j.why(i, from), percent(c.IdleCells, c.OpenCells)
		path := pathText(i, &j.c.Subflows[i])
		proofs := []report.Proof{
			number("share of the data", share, "percent"), number("time idle while others carried data", left, "percent"),
			j.packet("established", s.Handshake.Third, i), number("longest idle time", float64(c.LongestIdle*cell)/1e6, "ms"),
		}
		switch {
		case r.Volume() == 0 && c.OpenCells*2 < j.m.Symptoms.Dir(from).Cells:
			j.add(report.VerdictTooShort, report.Minor,
				fmt.Sprintf("%s was established when most of the data had passed, and never carried any", path), proofs...).Subflow = subflowID(i)
		case r.Volume() == 0 && j.early(i, s.Handshake.Third.Time, path+" is open and carries no data", proofs...):
		case r.Volume() == 0:
			v := j.add(report.VerdictPathUnused, warningIf(why == ""),
				fmt.Sprintf("%s was open and never carried data%s", path, why), proofs...)
			v.Subflow = subflowID(i)
			j.unusedCosts(v, i, from, left)
		case left >= idleMuch && share < idleShare && c.OpenCells >= idleLeast:
			v := j.add(report.VerdictPathIdle, warningIf(why == ""),
				fmt.Sprintf("the scheduler left %s idle for %.0f %% of the time in which others carried data, with nothing outstanding on it; it carried %.1f %% of the data%s",
					path, left, share, why), proofs...)
			v.Subflow = subflowID(i)
			j.unusedCosts(v, i, from, left)
		default:
			j.leftFrom(i, from, why)
		}
	}
}

// leftMuch is the part of the time in which a path was open from which on it matters that it
// carried nothing up to the end, percent.
const leftMuch = 25.0

// leftFrom judges a path that carried nothing from some time on, although others did up to the end.
// It may have carried much before. why explains it by other causes than the scheduler.
func (j *judge) leftFrom(i int, from conn.Side, why string) {
	c, data := j.m.Subs[i].Path(from), j.m.Symptoms.Dir(from).Data
	share := percent(c.IdleRun, c.OpenCells)
	if c.IdleRun < idleLeast || share < leftMuch || c.OpenUntil < data.To.Time-cell {
		return
	}
	v := j.add(report.VerdictPathIdle, warningIf(why == ""),
		fmt.Sprintf("%s carried nothing from %s on, up to the end of the data %s later, although others did%s",
			pathText(i, &j.c.Subflows[i]), durationText(c.LastData.Time-j.start), durationText(data.To.Time-c.LastData.Time), why),
		j.packet("last data on it", c.LastData, i), j.packet("last data", data.To, -1),
		number("time idle at the end while others carried data", share, "percent"))
	v.Subflow = subflowID(i)
	j.unusedCosts(v, i, from, share)
}

// unusedCosts enters the cost of a path that was left idle for a part of the time, percent: what its rate would
// have saved while the other paths limited. While a window or the application limits it saves nothing.
func (j *judge) unusedCosts(v *report.Verdict, i int, from conn.Side, share float64) {
	v.Cost = &share
	x := senderAccount(j.dir(from))
	if x == nil || !j.pathsLimit(from, x) {
		v.CostUnknown = "what the path would have carried is not known"
		return
	}
	took(v, int64(j.atMost(i, from)*pathsTime(x)*1e6))
}

// reserve reports whether a subflow is a backup at the end of the connection.
func (j *judge) reserve(i int) bool { return i < len(j.priority) && j.priority[i].isBackup() }

// why explains an idle path by other causes than the scheduler; "" if there are none. Only
// a capture at the sender shows whether there was other data to send.
func (j *judge) why(i int, from conn.Side) string {
	t := j.m.Symptoms.Dir(from)
	_, noRoom, _ := j.withoutRoom(from)
	switch {
	case j.reserve(i):
		return ": it is a backup"
	case j.misses(from):
		return "" // nor do the DATA_ACKs of the capture tell what was outstanding
	case percent(t.AppLimited, t.Data.Duration()) >= quietSome:
		return fmt.Sprintf(": the application's data fits into the other paths, for %.0f %% of the time nothing was outstanding", percent(t.AppLimited, t.Data.Duration()))
	case !j.m.Dir(from).WindowsKnown():
		return ": whether the receive window had room is not known"
	case noRoom >= fullMuch:
		return ": the receive window had no room for much of the time"
	case j.m.Role(from) != metrics.Sender:
		return ": by choice of the scheduler, or because the application's data fits into the other paths; a capture at the sender tells"
	}
	return ""
}

// pathWork is what one path, which may have several subflows, carried in one direction.
// Times are counted in cells in which any path carried data.
type pathWork struct {
	path          string
	reserve       bool // it is a backup, which takes over and adds nothing
	bytes         int64
	open          int64 // cells in which a subflow of it was open
	carried, side int64 // cells in which it carried data, and how many of those in which another subflow carried data, too
}

// pathWork returns the work of the paths of these subflows, in the order of their first subflows.
func (j *judge) pathWork(subflows []int, from conn.Side) (out []*pathWork) {
	for _, i := range subflows {
		path := j.c.Subflows[i].Path
		at := slices.IndexFunc(out, func(p *pathWork) bool { return p.path == path })
		if at < 0 {
			at, out = len(out), append(out, &pathWork{path: path, reserve: j.reserve(i)})
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
// took over from another, or lived briefly, did not help it.
func sideBySide(paths []*pathWork, cells int64) bool {
	var most *pathWork
	for _, p := range paths {
		if most == nil || p.bytes > most.bytes {
			most = p
		}
	}
	for _, p := range paths {
		if p != most && !p.reserve && p.open*2 >= cells && percent(p.side, p.carried) >= besideLeast {
			return true
		}
	}
	return false
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

// aggregates reports what the paths achieved together, if they did, and whether several
// subflows used one path.
func (j *judge) aggregates() {
	for _, from := range [2]conn.Side{conn.A, conn.B} {
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
		benefit := number("aggregation_benefit", *d.AggregationBenefit, "ratio")
		switch {
		case *d.AggregationBenefit >= benefitLeast && j.pathsLimit(from, d.TimeAccount) && sideBySide(paths, j.m.Symptoms.Dir(from).Cells):
			v := j.add(report.VerdictAggregates, report.Fine,
				fmt.Sprintf("%s carried the data, %.2f times what the best one carried", textwrap.Count(int64(len(paths)), "path"), *d.AggregationBenefit),
				benefit)
			v.Direction = direction(from)
			if d.TimeAccount.SeenAt != report.SeenAtSender { // a send buffer may have limited for a time
				v.Certainty = report.Likely
			}
		case len(paths) == 1 && len(used) > 1 && !j.has(report.VerdictUncaptured):
			v := j.add(report.VerdictSinglePath, report.Minor,
				fmt.Sprintf("one path only: %s carried the data, all of them over %s, so they share its capacity",
					textwrap.Count(int64(len(used)), "subflow"), j.c.Subflows[used[0]].Path),
				benefit)
			v.Direction = direction(from)
			concernsBytes(v, report.Known(d.Bytes))
		}
	}
}
