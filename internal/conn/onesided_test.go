package conn

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// scattered returns a table with n packets of as many connections, far from each other.
func scattered(n int, took func(*OneSided)) (t *Table, packets []packet.Segment) {
	r := rand.New(rand.NewPCG(5, 6))
	t = NewTable(Options{OneSided: took})
	packets = make([]packet.Segment, n)
	for i := range packets {
		packets[i] = midStream(i, r.Uint64(), r.Uint64(), true)
		packets[i].Num = uint64(i + 1)
		t.Segment(&packets[i])
	}
	return t, packets
}

// One-sided flows are reported as they are: the oldest at the bound, the others at the end.
// Later packets of one that was reported early are left out.
func TestOneSidedAtTheBound(t *testing.T) {
	var got []OneSided
	const n = maxHalfOpen + maxPendingFlows + 10
	table, packets := scattered(n, func(f *OneSided) { got = append(got, *f) })
	if len(got) != 10 || table.oneSided.n != maxHalfOpen || len(table.pendingByFlow) != maxHalfOpen+maxPendingFlows {
		t.Fatalf("%d reported, %d kept, %d wait", len(got), table.oneSided.n, len(table.pendingByFlow))
	}
	late := packets[0]
	table.Segment(&late)
	table.Finish()
	if len(got) != n || len(table.pendingByFlow) != 0 || len(table.dsnIndex.lists) != 0 || table.open.n != 0 {
		t.Errorf("%d reported, %d wait, %d lists, %d connections", len(got), len(table.pendingByFlow), len(table.dsnIndex.lists), table.open.n)
	}
	for i, f := range got {
		assert.Assert(t, f.ID == i && f.Order == i && f.Ends[A] == packets[i].Src && f.Segments == 1 && f.Bytes == 1000, "%d. is %+v", i, f)
	}
	codes := warnings(table)
	assert.Check(t, codes["half_open"] == 10 && codes["closed_early"] == 1, "warnings %v", codes)
}

// A one-sided flow becomes a connection, with its numbers, when another packet of it comes,
// or a packet of a subflow that belongs to it.
func TestOneSidedBecomesConnection(t *testing.T) {
	for name, change := range map[string]func(*packet.Segment){
		"itself":    func(s *packet.Segment) { s.Seq, s.DSS.SSN = s.Seq+1000, s.DSS.SSN+1000 },
		"the peer":  func(s *packet.Segment) { s.Src, s.Dst = s.Dst, s.Src },
		"a subflow": func(s *packet.Segment) { s.Src.Port += 40_000 },
	} {
		var got []int
		table, packets := scattered(3*maxPendingFlows, func(f *OneSided) { got = append(got, f.ID) })
		next := packets[7]
		next.DSS.DSN += 1000
		if name == "the peer" {
			next.DSS.DSN, next.DSS.DataAck = next.DSS.DataAck, next.DSS.DSN
		}
		change(&next)
		table.Segment(&next)
		if table.open.n != 1 || table.open.first.ID != 7 || table.open.first.Order != 7 || table.nextID != 1+table.oneSided.n {
			t.Fatalf("%s: %d connections, of the first %+v", name, table.open.n, table.open.first)
		}
		table.Finish()
		if len(got) != 3*maxPendingFlows-1 || slices.Contains(got, 7) {
			t.Errorf("%s: %d one-sided flows, the 8th among them: %v", name, len(got), slices.Contains(got, 7))
		}
	}
}

// A step of the clock concerns one-sided flows: each becomes a connection then.
func TestOneSidedAtAClockStep(t *testing.T) {
	table, packets := scattered(3*maxPendingFlows, func(f *OneSided) { t.Errorf("%d is a one-sided flow", f.ID) })
	waiting := len(table.pendingFlows)
	step := packets[0]
	step.Have |= packet.ClockChanged
	step.ClockSet = 5e9
	table.clockChanged(&step)
	assert.Check(t, table.oneSided.n == 0 && table.open.n == len(packets)-waiting, "%d one-sided flows, %d connections", table.oneSided.n, table.open.n)
}

// part returns the n-th of three packets of a one-sided flow, each of 100 bytes.
func part(n int) packet.Segment {
	s := midStream(101, 5000+100*uint64(n), 9000, true)
	s.Num, s.Time, s.PayloadLen, s.DSS.Length = uint64(n+1), int64(10*(n+1)), 100, 100
	s.Seq += seq.Wire(100 * n)
	s.DSS.SSN += uint32(100 * n)
	return s
}

