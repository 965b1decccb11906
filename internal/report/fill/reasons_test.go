package fill

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// reasonsOf returns reasons from names of metrics, in order, each with why it is null.
func reasonsOf(pairs ...string) (out report.Reasons) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, report.Reason{Metric: pairs[i], Why: pairs[i+1]})
	}
	return out
}

// TestSharedReasons takes sets of reasons as a builder does: equal sets share memory, and a
// change of one owner's reasons shows nowhere else.
func TestSharedReasons(t *testing.T) {
	var tree Reasons
	note := func(pairs ...string) report.Reasons {
		for i := 0; i < len(pairs); i += 2 {
			tree.Set(pairs[i], pairs[i+1])
		}
		return tree.Take()
	}
	a, b := note("y", "2", "x", "1"), note("y", "2", "x", "1")
	assert.Check(t, &a[0] == &b[0], "equal reasons do not share their memory")
	c, d := note("x", "1", "y", "3"), note("x", "1")
	if none := note(); none != nil {
		t.Errorf("got %v of no reasons", none)
	}
	a.Set("x", "changed")
	b.Set("a", "first")
	d.Set("z", "last")
	for name, pair := range map[string][2]report.Reasons{
		"overwritten":   {reasonsOf("x", "changed", "y", "2"), a},
		"grown":         {reasonsOf("a", "first", "x", "1", "y", "2"), b},
		"other":         {reasonsOf("x", "1", "y", "3"), c},
		"grown, others": {reasonsOf("x", "1", "z", "last"), d},
		"remembered":    {reasonsOf("x", "1", "y", "2"), note("y", "2", "x", "1")},
		"other order":   {reasonsOf("x", "1", "y", "2"), note("x", "1", "y", "2")},
		"said again":    {reasonsOf("x", "3", "y", "2"), note("x", "1", "y", "2", "x", "3")},
		"shorter":       {reasonsOf("x", "1"), note("x", "1")},
		"part":          {reasonsOf("x", "1", "y.a", "2"), note("y.a", "2", "x", "1")},
		"whole for it":  {reasonsOf("x", "1", "y", "3"), note("y.a", "2", "x", "1", "y", "3")},
		"part behind":   {reasonsOf("x", "1", "y", "2", "y.a", "3"), note("y", "2", "x", "1", "y.a", "3")},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestReasonTreeIsBounded sets more reasons than the tree remembers: whole parts, and reasons
// that follow in the middle of one. None may be lost.
func TestReasonTreeIsBounded(t *testing.T) {
	var tree Reasons
	for i := range 2 * maxReasonNodes {
		want := reasonsOf("a", "common", "metric", fmt.Sprint(i), "z", "then")
		for _, r := range want {
			tree.Set(r.Metric, r.Why)
		}
		got := tree.Take()
		assert.Assert(t, is.DeepEqual(got, want))
		got.Set("b", "of this part only")
	}
	assert.Check(t, tree.nodes == maxReasonNodes, "%d nodes, want %d", tree.nodes, maxReasonNodes)
}
