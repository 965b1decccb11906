package campaign

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
)

func TestPlaceInMatrix(t *testing.T) {
	for name, want := range map[string][2]string{
		"LIA/Reno":       {"LIA", "Reno"},
		"LIA_Reno":       {"LIA", "Reno"},
		"BBR_v1/Reno":    {"BBR_v1", "Reno"},
		"LIA/BBR_v1":     {"LIA", "BBR_v1"},
		"BBR_v1/H_TCP":   {"BBR_v1", "H_TCP"},
		"fibre/LTE/Reno": {"fibre", "LTE/Reno"},
	} {
		got, err := SplitPair(name)
		assert.Check(t, err == nil && got == want, "%s: %q, %v; want %q", name, got, err, want)
	}
	for name, want := range map[string]string{
		"H_TCP_LIA": `scenario "H_TCP_LIA": which of its 2 "_" is between X and Y of a matrix is not clear; name it X/Y, as in BBR_v1/Reno`,
		"LIA":       `scenario "LIA": a matrix needs X and Y; name it X/Y or X_Y, as in BALIA/Reno`,
		"/Reno":     "name it X/Y",
		"LIA_":      "name it X/Y",
		"":          "name it X/Y",
	} {
		got, err := SplitPair(name)
		assert.Check(t, err != nil && strings.Contains(err.Error(), want), "%q: %q, %v; want an error that says %s", name, got, err, want)
	}
}

// TestMatrixKeepsUnderscores: a row for BBR_v1, none for BBR.
func TestMatrixKeepsUnderscores(t *testing.T) {
	by := Ranking{By: "bytes"}
	table, err := MatrixTable([]Ranked{{Rank: 1, Scenario: "BBR_v1/Reno", Value: 5}, {Rank: 2, Scenario: "LIA_Reno", Value: 4}}, by)
	assert.NilError(t, err)
	var rows []string
	for _, r := range table.Rows {
		rows = append(rows, r.Heads[0]+" "+r.Cells[0].Text)
	}
	d := cmp.Diff([]string{"BBR_v1 5 (1)", "LIA 4 (2)"}, rows)
	assert.Check(t, d == "" && len(table.Columns) == 1, "%d columns; rows (-want +got):\n%s", len(table.Columns), d)
	assert.Check(t, errorOf(MatrixTable([]Ranked{{Scenario: "LIA/Reno"}, {Scenario: "LIA_Reno"}}, by)) != nil, "two scenarios at one place")
}
