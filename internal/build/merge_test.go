package build

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
)

// nearly compares numbers but for their rounding.
var nearly = cmpopts.EquateApprox(0, 1e-9)

// keep makes a report the one of the connection with an order.
func (b *Builder) keep(order int, c *report.Connection, t *report.TCP) {
	if b.kept == nil {
		b.kept = map[int]kept{}
	}
	b.kept[order] = kept{conn: c, tcp: t}
	if c != nil {
		b.conns = append(b.conns, c)
	} else {
		b.tcp = append(b.tcp, t)
	}
}

// oneOf is the report of one capture on a connection with n subflows; v tells it from others.
func oneOf(host report.Host, id, n int, start report.Time, v int64) *report.Connection {
	c := &report.Connection{ID: id, OnlyIn: &host, Start: start, A2B: dataDir(v), B2A: dataDir(2 * v), Verdicts: new(report.List[report.Verdict])}
	for i := range n {
		s := report.Subflow{
			ID: i, OnlyIn: &host, Path: string(host), StartS: float64(i), EndS: float64(i) + 0.5, Initiator: new(report.SideA), ClosedBy: new(report.SideB),
			AddressIDA: new(1), AddressIDB: new(2), A: report.Endpoint{Port: 1}, B: report.Endpoint{Port: 2}, A2B: carried(v, 100*v, 100*v, 0), B2A: carried(2*v, 200*v, 200*v, 0),
		}
		s.A2B.CapturedSegments, s.B2A.CapturedSegments = v, 2*v
		c.Subflows = append(c.Subflows, s)
	}
	return c
}

// onlyIn is where a part of a report comes from: "" for both captures.
func onlyIn(h *report.Host) report.Host {
	if h == nil {
		return ""
	}
	return *h
}

// flowOf is a subflow of connection s and of connection r, in the two captures.
func flowOf(s, subS, r, subR int, flipped bool) pair.Subflow {
	ends := [2]packet.Endpoint{{Port: 100}, {Port: 200}}
	return pair.Subflow{
		ID:    [2]pair.SubflowID{{Conn: s, Sub: subS}, {Conn: r, Sub: subR, Ends: ends}},
		Sides: pair.Sides{Flipped: flipped, At: [2]pair.End{pair.AtSender, pair.AtReceiver}}, Dirs: [2]*pair.SubflowDir{{Sent: 1, Arrived: 1}, {}},
	}
}

func connOf(s, r int, flipped bool) pair.Conn {
	return pair.Conn{ID: [2]int{s, r}, Sides: pair.Sides{Flipped: flipped, At: [2]pair.End{pair.AtSender, pair.AtReceiver}}, Dirs: [2]*pair.DataDir{{OneSided: 1}, {OneSided: 1}}}
}

