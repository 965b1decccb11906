package metrics

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// TestCellSRTT: with ten samples in one cell and one in another, the mean over time is the
// mean of the two SRTTs at the ends of the cells. An open path counts in every cell of the
// protocol delay, a path that has ended in none.
func TestCellSRTT(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	acked(slow, 400*msec, 0, 1000) // delivered by 500 ms: the cells begin at 500, 600, 1000 and 1500 ms
	for k := range 9 {
		acked(fast, 605*msec+5*msec*time.Duration(k), 1000+1000*int64(k), 1000)
	}
	late := fast.Data(tracegen.A2B, 1010*msec, 10000, 1000)
	fast.Ack(tracegen.B2A, late.ArrivesAt()+40*msec) // a round trip of 60 ms: SRTT 20 + 40/8 = 25
	slow.RST(tracegen.B2A, 1200*msec)
	acked(fast, 1510*msec, 11000, 1000) // of 20 ms: 25 - 5/8
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	if n := m.Dir(conn.A).Delays().Protocol.N(); n != 4 {
		t.Fatalf("%d cells of the protocol delay, want 4", n)
	}
	for id, want := range []float64{
		(20 + 20 + 25 + 24.375) / 4, // of fast, at the ends of all four
		(100 + 100 + 100) / 3.,      // of slow, while it is open
	} {
		d := m.Subs[id].Dir(conn.A)
		got, ok := d.CellSRTT()
		assert.Assert(t, ok, "subflow %d: none", id)
		near(t, "cell_mean", got, want)
		if _, ok := m.Subs[id].Dir(conn.B).CellSRTT(); ok {
			t.Errorf("subflow %d has one of a direction without data", id)
		}
	}
	near(t, "hol_degree", m.Dir(conn.A).Delays().HoLDegree.Mean(), (0+0+(60-25)+(20-24.375))/4) // 100 - 100 and 20 - 20 in the first two cells
}

// TestCellSRTTIsTheDifference: if the slower path delivers in every cell, the protocol
// delay minus the HoL degree is the mean of its SRTT (FI23, FED23).
func TestCellSRTTIsTheDifference(t *testing.T) {
	for _, host := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
		s, fast, slow := twoPaths(tracegen.Config{Version: 1})
		for k := range 6 {
			at := 400*msec + 200*msec*time.Duration(k)
			acked(slow, at, 2000*int64(k), 1000)
			x := fast.Data(tracegen.A2B, at+50*msec, 2000*int64(k)+1000, 1000)
			slow.Ack(tracegen.B2A, x.ArrivesAt()+10*msec*time.Duration(k))
			fast.Ack(tracegen.B2A, x.ArrivesAt()+10*msec*time.Duration(k))
		}
		m := measure(t, s, host, Config{Interval: 200 * msec})
		d := m.Dir(conn.A)
		tau, ok := m.Subs[1].Dir(conn.A).CellSRTT()
		if n := d.Delays().Protocol.N(); !ok || n < 6 || n != d.Delays().HoLDegree.N() {
			t.Fatalf("%d cells of the protocol delay, %d of the HoL degree, SRTT %v", n, d.Delays().HoLDegree.N(), ok)
		}
		near(t, "protocol_delay - hol_degree", d.Delays().Protocol.Mean()-d.Delays().HoLDegree.Mean(), tau)
	}
}
