package engine_test

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// chunkSink gathers the chunks.
type chunkSink struct {
	report.NopRows
	rows []report.ChunkRow
}

func (*chunkSink) Series([]report.SeriesRow) error { return nil }

func (s *chunkSink) Chunks(rows []report.ChunkRow) error {
	s.rows = append(s.rows, rows...)
	return nil
}

// TestPairChunks: rows of chunks have the times at both hosts, in the right order, and
// their delays from sending to delivery are those of the report.
func TestPairChunks(t *testing.T) {
	for _, name := range []string{"b-lte-cubic", "p-nat", "l-spurious", "l-lost-setup"} {
		o, _, ok := bothEnds(t, filepath.Join(sessions, "v1", name, "expected.json"))
		assert.Assert(t, ok, "%s is not bundled whole", name)
		o.Clock = clock.None
		sink := &chunkSink{}
		o.Rows = sink
		doc, _ := analyzeBoth(t, o)
		sum, bytes := map[report.Direction]float64{}, map[report.Direction]int64{}
		for _, r := range sink.rows {
			if r.Kind != report.ChunkFirst {
				continue
			}
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
	sink, o := &chunkSink{}, paired(t, twoUploads(), nil, without(2001))
	o.Rows = sink
	analyzed(t, o)
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

// TestPairChunkKinds: of 100 packets of 1000 bytes over each of two subflows, three are
// retransmitted, three are reinjected on the other subflow and five on their own. First
// transmissions add up to the data, whichever capture reports the others.
func TestPairChunkKinds(t *testing.T) {
	const ms = time.Millisecond
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	var flows [2]*tracegen.Subflow
	for i := range flows {
		flows[i] = s.Subflow(onPath(uint8(i)))
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
	sink, o := &chunkSink{}, paired(t, s.Network(), nil, nil)
	o.Rows = sink
	doc, got := analyzed(t, o), map[report.ChunkKind]int64{}
	for _, r := range sink.rows {
		if r.Direction == report.A2B {
			got[r.Kind] += r.Length
		}
	}
	want := map[report.ChunkKind]int64{report.ChunkFirst: 200_000, report.ChunkRetransmission: 3000, report.ChunkReinjection: 8000}
	assert.Check(t, maps.Equal(got, want) && *doc.Connections[0].A2B.Bytes == 200_000, "bytes by kind %v, want %v", got, want)
}

// pairPackets keeps what rows of packets say.
type pairPackets []string

func (l *pairPackets) Packet(p *report.PacketRow) error {
	ms := func(at int64) int64 { return max(at, -1e6) / 1e6 }
	*l = append(*l, fmt.Sprintf("%s %d: %d+%d %s, %v at %d ms, %v at %d ms", p.Direction, p.Subflow, p.SSN, p.Length, p.Fate, p.SentPacket > 0, ms(p.Sent), p.ArrivedPacket > 0, ms(p.Arrived)))
	return nil
}

// TestPairPackets: of three packets that a sends the second is lost and sent again; b sends one. A path takes 10 ms.
func TestPairPackets(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(onPath(0))
	f.Open(0)
	for k := range int64(3) {
		x := f.Data(tracegen.A2B, time.Duration(200+k)*msec, 1000*k, 1000)
		if k == 1 {
			x.Lose().Again(300 * msec)
		}
	}
	f.Data(tracegen.B2A, 250*msec, 0, 500)
	s.Close(time.Second, 3000, 500)
	fromB := []string{"b2a 0: 1+500 arrived, true at 250 ms, true at 260 ms"}
	for direction, want := range map[report.Direction][]string{
		"": {
			"a2b 0: 1+1000 arrived, true at 200 ms, true at 210 ms", "a2b 0: 1001+1000 arrived, true at 300 ms, true at 310 ms",
			"a2b 0: 1001+1000 lost, true at 201 ms, false at -1 ms", "a2b 0: 2001+1000 arrived, true at 202 ms, true at 212 ms", fromB[0],
		},
		report.B2A: fromB,
	} {
		var got pairPackets
		o := paired(t, s.Network(), nil, nil)
		o.Packets, o.Direction = &got, direction
		analyzed(t, o)
		slices.Sort(got)
		assert.Check(t, is.DeepEqual([]string(got), want), "direction %q", direction)
	}
}
