package diagnose

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// TestEnter: a fact with a description is a proof, one without is a word or a number of the sentence. Empty
// facts are left out. Times are in ms: 1500 us are 1.5.
func TestEnter(t *testing.T) {
	var v report.Verdict
	enter(&v, lasted("took", "", 1_500_000), number("rate", "delivered", 2, "Mbit/s"), word("by", "a"), word("by", ""), when(false, "x"), ofSubflow(3, when(true, "y")))
	assert.DeepEqual(t, v.Parameters, report.List[report.Parameter]{
		{Name: "took", Value: new(1.5), Unit: "ms"}, {Name: "by", Text: "a"}, {Name: "y", Text: "yes", Subflow: new(3)},
	})
	assert.DeepEqual(t, v.Evidence, report.List[report.Proof]{{What: "delivered", Name: "rate", Value: new(2.0), Unit: new("Mbit/s")}})
	assert.Check(t, figure(&v, "took") == 1.5 && figure(&v, "rate") == 2 && figure(&v, "none") == 0)
}