// TestMerge: the receiver's capture holds a subflow that the sender's misses, which began 2 s before the
// other. That capture began 1.5 s later by clocks of which the receiver's is 500 ms ahead, so 1 s later.
// So the subflow began 1 s before the connection in the sender's capture.
func TestMerge(t *testing.T) {
	for _, flipped := range []bool{false, true} {
		s, r := &Builder{}, &Builder{}
		s.keep(3, oneOf(report.SenderHost, 0, 1, 10e9, 1), nil)
		s.keep(4, oneOf(report.SenderHost, 1, 1, 11e9, 1), nil)
		plain := func(b *Builder, host report.Host, order, id int) {
			b.keep(order, nil, &report.TCP{ID: id, OnlyIn: &host, A2B: &report.SubDir{}, B2A: &report.SubDir{}})
		}
		plain(s, report.SenderHost, 5, 6)
		plain(s, report.SenderHost, 6, 3)
		there := oneOf(report.ReceiverHost, 0, 2, 115e8, 10)
		there.Subflows[1].StartS, there.Subflows[1].EndS = -2, -1.5
		r.keep(1, there, nil)
		r.keep(2, oneOf(report.ReceiverHost, 1, 1, 12e9, 10), nil)
		r.keep(9, oneOf(report.ReceiverHost, 2, 1, 13e9, 10), nil)
		plain(r, report.ReceiverHost, 8, 3)
		plain(r, report.ReceiverHost, 10, 0)
		moved := s.Merge(r, []pair.Subflow{flowOf(3, 0, 1, 0, flipped)}, []pair.Conn{connOf(3, 1, flipped)}, &clock.Estimate{OffsetMS: 500}, 40)
		// Plain connections of the receiver's capture have numbers behind the largest of the sender's.
		var numbers []int
		for _, c := range s.tcp {
			numbers = append(numbers, c.ID)
		}
		assert.Check(t, is.DeepEqual(numbers, []int{6, 3, 7 + 3, 7 + 0}))
		conns, tcp := s.Lists()
		var got []any
		for i := range conns {
			got = append(got, conns[i].ID, onlyIn(conns[i].OnlyIn), len(conns[i].Subflows))
		}
		want := []any{0, report.Host(""), 2, 1, report.SenderHost, 1, 40, report.ReceiverHost, 1, 41, report.ReceiverHost, 1}
		if diff := cmp.Diff(want, got); diff != "" || moved != 1 || len(tcp) != 4 || onlyIn(tcp[2].OnlyIn) != report.ReceiverHost {
			t.Fatalf("flipped %v: %d moved, %d plain, connections (-want +got):\n%s", flipped, moved, len(tcp), diff)
		}
		c := &conns[0]
		first, second := &c.Subflows[0], &c.Subflows[1]
		assert.Check(t, c.Start == 9e9 && first.StartS == 1 && first.OnlyIn == nil, "flipped %v: starts %v; first subflow %+v", flipped, c.Start, first)
		assert.Check(t, second.StartS == 0 && second.EndS == 0.5 && second.ID == 1 && onlyIn(second.OnlyIn) == report.ReceiverHost, "flipped %v: second subflow %+v", flipped, second)
		a, ports, sent := report.SideA, [2]int{100, 200}, int64(10)
		if flipped {
			a, ports, sent = report.SideB, [2]int{200, 100}, 20
		}
		if *second.Initiator != a || *second.ClosedBy == a || (second.A.Port == 1) == flipped || (second.B.Port == 2) == flipped || (*second.AddressIDA == 1) == flipped || (*second.AddressIDB == 2) == flipped ||
			second.A2B.Segments != sent || second.B2A.Segments != 30-sent {
			t.Errorf("flipped %v: the subflow of the receiver's capture is %+v", flipped, second)
		}
		assert.Check(t, first.ReceiverA.Port == ports[0] && first.ReceiverB.Port == ports[1] && first.A2B.Segments == 1, "flipped %v: the first subflow is %+v", flipped, first)
		assert.Check(t, c.A2B.Segments == 1+sent && c.A2B.HoLDegree.Avg == float64(sent) && c.A2B.ProtocolDelay.Avg == 1, "flipped %v: the data %+v", flipped, c.A2B)
		// What B sends leaves at the receiver's capture, which has 20 of it, or flipped 10.
		sentB := 30 - sent
		assert.Check(t, first.B2A.Segments == sentB && c.B2A.ProtocolDelay.Avg == float64(sentB) && c.B2A.HoLDegree.Avg == 2,
			"flipped %v: B's data: %+v, %+v", flipped, first.B2A, c.B2A)
		for i, k := range conns {
			reason, _ := k.A2B.Unavailable.Of("end_to_end_delay_ms")
			owd, _ := k.Subflows[len(k.Subflows)-1].B2A.Unavailable.Of("owd_ms")
			assert.Check(t, (reason == inOne) == (i > 0) && owd == inOne, "connection %d: no end-to-end delay because %q, no one-way delay because %q", i, reason, owd)
		}
		for i := range tcp {
			why, _ := tcp[i].B2A.Unavailable.Of("network")
			assert.Check(t, why == inOne, "plain connection %d: %q", i, why)
		}
	}
}

