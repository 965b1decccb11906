package tcptrace

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// TestMappings: the list is in the order of starts across the wrap, holds one mapping
// for each start, and gives up those that end at a DATA_ACK or below.
func TestMappings(t *testing.T) {
	var l mappings
	start := seq.Wire(1<<32 - 100) // of the first of three mappings of 100 bytes; the second begins at 0
	for _, k := range []seq.Wire{0, 200, 100} {
		if x, added := l.add(mapping{start: start + k, length: 100, sub: 1}); !added || x.start != start+k {
			t.Fatalf("mapping at %d: added %v, got the one at %d", k, added, x.start)
		}
	}
	if x, added := l.add(mapping{start: start + 100, length: 50, sub: 2}); added || x.sub != 1 || x.length != 100 {
		t.Errorf("a second mapping with a start of the list: added %v, got %+v", added, *x)
	}
	if n, any := l.flight(); n != 300 || !any {
		t.Errorf("flight %d, %v; want 300 bytes", n, any)
	}
	var acked []seq.Wire
	l.removeAcked(start+299, func(m *mapping) { acked = append(acked, m.start) })
	assert.Check(t, len(acked) == 2 && acked[0] == start && acked[1] == start+100, "a DATA_ACK one byte below the end of the third mapping removed %v", acked)
	l.removeAcked(start+300, func(*mapping) {})
	if n, any := l.flight(); n != 0 || any {
		t.Errorf("flight %d, %v; want none", n, any)
	}
}

// TestMappingsBound: of one mapping more than maxMappings the lower half goes, and the
// new one stays even where it is the lowest.
func TestMappingsBound(t *testing.T) {
	var l mappings
	for i := range maxMappings + 1 {
		l.add(mapping{start: seq.Wire(10 * (i + 1)), length: 10})
	}
	if want := maxMappings/2 + 1; len(l.list) != want || l.dropped != maxMappings/2 || l.list[0].start != 10*(maxMappings/2+1) {
		t.Errorf("%d mappings from %d on, %d dropped; want %d", len(l.list), l.list[0].start, l.dropped, want)
	}
	for i := range maxMappings / 2 {
		x, added := l.add(mapping{start: seq.Wire(i + 1), length: 1})
		assert.Assert(t, added && x.start == seq.Wire(i+1), "mapping %d: added %v, got the one at %d", i, added, x.start)
	}
}

// TestMappingsBoundDownwards: the bound also holds where each mapping is below all before it.
func TestMappingsBoundDownwards(t *testing.T) {
	var l mappings
	for i := range 3 * maxMappings {
		start := seq.Wire(1<<30 - 10*i)
		if x, added := l.add(mapping{start: start, length: 10}); !added || x.start != start {
			t.Fatalf("mapping %d: added %v, got the one at %d", i, added, x.start)
		}
		assert.Assert(t, len(l.list) <= maxMappings, "%d mappings", len(l.list))
	}
	assert.Check(t, len(l.list)+l.dropped == 3*maxMappings, "%d mappings and %d dropped, of %d", len(l.list), l.dropped, 3*maxMappings)
}

// TestSubflowFlight: a range is in flight until an ACK reaches its end, and one that
// was acknowledged before it is seen never is.
func TestSubflowFlight(t *testing.T) {
	var s mptcpSubflow
	send := func(from conn.Side, at seq.Wire, n uint32, ack seq.Wire) {
		s.packet(&conn.Packet{SubflowDir: &conn.SubflowDir{From: from}, Seg: &packet.Segment{Seq: at, PayloadLen: n, Ack: ack, Flags: packet.ACK}})
	}
	check := func(what string, want uint32) {
		t.Helper()
		if n, _ := s.sides[conn.A].unacked.flight(); n != want {
			t.Errorf("%s: flight %d, want %d", what, n, want)
		}
	}
	send(conn.A, 1000, 100, 1)
	send(conn.A, 1100, 100, 1)
	check("two packets of 100 bytes", 200)
	send(conn.A, 1100, 50, 1)
	check("a second range with the same start", 200)
	send(conn.B, 1, 0, 1199)
	check("an ACK inside the second", 100)
	send(conn.B, 1, 0, 1200)
	check("an ACK of both", 0)
	send(conn.A, 1000, 100, 1)
	check("data below the ACK", 0)
	send(conn.A, 1200, 0, 1)
	send(conn.A, 1300, 10, 1)
	check("an empty range at 1200 and 10 bytes at 1300", 110)
}
