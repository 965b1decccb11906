package conn

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// lateNotes is a module that keeps what comes late, and counts it if it says so.
type lateNotes struct {
	list   []Late
	counts bool
}

func (*lateNotes) Open(*Conn) Observer { return nil }

func (n *lateNotes) Late(l *Late) bool { n.list = append(n.list, *l); return n.counts }

// TestLate: a packet of a closed subflow is credited to the end that sent it, whichever end has the lesser
// address, with its pause since that end's packet before. What is not counted is a straggler.
func TestLate(t *testing.T) {
	for _, swapped := range []bool{false, true} {
		for _, counts := range []bool{true, false} {
			n := &lateNotes{counts: counts}
			table := NewTable(Options{}, n)
			send := func(s packet.Segment, at int64) {
				if s.Time = at; swapped {
					s.Src.Addr[0], s.Dst.Addr[0] = s.Dst.Addr[0], s.Src.Addr[0]
				}
				table.Segment(&s)
			}
			all := closedTCP(101)
			for i := range all {
				all[i].Src.Addr[0], all[i].Dst.Addr[0] = 1, 2
				if all[i].Src.Port == 80 {
					all[i].Src.Addr[0], all[i].Dst.Addr[0] = 2, 1
				}
			}
			for i, s := range all { // the last three are the FINs of A and of B, and the ACK of A
				send(s, int64(100+10*i))
			}
			table.finish(table.open.first)
			finB, ackA := all[len(all)-2], all[len(all)-1]
			last := int64(100 + 10*len(all))
			send(finB, last+1000)
			send(ackA, last+1003)
			send(finB, last+3000)
			want := []Late{{From: B, ID: -1, Pause: 1020}, {From: A, ID: -1, Pause: 1013}, {From: B, ID: -1, Pause: 2000}}
			assert.Check(t, is.DeepEqual(n.list, want, cmpopts.IgnoreFields(Late{}, "Seg")), "swapped %v", swapped)
			if got := warnings(table)["straggler"]; (got == 3) == counts {
				t.Errorf("counted %v: %d stragglers", counts, got)
			}
		}
	}
}

// TestMaxLate: late packets of further subflows than are kept are stragglers.
func TestMaxLate(t *testing.T) {
	n := &lateNotes{counts: true}
	table := NewTable(Options{MaxLate: 2}, n)
	for i := 101; i < 104; i++ {
		for _, s := range closedTCP(i) {
			table.Segment(&s)
		}
	}
	for table.open.n > 0 {
		table.finish(table.open.first)
	}
	for range 2 {
		for i := 101; i < 104; i++ {
			all := closedTCP(i)
			table.Segment(&all[len(all)-1])
		}
	}
	if len(n.list) != 4 || warnings(table)["straggler"] != 2 {
		t.Errorf("%d late packets, %v; want 2 each of 2 subflows", len(n.list), warnings(table))
	}
}

// TestIsLate: what a late packet is: a FIN again, or the acknowledgment of all.
func TestIsLate(t *testing.T) {
	ends := closedEnds{end: [2]seq.Wire{100, 200}, closed: true}
	ack := packet.Segment{Seq: 100, Ack: 200, Flags: packet.ACK}
	fin := packet.Segment{Seq: 99, Ack: 7, Flags: packet.FIN | packet.ACK}
	for _, c := range []struct {
		name   string
		s      packet.Segment
		change func(e *closedEnds, s *packet.Segment)
		want   bool
	}{
		{"an ACK", ack, func(*closedEnds, *packet.Segment) {}, true},
		{"a FIN", fin, func(*closedEnds, *packet.Segment) {}, true},
		{"with PSH", fin, func(_ *closedEnds, s *packet.Segment) { s.Flags |= packet.PSH }, true},
		{"not closed", ack, func(e *closedEnds, _ *packet.Segment) { e.closed = false }, false},
		{"payload", fin, func(_ *closedEnds, s *packet.Segment) { s.PayloadLen = 1 }, false},
		{"an option", fin, func(_ *closedEnds, s *packet.Segment) { s.OtherLen = 4 }, false},
		{"a mapping", fin, func(_ *closedEnds, s *packet.Segment) { s.DSS.Flags = mptcp.DSSMap }, false},
		{"a DATA_ACK", fin, func(_ *closedEnds, s *packet.Segment) { s.DSS.Flags = mptcp.DSSAck }, true},
		{"a FIN elsewhere", fin, func(_ *closedEnds, s *packet.Segment) { s.Seq++ }, false},
		{"an ACK from elsewhere", ack, func(_ *closedEnds, s *packet.Segment) { s.Seq-- }, false},
		{"an ACK of less", ack, func(_ *closedEnds, s *packet.Segment) { s.Ack-- }, false},
		{"a RST", ack, func(_ *closedEnds, s *packet.Segment) { s.Flags |= packet.RST }, false},
		{"a SYN", ack, func(_ *closedEnds, s *packet.Segment) { s.Flags |= packet.SYN }, false},
		{"a FIN without ACK", fin, func(_ *closedEnds, s *packet.Segment) { s.Flags = packet.FIN }, false},
	} {
		e, s := ends, c.s
		if c.change(&e, &s); e.isLate(&s, A) != c.want {
			t.Errorf("%s: late %v", c.name, !c.want)
		}
		s.Seq, s.Ack = s.Seq+100, s.Ack-100
		if got := e.isLate(&s, B); got != c.want {
			t.Errorf("%s, of B: late %v", c.name, got)
		}
	}
}
