package conn

import (
	"testing"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// steady is a bulk transfer over two subflows as segments, without end: each step sends one
// segment and acknowledges it.
type steady struct {
	table *Table
	data  [2]packet.Segment
	acks  [2]packet.Segment
	n     int
}

func newSteady(tb testing.TB) *steady {
	s, f, at := opened(tracegen.Config{Version: 1})
	g, at := joined(s, 1, at)
	f.Data(a2b, at, 0, 1000)
	g.Data(a2b, at+1*ms, 1000, 1000)
	f.Ack(b2a, at+20*ms)
	g.Ack(b2a, at+21*ms)
	segs := segments(tb, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	st := &steady{table: NewTable(Options{})}
	n := len(segs)
	for i := range segs[:n-4] {
		st.table.Segment(&segs[i])
	}
	copy(st.data[:], segs[n-4:])
	copy(st.acks[:], segs[n-2:])
	for i := range st.data {
		st.data[i].SetPayload(nil)
		st.acks[i].DSS.DataAck = st.data[i].DSS.DSN + 1000
		st.acks[i].Ack = st.data[i].Seq + 1000
	}
	return st
}

func (st *steady) step() {
	i := st.n % 2
	st.n++
	d, a := &st.data[i], &st.acks[i]
	st.table.Segment(d)
	st.table.Segment(a)
	for _, s := range []*packet.Segment{d, a} {
		s.Time += int64(2 * ms)
		s.Num++
	}
	d.Seq += 1000
	d.DSS.DSN += 2000
	d.DSS.SSN += 1000
	d.TSVal += 2
	a.Ack += 1000
	a.DSS.DataAck += 2000
	a.TSEcr += 2
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	st := newSteady(t)
	for range 20000 {
		st.step()
	}
	c := openOf(st.table)[0]
	before := c.Spaces[A].Bytes
	if n := testing.AllocsPerRun(5000, st.step); n != 0 {
		t.Errorf("%v allocations per data packet and its acknowledgment", n)
	}
	if got := c.Spaces[A].Bytes - before; got != 5001*1000 || c.Spaces[A].OutstandingBytes != 0 || len(c.Subflows) != 2 {
		t.Errorf("%d bytes passed, %d wait", got, c.Spaces[A].OutstandingBytes)
	}
}
