package diagnose

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

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
	if len(all) < 2 {
		return
	}
	behind := make([][]int, len(all))
	var first []int
	for i := range all {
		if k := slices.IndexFunc(all, func(v report.Verdict) bool { return causes(&v, &all[i]) }); k >= 0 {
			behind[k] = append(behind[k], i)
		} else {
			first = append(first, i)
		}
	}
	was, out := slices.Clone(all), all[:0]
	var put func(list []int)
	put = func(list []int) {
		for _, i := range list {
			out = append(out, was[i])
			put(behind[i])
		}
	}
	put(first)
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