// TestAsOneSided: each condition of a one-sided flow, by a change of the second of its three packets.
func TestAsOneSided(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *packet.Segment)
		want   bool
	}{
		{"nothing", func(*packet.Segment) {}, true},
		{"timestamps", func(s *packet.Segment) { s.Have |= packet.HasTimestamps }, true},
		{"PSH, ECE and CWR", func(s *packet.Segment) { s.Flags |= packet.PSH | packet.ECE | packet.CWR }, true},
		{"no DSS", func(s *packet.Segment) { s.Have = 0 }, false},
		{"a mark", func(s *packet.Segment) { s.Have |= packet.Incoming }, false},
		{"another option", func(s *packet.Segment) { s.OtherLen = 4 }, false},
		{"SACK", func(s *packet.Segment) { s.NSACK = 1 }, false},
		{"no window", func(s *packet.Segment) { s.Window = 0 }, false},
		{"FIN", func(s *packet.Segment) { s.Flags |= packet.FIN }, false},
		{"URG", func(s *packet.Segment) { s.Flags |= packet.URG }, false},
		{"no ACK", func(s *packet.Segment) { s.Flags = 0 }, false},
		{"DATA_FIN", func(s *packet.Segment) { s.DSS.Flags |= mptcp.DSSFin }, false},
		{"a checksum", func(s *packet.Segment) { s.DSS.Flags |= mptcp.DSSChecksum }, false},
		{"no mapping", func(s *packet.Segment) { s.DSS.Flags &^= mptcp.DSSMap }, false},
		{"a longer mapping", func(s *packet.Segment) { s.DSS.Length++ }, false},
		{"the other end", func(s *packet.Segment) { s.Src, s.Dst = s.Dst, s.Src }, false},
		{"another sequence number", func(s *packet.Segment) { s.Seq++; s.DSS.SSN++ }, false},
		{"another SSN", func(s *packet.Segment) { s.DSS.SSN++ }, false},
		{"another DSN", func(s *packet.Segment) { s.DSS.DSN++ }, false},
		{"an acknowledgment", func(s *packet.Segment) { s.Ack++ }, false},
		{"a DATA_ACK", func(s *packet.Segment) { s.DSS.DataAck++ }, false},
		{"no DATA_ACK", func(s *packet.Segment) { s.DSS.Flags &^= mptcp.DSSAck }, false},
		{"the same time", func(s *packet.Segment) { s.Time = 10 }, true},
		{"an earlier time", func(s *packet.Segment) { s.Time = 9 }, false},
	} {
		pf := pendingFlow{held: []packet.Segment{part(0), part(1), part(2)}}
		c.change(&pf.held[1])
		if _, _, ok := pf.asOneSided(); ok != c.want {
			t.Errorf("%s: one-sided %v", c.name, ok)
		}
	}
	join := pendingFlow{joins: true, held: []packet.Segment{part(0)}}
	if _, _, ok := join.asOneSided(); ok {
		t.Error("a join is one-sided")
	}
	for n, want := range map[int]bool{7: true, 8: false} {
		var pf pendingFlow
		for i := range n {
			pf.held = append(pf.held, part(i))
		}
		if _, _, ok := pf.asOneSided(); ok != want {
			t.Errorf("%d packets: one-sided %v", n, ok)
		}
	}
	for payload, want := range map[uint32]bool{1400: true, 1401: false} {
		s := part(0)
		s.PayloadLen, s.DSS.Length = payload, uint16(payload)
		assert.Check(t, isOneSidedPart(&s) == want, "%d bytes: a part %v", payload, !want)
	}
}

// TestOneSidedFigures: what the packets of a flow say, and the connection that has it for reports.
func TestOneSidedFigures(t *testing.T) {
	pf := pendingFlow{held: []packet.Segment{part(0), part(1), part(2)}}
	ack := &pf.held[2]
	ack.PayloadLen, ack.DSS.Flags = 0, ack.DSS.Flags&^mptcp.DSSMap
	got, at, _ := pf.asOneSided()
	ends := [2]packet.Endpoint{ack.Src, ack.Dst}
	want := OneSided{Ends: ends, Start: 10, Last: 30, Segments: 2, PureACKs: 1, Bytes: 200}
	if got != want || at != [2]wireDSN{{5200, true, true}, {9000, true, true}} {
		t.Errorf("%+v up to %v; want %+v", got, at, want)
	}
	got.Order, got.ID, got.Vantage, got.Why = 4, 5, AtB, "given"
	var c Conn
	for range 2 { // the second time in the memory of the first
		got.FillConn(&c)
	}
	v, why := c.Vantage()
	sub := c.Subflows[0]
	h := &sub.Senders[A]
	if c.ID != 5 || c.Order != 4 || c.Start != 10 || c.Kind != Multipath || v != AtB || why != "given" || c.Spaces[A].Bytes != 200 || c.mappingsSeen != withoutChecksum {
		t.Errorf("connection %d, %d since %d, %v at %v (%s), %d bytes", c.ID, c.Order, c.Start, c.Kind, v, why, c.Spaces[A].Bytes)
	}
	if sub.Ends != ends || sub.Start != 10 || sub.Last() != 30 || h.Segments != 2 || h.CapturedSegments != 2 || h.PureACKs != 1 || !sub.NoSYN || sub.State != subflow.Open || sub.AddressID != [2]int{-1, -1} {
		t.Errorf("subflow %+v", sub)
	}
	got.Segments = 0
	got.FillConn(&c)
	if _, known := c.Checksums(); known {
		t.Error("packets without data tell whether checksums are in use")
	}
}
