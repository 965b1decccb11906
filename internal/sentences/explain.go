package sentences

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/diagnose"
)

// Calibration says how often verdicts were right on sessions whose causes are known, and how far the account of
// the time is off, as Markdown. scripts/calibrate.py writes its table.
//
//go:embed calibration.md
var Calibration string

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

// termRows has the explanation of the rule for severities. {states} stands for the states of the account
// of the time that verdicts explain.
//
//go:embed terms.json
var termRows []byte

// Terms returns the explanation of the rule for severities, for the command explain.
func Terms() []catalogue.Metric {
	all, states, kinds := catalogue.Read[[]catalogue.Metric](termRows), "", diagnose.Kinds()
	for _, code := range slices.Sorted(maps.Keys(kinds)) {
		if named := kinds[code].Named(); len(named) > 0 {
			states += "\n- " + string(code) + ": " + strings.Join(named, " and ")
		}
	}
	all[0].Formula = strings.Replace(all[0].Formula, "{states}", states, 1)
	return all
}
