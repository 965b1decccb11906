package rows_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/rows"
	"mpanalyze/internal/seq"
)

// numberSink keeps the packet numbers in rows, up to a number of them.
type numberSink struct {
	report.RowSink
	chunks, mappings []int64
	blocks           int
	room             int
	full             error // of the block that comes when room is used up
}

func (s *numberSink) Chunks(rows []report.ChunkRow) error {
	s.blocks++
	for _, r := range rows {
		s.chunks = append(s.chunks, r.Packet)
	}
	return s.left(len(s.chunks))
}

func (s *numberSink) Mappings(rows []report.MappingRow) error {
	s.blocks++
	for _, r := range rows {
		s.mappings = append(s.mappings, r.Packet)
	}
	return s.left(len(s.mappings))
}

func (s *numberSink) left(n int) error {
	if n > s.room {
		return s.full
	}
	return nil
}

// lives gives rows n chunks whose end is known, some at a time, and as many packets with a
// mapping of their own, numbered from 1.
func lives(stream *rows.Stream, n int) {
	c := &conn.Conn{Kind: conn.Multipath, Start: 1e9}
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

// TestRowsInBlocks: rows on chunks and on mappings reach the sink once, in their
// order, some at a time, and the last ones when the analysis ends.
func TestRowsInBlocks(t *testing.T) {
	all := func(*conn.Conn) bool { return true }
	path := func(*conn.Subflow) string { return "" }
	for _, n := range []int{1, 31, 32, 33, 64, 65, 1000} {
		sink := numberSink{room: n}
		stream := rows.New(&sink, path, all, "")
		lives(stream, n)
		if before := len(sink.chunks); before == n {
			t.Errorf("all %d chunks came before the end", n)
		}
		assert.NilError(t, stream.Finish())
		want := make([]int64, n)
		for i := range want {
			want[i] = int64(i) + 1
		}
		if diff := cmp.Diff(want, sink.chunks) + cmp.Diff(want, sink.mappings); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		assert.Check(t, sink.blocks <= 2+2*n/16, "%d chunks and mappings came in %d blocks", n, sink.blocks)
	}
}

// TestSinkOfBlocksFails: the first error of a sink stands, also one at the end, and
// ends the rows.
func TestSinkOfBlocksFails(t *testing.T) {
	all := func(*conn.Conn) bool { return true }
	path := func(*conn.Subflow) string { return "" }
	full := errors.New("no room")
	for _, n := range []int{10, 1000} {
		sink := numberSink{room: 5, full: full}
		stream := rows.New(&sink, path, all, "")
		lives(stream, n)
		if err := stream.Finish(); !errors.Is(err, full) {
			t.Errorf("%d chunks: %v, want %v", n, err, full)
		}
		assert.Check(t, sink.blocks == 1, "%d chunks: %d blocks, want none behind the one that failed", n, sink.blocks)
	}
}