// TestMergePlain: a plain connection of both captures has figures of both; a connection of Multipath TCP
// whose option the receiver does not see keeps those of the sender.
func TestMergePlain(t *testing.T) {
	s, r := &Builder{}, &Builder{}
	plain := func(n int64) *report.TCP {
		return &report.TCP{OnlyIn: new(report.SenderHost), A2B: carried(n, n, n, 0), B2A: carried(2*n, n, n, 0)}
	}
	for _, d := range []*Builder{s, r} {
		v := int64(1)
		if d == r {
			v = 10
		}
		d.keep(0, nil, plain(v))
		for _, side := range d.kept[0].tcp.Dirs() {
			side.CapturedSegments, side.HoleFills = v, new(v)
		}
	}
	s.keep(1, oneOf(report.SenderHost, 0, 1, 0, 1), nil)
	r.keep(1, nil, plain(10))
	r.keep(2, nil, plain(10))
	flows := []pair.Subflow{flowOf(0, 0, 0, 0, true), flowOf(1, 0, 1, 0, false), flowOf(77, 0, 2, 0, false)}
	k := r.kept[2]
	k.fault = "stepped"
	r.kept[0], s.kept[1].conn.Subflows[0].HandshakeRTT = kept{tcp: r.kept[0].tcp, fault: "stepped"}, new(3.0)
	s.kept[0].tcp.HandshakeRTT = new(4.0)
	s.Merge(r, flows, nil, &clock.Estimate{}, 0)
	_, tcp := s.Lists()
	assert.Check(t, len(tcp) == 1 && tcp[0].OnlyIn == nil && tcp[0].ReceiverA.Port == 200 && tcp[0].ReceiverB.Port == 100, "plain: %d, %+v", len(tcp), tcp)
	assert.Check(t, tcp[0].A2B.Segments == 1 && tcp[0].B2A.Segments == 10 && *tcp[0].A2B.HoleFills == 10 && *tcp[0].B2A.HoleFills == 1, "plain: %+v", tcp)
	why, _ := tcp[0].Unavailable.Of("handshake_rtt_ms")
	assert.Check(t, why == "stepped" && tcp[0].HandshakeRTT == nil, "a clock stepped, but the round trip is there: %q", why)
	f := &s.kept[1].conn.Subflows[0]
	assert.Check(t, f.A2B.Segments == 1 && f.OnlyIn == nil && f.ReceiverA.Port == 100 && f.HandshakeRTT != nil && f.A2B.Network != nil, "the option was removed: %+v", f)
}

// TestMergeParts: where one capture shows parts of a connection as connections of their own, the figures of
// the sender stay. Where both show every byte, delays are matched.
func TestMergeParts(t *testing.T) {
	for _, c := range []struct {
		whole    bool
		evidence report.Evidence
		segments int64
		oneSided int64
	}{{true, report.Matched, 10, 0}, {true, "", 10, 1}, {false, "", 1, 0}} {
		s, r := &Builder{}, &Builder{}
		s.keep(0, oneOf(report.SenderHost, 0, 1, 0, 1), nil)
		r.keep(0, oneOf(report.ReceiverHost, 0, 1, 0, 10), nil)
		flow := flowOf(0, 0, 0, 0, false)
		m := merger{s: s, r: r, clock: &clock.Estimate{}, fromReceiver: fromReceiver(""), subs: map[[2]int]*report.Subflow{}}
		k := connOf(0, 0, false)
		k.Dirs = [2]*pair.DataDir{{OneSided: c.oneSided, Delivery: delays(1)}, {OneSided: c.oneSided}}
		m.conn(&k, c.whole)
		d := s.kept[flow.ID[0].Conn].conn
		why, _ := d.B2A.Unavailable.Of("end_to_end_delay_ms")
		assert.Check(t, d.A2B.ProtocolDelay.Evidence == c.evidence && d.B2A.ProtocolDelay.Evidence == "" && int64(d.A2B.HoLDegree.Avg) == c.segments && (why == split) == !c.whole,
			"%+v: delay %s, blocking %v, %q", c, d.A2B.ProtocolDelay.Evidence, d.A2B.HoLDegree.Avg, why)
	}
	none := merger{s: &Builder{}, r: &Builder{}}
	none.conn(&pair.Conn{}, true) // of connections that were not asked for
}

