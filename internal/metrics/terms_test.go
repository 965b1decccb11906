package metrics

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/stats"
)

// The texts have the bounds of the code.
func TestTermsHaveTheBounds(t *testing.T) {
	all := Terms()
	for _, c := range []struct{ name, want string }{
		{"n_reordering", fmt.Sprintf("up to the largest n, %d at most;", maxN)},
		{"percentiles", fmt.Sprintf("Up to %d values they are exact;", stats.ExactLimit-1)},
		{"percentiles", fmt.Sprintf("at most 1/%d (%.1f %%)", stats.ErrorPart, 100.0/stats.ErrorPart)},
	} {
		found := catalogue.Find(all, c.name)
		assert.Check(t, len(found) == 1 && strings.Contains(found[0].Formula+found[0].Caveats, c.want), "%s: %+v, want a text with %q", c.name, found, c.want)
	}
}
