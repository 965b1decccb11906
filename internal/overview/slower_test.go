package overview

import (
	"strings"
	"testing"

	"mpanalyze/internal/report"
)

// over is a short connection over these paths with these round trips, ms.
func over(id int, paths []string, rtts []float64) report.Connection {
	c := report.Connection{ID: id, DurationS: 1, A2B: &report.ConnDir{}, B2A: &report.ConnDir{Bytes: new(int64(2000))}}
	for i, path := range paths {
		c.Subflows = append(c.Subflows, report.Subflow{
			ID: i, Path: path, A2B: &report.SubDir{},
			B2A: &report.SubDir{
				Bytes: new(int64(1000)), Segments: 1, Share: new(50.0),
				SRTT: &report.SRTTStat{SpreadStat: report.SpreadStat{Stat: report.Stat{Avg: rtts[i], Samples: 1, Evidence: report.Observed}}},
			},
		})
	}
	return c
}

// TestSlowerTogether: the round trip of lte is 2 times that of wifi in one connection and 5 times in
// the other, 3.5 times on average. A far peer that is reached over wifi alone does not matter, nor does
// a far peer whose two paths are equal.
func TestSlowerTogether(t *testing.T) {
	both := []string{"wifi", "lte"}
	d := &report.Document{Connections: []report.Connection{
		over(0, both, []float64{10, 20}), over(1, both, []float64{10, 50}), over(2, []string{"wifi"}, []float64{900}),
	}}
	all := groupsOf(t, d)
	if len(all) != 1 || all[0].Code != report.VerdictUnequalPaths || all[0].Path != "lte" || all[0].Connections != 2 || all[0].Of != 2 || !all[0].Together {
		t.Fatalf("%+v", all)
	}
	if want := "3.5 times"; !strings.Contains(all[0].Text, want) {
		t.Errorf("%q lacks %q", all[0].Text, want)
	}
	d.Connections = append(d.Connections, over(3, both, []float64{900, 900})) // (2 + 5 + 1) / 3 is less than 3
	if all := groupsOf(t, d); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// TestSlowerOnce: a path that has the verdict of one of its connections does not get it again; one
// connection alone has only its own.
func TestSlowerOnce(t *testing.T) {
	both := []string{"wifi", "lte"}
	c := over(1, both, []float64{10, 50})
	c.Verdicts = &report.List[report.Verdict]{{Code: report.VerdictUnequalPaths, Severity: report.Minor, Subflow: new(1)}}
	for _, d := range []*report.Document{{Connections: []report.Connection{over(0, both, []float64{10, 50}), c}}, {Connections: []report.Connection{c}}} {
		if all := groupsOf(t, d); len(all) != 1 || all[0].Together {
			t.Errorf("%+v", all)
		}
	}
}