// TestWaits: verdicts on data that waited come from the receiver's capture, with the numbers and times of
// the sender's; of the direction that is not sent from there they stay. It began 1.5 s later by clocks that
// differ by 500 ms.
func TestWaits(t *testing.T) {
	for _, flipped := range []bool{false, true} {
		of := func(d report.Direction, sub *int, what string, ts float64) report.Verdict {
			return report.Verdict{Code: report.VerdictHoLBlocked, Direction: &d, Subflow: sub, Evidence: []report.Proof{{What: what, Packet: new(int64(5)), TS: &ts}, {What: "number", Value: new(1.0)}}}
		}
		s, r := &Builder{}, &Builder{}
		x, y := oneOf(report.SenderHost, 0, 1, 10e9, 1), oneOf(report.ReceiverHost, 0, 1, 115e8, 1)
		other := report.Verdict{Code: report.VerdictHoLBlocked, Direction: new(report.B2A)}
		kinds := report.Verdict{Code: report.VerdictReset, Direction: new(report.A2B)}
		*x.Verdicts = append(*x.Verdicts, of(report.A2B, new(0), "old", 1), other, kinds, report.Verdict{Code: report.VerdictHoLBlocked})
		s.keep(0, x, nil)
		r.keep(0, y, nil)
		there := report.A2B
		if flipped {
			there = report.B2A
		}
		k := r.kept[0]
		k.waits = []report.Verdict{of(opposite(there), new(0), "other direction", 1), of(there, nil, "no subflow", 1), of(there, new(1), "unpaired", 1), {Subflow: new(0)}, of(there, new(0), "new", 2)}
		r.kept[0] = k
		m := merger{s: s, r: r, clock: &clock.Estimate{OffsetMS: 500}, subs: map[[2]int]*report.Subflow{{0, 0}: {ID: 6}}}
		m.waits(x, y, &pair.Conn{Sides: pair.Sides{Flipped: flipped}}, 0)
		moved := of(report.A2B, new(6), "new, in the receiver's capture", 3)
		moved.Evidence[0].Subflow = new(6)
		assert.Check(t, is.DeepEqual(*x.Verdicts, report.List[report.Verdict]{other, kinds, {Code: report.VerdictHoLBlocked}, moved}), "flipped %v", flipped)
		assert.Check(t, *k.waits[4].Evidence[0].TS == 2 && k.waits[4].Evidence[0].What == "new", "the receiver's own verdicts changed")
		m.clock.Unknown = true
		late := m.late(x, y)
		assert.Check(t, late == 0, "without a clock in common it begins %v s later", late)
	}
	m := merger{r: &Builder{kept: map[int]kept{0: {waits: []report.Verdict{{}}}}}}
	m.waits(&report.Connection{}, &report.Connection{Verdicts: new(report.List[report.Verdict])}, &pair.Conn{}, 0) // verdicts were not asked for
}

func opposite(d report.Direction) report.Direction {
	return map[report.Direction]report.Direction{report.A2B: report.B2A, report.B2A: report.A2B}[d]
}

// TestFromReceiver: what begins with the arrival of data comes from the receiver's capture in any case,
// the sender's own figures never; queues and degrees of blocking unless the sender is asked for.
func TestFromReceiver(t *testing.T) {
	always := []string{"in_order_wait_ms", "out_of_order", "dsn_offset_bytes", "hol_wait_ms", "hol_blocking_ms", "dsr_mbps", "rec_path_list", "streaming", "hole_fills"}
	usually := []string{"hol_degree_ms", "hol_degree_all_paths_ms", "hol_queue_bytes", "hol_queue_segments"}
	of := append(slices.Clone(always), usually...)
	for end, want := range map[report.Host][]string{"": of, report.SenderHost: always} {
		got := fromReceiver(end)
		slices.Sort(got)
		slices.Sort(want)
		assert.Check(t, is.DeepEqual(got, want), "--end %q", end)
	}
	all := fromReceiver(report.ReceiverHost)
	for _, name := range []string{"drops", "cwnd_estimate_bytes", "rtt_newest_ms", "owd_ms", "network", "end_to_end_delay_ms"} {
		assert.Check(t, !slices.Contains(all, name), "%s comes from the receiver's capture", name)
	}
	for _, name := range append(of, "rtt_ms", "segments", "path_delay_ms") {
		assert.Check(t, slices.Contains(all, name), "%s does not come from the receiver's capture", name)
	}
}
