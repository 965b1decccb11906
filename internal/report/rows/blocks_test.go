package rows_test

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/rows"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// value is a row of series.csv.
type value struct {
	Metric string
	T      int64
	Value  float64
}

// blockSink keeps the packet numbers in rows, and values of series, up to a number of them.
type blockSink struct {
	report.RowSink
	chunks, mappings []int64
	series           []value
	blocks           int
	room             int
	full             error // of the block that comes when room is used up
}

func (s *blockSink) Chunks(rows []report.ChunkRow) error {
	for _, r := range rows {
		s.chunks = append(s.chunks, r.Packet)
	}
	return s.left(len(s.chunks))
}

func (s *blockSink) Mappings(rows []report.MappingRow) error {
	for _, r := range rows {
		s.mappings = append(s.mappings, r.Packet)
	}
	return s.left(len(s.mappings))
}

func (s *blockSink) Series(rows []report.SeriesRow) error {
	for _, r := range rows {
		s.series = append(s.series, value{r.Metric, r.T, r.Value})
	}
	return s.left(len(s.series))
}

func (s *blockSink) left(n int) error {
	s.blocks++
	if n > s.room {
		return s.full
	}
	return nil
}

// newStream returns rows of a connection that began at 1 s.
func newStream(sink report.RowSink) (*rows.Stream, *conn.Conn) {
	all := func(*conn.Conn) bool { return true }
	return rows.New(sink, func(*conn.Subflow) string { return "" }, all, ""), &conn.Conn{Kind: conn.Multipath, Start: 1e9}
}

// lives gives rows n chunks whose end is known, some at a time, and as many packets with a
// mapping of their own, numbered from 1.
func lives(stream *rows.Stream, c *conn.Conn, n int) {
	sub := &conn.Subflow{Conn: c}
	to := stream.Open(c).(conn.ChunkObserver)
	var chunks []dss.Chunk
	for i := range uint64(n) {
		at := seq.DSN(1000 * i)
		chunks = append(chunks, dss.Chunk{Data: seq.Range[seq.DSN]{Start: at, End: at + 1000}, Packet: i + 1})
		to.Packet(&conn.Packet{Seg: &packet.Segment{Num: i + 1, Time: 2e9}, SubflowDir: &conn.SubflowDir{Conn: c, Sub: sub, From: conn.A}, Mapping: &conn.Mapping{DSS: mptcp.DSS{Length: 1000}, DSN: at}})
	}
	for run := 1; len(chunks) > 0; run = 3*run%201 + 1 { // up to more than a block
		run = min(run, len(chunks))
		to.Settled(sub, conn.A, chunks[:run])
		chunks = chunks[run:]
	}
	to.Close(3e9)
}

// values gives rows n values of series, alone and up to 69 together, and returns the rows.
func values(stream *rows.Stream, c *conn.Conn, n int) (want []value) {
	stream.Open(c)
	to := stream.Series(c, nil, conn.A)
	byName := map[string]*metrics.Series{}
	for _, s := range metrics.AllSeries() {
		byName[s.String()] = s
	}
	for len(want) < n {
		at := int64(len(want)) * 1e6
		to.Value(byName["rtt"], 1e9+at, float64(at))
		want = append(want, value{"rtt", at, float64(at)})
		several := make([]stats.Weighted, min(len(want)%70, n-len(want)))
		for i := range several {
			several[i] = stats.Weighted{Value: float64(i), Weight: 7}
			want = append(want, value{"hol_wait", at, float64(i) + 0.5})
		}
		to.Values(byName["hol_wait"], 1e9+at, several, 0.5)
	}
	return want
}

// TestRowsInBlocks: rows on chunks, on mappings and of series reach the sink once, in their
// order, some at a time, and the last ones when the analysis ends.
func TestRowsInBlocks(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 64, 65, 255, 256, 257, 1000} {
		sink := blockSink{room: n}
		stream, c := newStream(&sink)
		lives(stream, c, n)
		series := values(stream, c, n)
		assert.Check(t, len(sink.chunks) < n && len(sink.series) < n, "all %d chunks or values came before the end", n)
		assert.NilError(t, stream.Finish())
		want := make([]int64, n)
		for i := range want {
			want[i] = int64(i) + 1
		}
		assert.Check(t, is.DeepEqual(sink.chunks, want))
		assert.Check(t, is.DeepEqual(sink.mappings, want))
		assert.Check(t, is.DeepEqual(sink.series, series))
		assert.Check(t, sink.blocks <= 3+2*n/16+n/100, "%d chunks, mappings and values came in %d blocks", n, sink.blocks)
	}
}

// TestSinkFails: the first error of a sink stands, also one at the end, and ends the rows.
func TestSinkFails(t *testing.T) {
	full := errors.New("no room")
	for _, c := range []struct{ chunks, values, room, blocks int }{
		{10, 0, 5, 1},
		{1000, 0, 5, 1},
		{0, 600, 590, 3}, // the 591st value is in the third block
		{0, 3000, 590, 3},
	} {
		sink := blockSink{room: c.room, full: full}
		stream, k := newStream(&sink)
		if c.chunks > 0 {
			lives(stream, k, c.chunks)
		}
		if c.values > 0 {
			values(stream, k, c.values)
		}
		err := stream.Finish()
		assert.Check(t, errors.Is(err, full) && sink.blocks == c.blocks, "%+v: %v, %d blocks, want none behind the one that failed", c, err, sink.blocks)
	}
}
