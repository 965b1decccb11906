package diagnose

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// accounted enters for each verdict which part of the time of its direction went to the states
// that it explains. A verdict on a subflow has the time of that subflow, as a part of the time of
// the direction.
func (j *judge) accounted() {
	for i := range j.out {
		v := &j.out[i]
		if v.Direction == nil || v.Severity == report.Fine {
			continue
		}
		whole, names := senderAccount(j.dir(from(v))), kindOf(v).Named() // elsewhere states are told in part
		of := whole
		if v.Subflow != nil {
			of = j.subDir(*v.Subflow, from(v)).TimeAccount
		}
		if len(names) == 0 || of == nil || whole == nil || whole.DurationMS <= 0 {
			continue
		}
		ms := 0.0
		for _, s := range of.States() {
			if slices.Contains(names, s.Name) {
				ms += s.MS
			}
		}
		share := min(100*ms/whole.DurationMS, 100)
		v.TimePercent = &share
		enter(v, number("", "time of its direction in states of time_account: "+strings.Join(names, " and "), share, "percent"))
	}
}

// Named returns the states that the verdict names one by one.
func (k *Kind) Named() []string {
	return slices.DeleteFunc(slices.Clone(k.States), func(s string) bool { return s == AnyState })
}

// disjoint divides the time of a direction among its verdicts, in their order. A verdict costs at most what is left of
// the time of the states that it explains, and of the undetermined time. So all together cost no more than that time.
func (j *judge) disjoint(all []report.Verdict) {
	for _, from := range [2]conn.Side{conn.A, conn.B} {
		var left map[string]float64 // ms by state
		for i := range all {
			v := &all[i]
			if v.CostS == nil || v.Direction == nil || *v.Direction != directionOf(from) {
				continue
			}
			if left == nil {
				left = j.unspent(from)
			}
			if cost := take(left, kindOf(v), *v.CostS*1e3) / 1e3; cost*1e9 >= noticeable {
				v.CostS = &cost
			} else {
				v.CostS, v.CostUnknown = nil, "its time is that of other verdicts, or lies outside of the data"
			}
		}
	}
}

// unspent returns the time of a direction by its account, ms by state. All of it is undetermined where there is none.
func (j *judge) unspent(from conn.Side) map[string]float64 {
	x := j.dir(from).TimeAccount
	if x == nil {
		return map[string]float64{"undetermined": float64(j.m.Symptoms.Dir(from).Data.Duration()) / 1e6}
	}
	left := map[string]float64{}
	for _, s := range x.States() {
		left[s.Name] = s.MS
	}
	return left
}

// take takes time for a verdict from what is left of the states, ms, and returns how much there was.
func take(left map[string]float64, k *Kind, ms float64) (taken float64) {
	names := append(k.Named(), "undetermined")
	if len(k.States) == 0 || slices.Contains(k.States, AnyState) {
		names = append(names, notQuiet...)
	}
	for _, name := range names {
		n := min(left[name], ms-taken)
		left[name] -= n
		taken += n
	}
	return taken
}

// notQuiet are the states in which the application had data to send, or may have had.
var notQuiet = []string{"down", "recovery", "congestion_window", "slow_start", "path", "scheduler", "rwnd", "window"}

// senderAccount returns the account of a capture at the sender; nil if there is none. Elsewhere
// most of the time is undetermined, so that a small share says nothing.
func senderAccount(d *report.ConnDir) *report.TimeAccount {
	if x := d.TimeAccount; x != nil && x.SeenAt == report.SeenAtSender {
		return x
	}
	return nil
}

// atSender returns how the sender spent its time: by the account of a capture there, or as one at the receiver lets
// infer; nil if neither tells it.
func (j *judge) atSender(from conn.Side) *report.TimeAccount {
	d := j.dir(from)
	if x := senderAccount(d); x != nil || d.TimeAccount == nil {
		return x
	}
	if x, ok := j.m.Dir(from).Inferred(-1); ok {
		return &x
	}
	return nil
}

// pausesTell reports whether the pauses of a sender tell who holds back. At the receiver they do where nothing else
// delays data: a congestion window that neither losses nor a queue end grows until the path is full, unless a buffer
// or a clamp holds it.
func pausesTell(x *report.TimeAccount) bool {
	return x.SeenAt == report.SeenAtSender || max(x.Recovery.Percent, x.Path.Percent) < cleanMost
}

