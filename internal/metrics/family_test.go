package metrics

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// TestFamilies: a series is of the family of its metric, and has a name.
func TestFamilies(t *testing.T) {
	for _, m := range Table() {
		if m.Series && FamilyOf(m.Name) != m.Family {
			t.Errorf("series %s is of family %v, the metric of %v", m.Name, FamilyOf(m.Name), m.Family)
		}
	}
	assert.Check(t, !slices.Contains(SeriesNames(), ""), "a series has no name")
}
