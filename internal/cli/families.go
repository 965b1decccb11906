package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
)

// families is the flag that says which metrics are computed besides the basic ones.
type families struct{ asked string }

func (f *families) register(c *cobra.Command) {
	c.Flags().StringVar(&f.asked, "metrics", "all", "what to derive: all, basic (counts, round trips, rates, shares, losses), or basic and a `LIST` of delays, order, windows, verdicts")
	complete(c, "metrics", catalogue.FamilyNames()...)
}

// omit returns the families that are not computed.
func (f *families) omit() (catalogue.Families, error) {
	asked, err := catalogue.ParseFamilies(f.asked)
	if err != nil {
		return 0, fmt.Errorf("--metrics %s: %w", f.asked, err)
	}
	return catalogue.AllFamilies &^ asked, nil
}

// refuse returns an error if a metric that another flag names is of a family that is not
// computed.
func (f *families) refuse(flag, metric string, of catalogue.Families) error {
	if omit, err := f.omit(); err != nil || omit&of == 0 {
		return nil // what is wrong is said once
	}
	return fmt.Errorf("%s: %s is not derived with --metrics %s; add %v", flag, metric, f.asked, of)
}

// refuseFigures does the same for the figures that a pattern names.
func (f *families) refuseFigures(flag, pattern string) error {
	if name, err := catalogue.Resolve(metrics.Table(), pattern); err == nil {
		pattern = name
	}
	for part := range strings.SplitSeq(pattern, ".") {
		if found := catalogue.Lookup(metrics.Table(), part); len(found) > 0 {
			return f.refuse(flag, part, slices.MinFunc(found, byFamily).Family)
		}
	}
	return nil
}

func byFamily(a, b catalogue.Metric) int { return int(a.Family) - int(b.Family) }
