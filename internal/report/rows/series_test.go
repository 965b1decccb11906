package rows_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/rows"
	"mpanalyze/internal/stats"
)

// valueSink keeps values of series up to a number of them.
type valueSink struct {
	report.RowSink
	values []float64
	times  []int64
	names  []string
	blocks int
	full   error // of the block that comes when room is used up
	room   int
}

func (s *valueSink) Series(rows []report.SeriesRow) error {
	s.blocks++
	for _, r := range rows {
		if len(s.values) == s.room {
			return s.full
		}
		s.values, s.times, s.names = append(s.values, r.Value), append(s.times, r.T), append(s.names, r.Metric)
	}
	return nil
}

// gatherer returns rows with a sink, and the sink for values of a connection that began at 1 s.
func gatherer(sink report.RowSink) (*rows.Stream, metrics.SeriesSink) {
	all := func(*conn.Conn) bool { return true }
	stream := rows.New(sink, func(*conn.Subflow) string { return "" }, all, "")
	c := &conn.Conn{Kind: conn.Multipath, Start: 1e9}
	stream.Open(c)
	return stream, stream.Series(c, nil, conn.A)
}

// series returns the series of a name.
func series(t testing.TB, name string) *metrics.Series {
	for _, s := range metrics.AllSeries() {
		if s.String() == name {
			return s
		}
	}
	t.Fatalf("no series %s", name)
	return nil
}

// TestSeriesInBlocks: values that come alone and together reach the sink once, in
// their order, some at a time, and the last ones when the analysis ends.
func TestSeriesInBlocks(t *testing.T) {
	sink := valueSink{room: 10_000}
	stream, to := gatherer(&sink)
	var want valueSink
	for n := range 100 {
		at := int64(n) * 1e6
		to.Value(series(t, "rtt"), 1e9+at, float64(n))
		want.values, want.times, want.names = append(want.values, float64(n)), append(want.times, at), append(want.names, "rtt")
		several := make([]stats.Weighted, n%70)
		for i := range several {
			several[i] = stats.Weighted{Value: float64(i), Weight: 7}
			want.values, want.times, want.names = append(want.values, float64(i)+0.5), append(want.times, at), append(want.names, "hol_wait")
		}
		to.Values(series(t, "hol_wait"), 1e9+at, several, 0.5)
	}
	before := len(sink.values)
	assert.NilError(t, stream.Finish())
	if before == len(want.values) || sink.blocks > len(want.values)/100 {
		t.Errorf("%d of %d values came before the end, in %d blocks", before, len(want.values), sink.blocks)
	}
	for _, diff := range []string{cmp.Diff(want.values, sink.values), cmp.Diff(want.times, sink.times), cmp.Diff(want.names, sink.names)} {
		assert.Check(t, diff == "", "(-want +got):\n%s", diff)
	}
}

// TestSinkFails: the first error of a sink stands, also one at the end, and ends
// the rows.
func TestSinkFails(t *testing.T) {
	full := errors.New("no room")
	for _, n := range []int{600, 3000} {
		sink := valueSink{room: 590, full: full}
		stream, to := gatherer(&sink)
		for i := range n {
			to.Value(series(t, "rtt"), int64(i), 0)
		}
		if err := stream.Finish(); !errors.Is(err, full) {
			t.Errorf("%d values: %v, want %v", n, err, full)
		}
		assert.Check(t, sink.blocks == 3, "%d values: %d blocks, want the 590th in the third, and none behind it", n, sink.blocks)
	}
}
