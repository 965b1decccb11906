package build

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/report"
)

// TestAddShares: a path of several subflows has the sum of their shares, none where
// one of them has none, and then that one's reason.
func TestAddShares(t *testing.T) {
	const reason = "a reason of the subflow's"
	subflows := []report.Subflow{{Path: "x"}, {Path: "y"}, {Path: "x"}}
	for name, c := range map[string]struct {
		shares []*float64 // of the subflows
		want   [2]*float64
		why    string
	}{
		"all": {[]*float64{new(30.0), new(50.0), new(20.0)}, [2]*float64{new(50.0), new(50.0)}, ""},
		"one": {[]*float64{nil, new(50.0), new(20.0)}, [2]*float64{nil, new(50.0)}, reason},
	} {
		d := report.ConnDir{Paths: report.List[report.PathShare]{{Path: "x"}, {Path: "y"}}}
		d.Unavailable.Set("paths[].share_percent", "what one capture said")
		var dirs []*report.SubDir
		for _, share := range c.shares {
			s := &report.SubDir{Share: share}
			if share == nil {
				s.Unavailable.Set("share_percent", reason)
			}
			dirs = append(dirs, s)
		}
		addShares(&d, subflows, dirs)
		for i, want := range c.want {
			if diff := cmp.Diff(want, d.Paths[i].Percent); diff != "" {
				t.Errorf("%s: share of path %s (-want +got):\n%s", name, d.Paths[i].Path, diff)
			}
		}
		if why, missing := d.Unavailable.Of("paths[].share_percent"); why != c.why || missing != (c.why != "") {
			t.Errorf("%s: the reason is %q, want %q", name, why, c.why)
		}
	}
}
