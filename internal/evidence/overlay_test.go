package evidence

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// seen keeps the values of rows of series.
type seen struct {
	report.RowSink
	values map[string]float64
	dirs   map[string]report.Direction
	first  map[string]report.SeriesRow // nil if it is not asked for
}

func (s *seen) Series(rows []report.SeriesRow) error {
	for _, r := range rows {
		if _, had := s.first[r.Metric]; s.first != nil && !had {
			s.first[r.Metric] = r
		}
		s.values[r.Metric], s.dirs[r.Metric] = r.Value, r.Direction
	}
	return nil
}

// Windows count segments of the size in the row: 12 of 1448 bytes are 17376. What b has not read
// concerns the data that a sends.
func TestOverlays(t *testing.T) {
	for _, only := range []report.Direction{"", report.A2B} {
		sink := &seen{values: map[string]float64{}, dirs: map[string]report.Direction{}}
		w := kernelSeries{Series: Series{Sink: sink, Wanted: func(string) bool { return true }, Only: only}, places: map[*socket]*place{}}
		for _, mptcp := range []bool{false, true} {
			p := &place{socket: &socket{of: &host{timed: true}, mptcp: mptcp, stride: 1}}
			w.place(1, report.Cell{}, p)
			r := rowOf(t, 500, "skmem:(r0,rb131072,t0,tb46080,f0,w0,o0,bl0,d0) cwnd:12 ssthresh:7 mss:1448 rto:200 unacked:3")
			r.Stamp = 0
			assert.NilError(t, w.row(p, r))
		}
		for name, want := range map[string]float64{"cwnd": 12 * 1448, "ssthresh": 7 * 1448, "unacked": 3 * 1448, "unread": 500, "receive buffer": 131072} {
			received, name := name == "unread" || name == "receive buffer", "kernel "+name+", bytes"
			got, ok := sink.values[name]
			if expected := only == "" || received; ok != expected || ok && got != want {
				t.Errorf("only %q, %s: %v, %v, want %v, %v", only, name, got, ok, want, expected)
			}
			if ok && (sink.dirs[name] == report.A2B) != received {
				t.Errorf("%s: direction %s", name, sink.dirs[name])
			}
		}
	}
}

// Series that figures alone have are in no table.
func TestOfFigures(t *testing.T) {
	for _, s := range terms() {
		assert.Check(t, !s.Series || OfFigures(s.Name) != slices.Contains(SeriesNames(), s.Name), "%s: in tables and not", s.Name)
		assert.Check(t, s.Over == "" || slices.Contains(Overlays(s.Over), Overlay{s.Name, s.What}), "%s is not drawn over %s", s.Name, s.Over)
	}
	assert.Check(t, !OfFigures("throughput") && len(Overlays("goodput")) == 0, "series of the packets")
}
