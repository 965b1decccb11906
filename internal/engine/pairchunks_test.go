package engine_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// chunkSink gathers the first transmissions of chunks; it wants no other rows.
type chunkSink struct{ rows []report.ChunkRow }

func (s *chunkSink) Chunks(rows []report.ChunkRow) error {
	for _, r := range rows {
		if r.Kind == report.ChunkFirst {
			s.rows = append(s.rows, r)
		}
	}
	return nil
}
func (*chunkSink) Series([]report.SeriesRow) error    { return nil }
func (*chunkSink) Mappings([]report.MappingRow) error { return nil }
func (*chunkSink) Event(*report.EventRow) error       { return nil }

// TestPairChunks: the rows of chunks hold what either host did with them, in
// the order of things, and their delays from sending to delivery are those of
// the report.
func TestPairChunks(t *testing.T) {
	for _, name := range []string{"b-lte-cubic", "p-nat", "l-spurious", "l-lost-setup"} {
		o, _, ok := bothEnds(t, filepath.Join(sessions, "v1", name, "expected.json"))
		if !ok {
			t.Fatalf("%s is not bundled whole", name)
		}
		o.Clock = pair.None
		sink := &chunkSink{}
		o.Rows = sink
		doc, _ := analyzeBoth(t, o)
		sum, bytes := map[report.Direction]float64{}, map[report.Direction]int64{}
		for _, r := range sink.rows {
			if r.Sent == report.NoTime || r.Arrived < r.Sent || r.Delivered < r.Arrived || r.DataAcked < r.Delivered {
				t.Errorf("%s: sent %d, arrived %d, delivered %d, acknowledged %d", name, r.Sent, r.Arrived, r.Delivered, r.DataAcked)
			}
			sum[r.Direction] += float64(r.Delivered-r.Sent) / 1e6 * float64(r.Length)
			bytes[r.Direction] += r.Length
		}
		for way, d := range map[report.Direction]*report.ConnDir{report.A2B: doc.Connections[0].A2B, report.B2A: doc.Connections[0].B2A} {
			if bytes[way] != *d.Bytes {
				t.Errorf("%s %s: chunks of %d bytes, want %d", name, way, bytes[way], *d.Bytes)
			}
			if got := sum[way] / float64(bytes[way]); d.EndToEnd != nil && math.Abs(got-d.EndToEnd.Avg) > 1e-6 {
				t.Errorf("%s %s: chunks take %v ms, want %v", name, way, got, d.EndToEnd.Avg)
			}
		}
	}
}

// TestPairChunksAlone: chunks of a connection that the receiver's capture does
// not have are told as the sender's shows them, once.
func TestPairChunksAlone(t *testing.T) {
	net := twoUploads()
	sink := &chunkSink{}
	_, err := engine.Analyze(context.Background(), engine.Options{
		Paths:    []string{writeView(t, "a.pcap", net.Packets(tracegen.HostA), tracegen.Format{}, nil)},
		Receiver: []string{writeView(t, "b.pcap", net.Packets(tracegen.HostB), tracegen.Format{}, without(2001))},
		Interval: 100 * time.Millisecond, Connection: engine.AllConnections, Clock: pair.None, Rows: sink,
	})
	if err != nil {
		t.Fatal(err)
	}
	var chunks, arrived [2]int
	for _, r := range sink.rows {
		chunks[r.Connection]++
		if r.Arrived != report.NoTime {
			arrived[r.Connection]++
		}
	}
	// 100 packets over each of two subflows, and over one.
	if chunks != [2]int{200, 100} || arrived != [2]int{200, 0} {
		t.Errorf("%v chunks, %v of them seen to arrive; want 200 and 100, 200 and 0", chunks, arrived)
	}
}
