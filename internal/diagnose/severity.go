package diagnose

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// Terms returns the explanation of the rule for severities, for the command explain.
func Terms() []catalogue.Metric {
	return []catalogue.Metric{{
		Name: "severity", JSON: "verdicts[].severity", Also: []string{"cost_percent", "time_percent", "cost_s", "cost_bytes", "remedy"}, Unit: catalogue.Composite,
		Levels: []catalogue.Level{catalogue.OfConnection}, Better: catalogue.NeitherIsBetter,
		Definition: "How much a verdict matters. It follows what the verdict costs: critical, warning, note, ok.",
		Formula: "one of these:\n- critical: Multipath TCP, or a path, does not work at all.\n- warning: it costs throughput or time, from the limit on that explain gives for its code.\n- note: it costs less, or is worth knowing.\n- ok: nothing is wrong.\n" +
			"Among verdicts of one severity the one with the larger time_percent comes first. That is the percentage of the time of its direction, on its subflow if it has one, in the states that the verdict explains (time_account at the sender):" + explainedText() +
			"\nOther verdicts are ordered by cost_percent, as are all without a time_account at the sender. It is a percentage of the time, the data or the delay of the direction. A verdict with neither concerns a whole path. It comes first among critical ones and warnings, and last among notes. hol_blocked stands behind a verdict of the same severity that says why that path is slow (heavy_loss, path_died, rate_fell, unequal_paths)",
		Source: "this program", Family: catalogue.FamilyVerdicts,
		Caveats: "cost_s is what removing the cause would have saved, estimated from the account of the time. The costs of one direction share its time: each has at most what is left of the states that it explains by the verdicts before it, so that they never overlap. cost_bytes are bytes that were lost, sent twice, not captured, or carried without a second path. " +
			"Over several connections (mpanalyze why, analyze) verdicts of one code on one path are a group. The most severe group comes first, then the one with the largest sum of cost_percent times duration. " +
			"The losses of all connections over a path are added up and judged together, with the limits of heavy_loss; they stand before what they explain. The round trip of a path is compared in the same way with the quickest path of the same connections.",
	}}
}

// ranked sorts verdicts by severity and then by cost, and drops those beyond the bound.
// Verdicts without a cost keep the order in which they were found. A gap of the capture comes
// first, because all others are of the packets that are there. A consequence stands behind its
// cause.
func ranked(v []report.Verdict) report.List[report.Verdict] {
	slices.SortStableFunc(v, func(a, b report.Verdict) int {
		return cmp.Or(
			cmp.Compare(rank(&a), rank(&b)),
			cmp.Compare(costOf(&b), costOf(&a)))
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
		return of.Cause != nil && of.Cause.Code == report.CauseLinkDown || of.Code == report.VerdictHoLBlocked && 2**v.Cost >= figure(of, proofBlocked)
	case of.Code == report.VerdictHoLBlocked:
		return slices.Contains(slowPath, v.Code) && v.Subflow != nil && of.Subflow != nil && *v.Subflow == *of.Subflow
	case of.Code == report.VerdictWindowClosed:
		return v.Code == report.VerdictShrunk && of.Cost != nil && 2**v.Cost >= *of.Cost || v.Code == report.VerdictHoLBlocked && figure(of, proofUnread) == 0 && of.Cost != nil && 2*figure(v, proofBlocked) >= *of.Cost
	}
	return false
}

// slowPath are the verdicts that say why a path is slow.
var slowPath = []report.VerdictCode{report.VerdictHeavyLoss, report.VerdictPathDied, report.VerdictBlackHole, report.VerdictRateFell, report.VerdictUnequalPaths}

// rank returns the place of a verdict among the severities: what is missing from the capture comes
// before all others.
func rank(v *report.Verdict) int {
	if v.Code == report.VerdictCaptureGap || v.Code == report.VerdictOneDirection {
		return -1
	}
	return v.Severity.Rank()
}

// costOf returns the cost of a verdict, in percent: by the account of the time, where there is one. A severe verdict without a percentage
// means that something does not work at all; a note without one has no known cost.
func costOf(v *report.Verdict) float64 {
	switch w := v.Weight(); {
	case w != nil:
		return *w
	case v.Severity == report.Critical || v.Severity == report.Major:
		return math.Inf(1)
	}
	return -1
}

// costs enters the cost of a verdict, percent, and the time that it took of its direction, ns.
func costs(v *report.Verdict, percent float64, ns int64) {
	v.Cost = &percent
	took(v, ns)
}

// took enters the time that a verdict took of its direction, ns.
func took(v *report.Verdict, ns int64) {
	v.CostS = new(float64(ns) / 1e9)
}

// concernsBytes enters how many bytes a verdict concerns, if there are any.
func concernsBytes(v *report.Verdict, n int64) {
	if n > 0 {
		v.CostBytes = &n
	}
}
