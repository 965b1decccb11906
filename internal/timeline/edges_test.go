package timeline_test

import (
	"slices"
	"testing"

	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// TestHeldEdges: a value that holds has a point at both ends of the time that is gathered, 100
// to 200 ns, if it holds there.
func TestHeldEdges(t *testing.T) {
	point := func(at int64, v float64) timeline.Point { return timeline.Point{T: at, Lo: v, Hi: v} }
	for name, tt := range map[string]struct{ in, want []timeline.Point }{
		"across":        {[]timeline.Point{point(10, 1), point(50, 2), point(150, 3), point(300, 4), point(400, 5)}, []timeline.Point{point(100, 2), point(150, 3), point(200, 3)}},
		"holds through": {[]timeline.Point{point(50, 2), point(300, 4)}, []timeline.Point{point(100, 2), point(200, 2)}},
		"ends before":   {[]timeline.Point{point(10, 1), point(50, 2)}, nil},
		"begins later":  {[]timeline.Point{point(300, 1), point(400, 2)}, nil},
		"inside":        {[]timeline.Point{point(120, 1), point(180, 2)}, []timeline.Point{point(120, 1), point(180, 2)}},
		"at the edges":  {[]timeline.Point{point(50, 1), point(100, 2), point(200, 3), point(201, 4)}, []timeline.Point{point(100, 2), point(200, 3), point(200, 3)}},
	} {
		s := timeline.New(timeline.Config{Series: []string{"state"}, Held: []string{"state"}, From: 100, To: 200})
		line := report.SeriesLine{Cell: &report.Cell{Direction: report.A2B}, Metric: "state"}
		for _, p := range tt.in {
			if err := s.Series([]report.SeriesRow{{SeriesLine: &line, T: p.T, Value: p.Lo}}); err != nil {
				t.Fatal(err)
			}
		}
		var got []timeline.Point
		for _, l := range s.Find(0, report.A2B, "state") {
			got = append(got, l.Points(1000)...)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