// Remaining returns the causes that packets leave for a verdict whose code has several. Records of the
// hosts exclude some of them, or prove one. It is nil where the code itself is the cause. The file of
// the verdict lists them: a cause, and behind @ the host in which it lies, a, b, or that which sends or
// receives the data, or that the verdict names.
func Remaining(v *report.Verdict) (out []report.Cause) {
	k := kindOf(v)
	for text := range strings.FieldsSeq(k.Parts[k.Section("alternatives", v.Form)]) {
		code, host, inHost := strings.Cut(text, "@")
		c := report.Cause{Code: report.CauseCode(code)}
		if inHost {
			if c.Host = hostOf(v, host); c.Host == nil {
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// hostOf returns the host that the word of a list means; nil where the verdict does not tell.
func hostOf(v *report.Verdict, word string) *report.Side {
	hosts := map[string]report.Side{"a": report.SideA, "b": report.SideB}
	if v.Direction != nil {
		hosts["sender"], hosts["receiver"] = report.Side(side(from(v))), report.Side(side(from(v).Other()))
	}
	if p := parameter(v, word); p != nil {
		hosts[word] = report.Side(p.Text)
	}
	if host, told := hosts[word]; told {
		return &host
	}
	return nil
}

// sides are both ends of a connection.
var sides = [2]conn.Side{conn.A, conn.B}

// nothingPassed are the verdicts that packets did not arrive, of which ICMP messages may say why.
var nothingPassed = []report.VerdictCode{
	report.VerdictUnanswered, report.VerdictSYNDropped, report.VerdictJoinUnanswered, report.VerdictHandshake, report.VerdictPathDied, report.VerdictStalled,
	report.VerdictAllStopped, report.VerdictBlackHole, report.VerdictEndsEarly,
}

// icmpErrors enters into a verdict that packets of a subflow did not arrive what ICMP messages say of them.
func (j *judge) icmpErrors(v *report.Verdict) {
	i := report.Known(v.Subflow)
	if !slices.Contains(nothingPassed, v.Code) || i >= len(j.m.Subs) {
		return
	}
	for _, from := range sides {
		if u := j.m.Subs[i].Sub.ICMPErrors(from); u.Packets > 0 {
			enter(v, word("icmp", u.Latest.String()), word("icmp_from", u.Latest.From.AddrPort().Addr().String()),
				counted("", "ICMP messages", u.Packets), j.packet("the first of them", u.First, i))
			return
		}
	}
}

// ranked sorts verdicts by severity and then by cost, and drops those beyond the bound.
// Verdicts without a cost keep the order in which they were found. A gap of the capture comes
// first, because all others are of the packets that are there. A consequence stands behind its
// cause.
func ranked(v []report.Verdict) report.List[report.Verdict] {
	slices.SortStableFunc(v, func(a, b report.Verdict) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(costOf(&b), costOf(&a)))
	})
	behindCauses(v)
	return v[:min(len(v), maxVerdicts)]
}

// behindCauses puts each verdict on a consequence behind the first verdict that names its cause.
func behindCauses(all []report.Verdict) {
	was, cause, out := slices.Clone(all), make([]int, len(all)), all[:0]
	for i := range was {
		cause[i] = slices.IndexFunc(was, func(v report.Verdict) bool { return causes(&v, &was[i]) })
	}
	var put func(of int)
	put = func(of int) {
		for i, k := range cause {
			if k == of {
				out = append(out, was[i])
				put(i)
			}
		}
	}
	put(-1) // those without a cause
}

// causes reports whether a verdict says why the path is slow that delivery waits for, or why the receive
// window is full: for at least half of that time a part of it was taken back, or data in it waits for a path.
func causes(v, of *report.Verdict) bool {
	if v.Severity != of.Severity || v.Direction != nil && of.Direction != nil && *v.Direction != *of.Direction {
		return false
	}
	switch {
	case v.Code == report.VerdictAllStopped: // most of the losses, or of the waits, are those of the time in which all stopped
		return of.Cause != nil && of.Cause.Code == report.CauseLinkDown || of.Code == report.VerdictHoLBlocked && 2**v.Cost >= figure(of, "blocked")
	case slices.Contains(strings.Fields(kindOf(of).Parts["follows"]), string(v.Code)): // verdicts of the same severity that say why
		return v.Subflow == nil && of.Subflow == nil || v.Subflow != nil && of.Subflow != nil && *v.Subflow == *of.Subflow
	case of.Code == report.VerdictWindowClosed:
		return v.Code == report.VerdictShrunk && of.Cost != nil && 2**v.Cost >= *of.Cost || v.Code == report.VerdictHoLBlocked && waitsFill(v, of)
	}
	return false
}

// rank returns the place of a verdict among the severities: what is missing from the capture comes
// before all others.
func rank(v *report.Verdict) int {
	if v.Code == report.VerdictCaptureGap || v.Code == report.VerdictOneDirection {
		return -1
	}
	if v.Code == report.VerdictPathFull { // the main limit is named before notes on what costs nothing
		return report.Minor.Rank()
	}
	return v.Severity.Rank()
}

// costOf returns the cost of a verdict, in percent: by the account of the time, where there is one. A severe verdict without a percentage
// means that something does not work at all; a note without one has no known cost.
func costOf(v *report.Verdict) float64 {
	switch w := v.Weight(); {
	case v.Code == report.VerdictPathFull:
		return figure(v, "share")
	case v.Code == report.VerdictHoLBlocked: // waiting costs throughput only while it keeps the window full
		return figure(v, "window")
	case w != nil:
		return *w
	case v.Severity == report.Critical || v.Severity == report.Major:
		return math.Inf(1)
	}
	return -1
}

// warningIf returns the severity of a warning if much is true, otherwise that of a note.
func warningIf(much bool) report.Severity {
	if much {
		return report.Major
	}
	return report.Minor
}

// costs enters the cost of a verdict, percent, and the time that it took of its direction, ns.
func costs(v *report.Verdict, percent float64, ns int64) {
	v.Cost = &percent
	took(v, ns)
}

// took enters the time that a verdict took of its direction, ns.
func took(v *report.Verdict, ns int64) { v.CostS = new(float64(ns) / 1e9) }

// concernsBytes enters how many bytes a verdict concerns, if there are any.
func concernsBytes(v *report.Verdict, n int64) {
	if n > 0 {
		v.CostBytes = &n
	}
}
