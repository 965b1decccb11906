package sentences

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/diagnose"
)

// Codes returns an explanation for each verdict. Limits come from the constants by which
// verdicts are found.
func Codes() (out []catalogue.Metric) {
	kinds := diagnose.Kinds()
	for _, code := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[code]
		out = append(out, catalogue.Metric{
			Name: string(code), JSON: string(code), Also: []string{}, Unit: catalogue.VerdictUnit, Levels: []catalogue.Level{catalogue.OfVerdict},
			Better: catalogue.NeitherIsBetter, Definition: plain(k, "meaning"), Formula: plain(k, "rule"), Source: cmp.Or(plain(k, "source"), "this program"), Caveats: plain(k, "severity"),
			Family: catalogue.FamilyVerdicts, Remedy: Of(code, nil),
		})
	}
	return out
}

// explainedText lists the states of the account of the time that verdicts explain.
func explainedText() (text string) {
	kinds := diagnose.Kinds()
	for _, code := range slices.Sorted(maps.Keys(kinds)) {
		states := slices.DeleteFunc(slices.Clone(kinds[code].States), func(s string) bool { return s == diagnose.AnyState })
		if len(states) > 0 {
			text += "\n- " + string(code) + ": " + strings.Join(states, " and ")
		}
	}
	return text
}

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
