package conn

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mpanalyze/internal/packet"
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
		if f.ID != i || f.Order != i || f.Ends[A] != packets[i].Src || f.Segments != 1 || f.Bytes != 1000 {
			t.Fatalf("%d. is %+v", i, f)
		}
	}
	codes := map[string]int64{}
	for _, w := range table.Warnings.List() {
		codes[w.Code] = w.Count
	}
	if codes["half_open"] != 10 || codes["closed_early"] != 1 {
		t.Errorf("warnings %v", codes)
	}
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
	if table.oneSided.n != 0 || table.open.n != len(packets)-waiting {
		t.Errorf("%d one-sided flows, %d connections", table.oneSided.n, table.open.n)
	}
}
