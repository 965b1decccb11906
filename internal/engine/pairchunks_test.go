package engine_test

import (
	"context"
	"maps"
	"math"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
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

// TestPairChunks: rows of chunks have the times at both hosts, in the right order, and
// their delays from sending to delivery are those of the report.
func TestPairChunks(t *testing.T) {
	for _, name := range []string{"b-lte-cubic", "p-nat", "l-spurious", "l-lost-setup"} {
		o, _, ok := bothEnds(t, filepath.Join(sessions, "v1", name, "expected.json"))
		if !ok {
			t.Fatalf("%s is not bundled whole", name)
		}
		o.Clock = clock.None
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
		for dir, d := range map[report.Direction]*report.ConnDir{report.A2B: doc.Connections[0].A2B, report.B2A: doc.Connections[0].B2A} {
			if bytes[dir] != *d.Bytes {
				t.Errorf("%s %s: chunks of %d bytes, want %d", name, dir, bytes[dir], *d.Bytes)
			}
			if got := sum[dir] / float64(bytes[dir]); d.EndToEnd != nil && math.Abs(got-d.EndToEnd.Avg) > 1e-6 {
				t.Errorf("%s %s: chunks take %v ms, want %v", name, dir, got, d.EndToEnd.Avg)
			}
		}
	}
}

// TestPairChunksAlone: chunks of a connection that the receiver's capture does not have are
// reported once, from the sender's capture.
func TestPairChunksAlone(t *testing.T) {
	net := twoUploads()
	sink := &chunkSink{}
	_, err := engine.Analyze(context.Background(), engine.Options{
		Paths:    []string{writeView(t, "a.pcap", net.Packets(tracegen.HostA), tracegen.Format{}, nil)},
		Receiver: []string{writeView(t, "b.pcap", net.Packets(tracegen.HostB), tracegen.Format{}, without(2001))},
		Interval: 100 * time.Millisecond, Connection: engine.AllConnections, Clock: clock.None, Rows: sink,
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

// kindSink adds up chunks by their kind.
type kindSink struct {
	chunkSink
	bytes map[report.Direction]map[report.ChunkKind]int64
}

func (s *kindSink) Chunks(rows []report.ChunkRow) error {
	for _, r := range rows {
		if s.bytes[r.Direction] == nil {
			s.bytes[r.Direction] = map[report.ChunkKind]int64{}
		}
		s.bytes[r.Direction][r.Kind] += r.Length
	}
	return nil
}

// TestPairChunkKinds: of 100 packets of 1000 bytes over each of two subflows, three are
// retransmitted, three are reinjected on the other subflow and five on their own. First
// transmissions add up to the data, whichever capture reports the others.
func TestPairChunkKinds(t *testing.T) {
	const ms = time.Millisecond
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	var flows [2]*tracegen.Subflow
	for i := range flows {
		flows[i] = s.Subflow(tracegen.Path{
			A: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), uint16(1001+i)), B: netip.MustParseAddrPort("198.51.100.1:443"),
			ISN: [2]seq.Wire{1000, seq.Wire(77 * (i + 1))}, Nonce: [2]uint32{1, uint32(i + 1)}, ID: [2]uint8{uint8(i), 0},
		})
		flows[i].Open(time.Duration(50*i) * ms)
		for k := range 100 {
			x := flows[i].Data(tracegen.A2B, time.Duration(200+k)*ms, int64(1000*(2*k+i)), 1000)
			if i == 0 && k < 3 {
				x.Again(time.Duration(400+k) * ms)
			}
		}
	}
	for k := range 3 {
		flows[0].Data(tracegen.A2B, time.Duration(500+k)*ms, int64(1000*(2*k+1)), 1000)
	}
	for k := range 5 {
		flows[1].Data(tracegen.A2B, time.Duration(600+k)*ms, int64(1000*(2*(20+k)+1)), 1000)
	}
	s.Close(time.Second, 200_000, 0)
	sink := &kindSink{bytes: map[report.Direction]map[report.ChunkKind]int64{}}
	doc, err := engine.Analyze(context.Background(), engine.Options{
		Paths:    []string{writeView(t, "a.pcap", s.Packets(tracegen.HostA), tracegen.Format{}, nil)},
		Receiver: []string{writeView(t, "b.pcap", s.Packets(tracegen.HostB), tracegen.Format{}, nil)},
		Interval: 100 * ms, Connection: engine.AllConnections, Clock: clock.None, Rows: sink,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[report.ChunkKind]int64{report.ChunkFirst: 200_000, report.ChunkRetransmission: 3000, report.ChunkReinjection: 8000}
	if got := sink.bytes[report.A2B]; !maps.Equal(got, want) || *doc.Connections[0].A2B.Bytes != 200_000 {
		t.Errorf("bytes by kind %v, want %v", got, want)
	}
}
