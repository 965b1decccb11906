package metrics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestSoFar: what is said of an open connection is what the report says at its end.
func TestSoFar(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	for i := range 40 {
		acked(fast, time.Duration(1000+20*i)*msec, int64(3000*i), 1000)
		acked(slow, time.Duration(1000+20*i)*msec, int64(3000*i+1000), 2000)
	}
	lost := fast.Data(tracegen.A2B, 2000*msec, 120_000, 1000).Lose()
	acked(fast, 2010*msec, 121_000, 1000)
	offer(fast.Ack(tracegen.B2A, lost.Again(2100*msec).ArrivesAt()), 50_000)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec}).Connection
	m.LookSoFar()
	all := named(m)
	for i, x := range m.Subs {
		var got report.SubDir
		m.ReportSubflowSoFar(x, conn.A, fields(), &got)
		want := all[i].A2B
		for what, c := range map[string][2]float64{
			"least rtt": {got.RTT.Min, want.RTT.Min}, "srtt": {got.SRTT.Avg, want.SRTT.Avg}, "throughput": {got.Throughput.Avg, want.Throughput.Avg},
			"segments": {float64(got.Segments), float64(want.Segments)}, "drops": {float64(got.Drops.Count), float64(want.Drops.Count)},
		} {
			assert.Check(t, c[1] != 0 || what == "drops" && i != 0, "subflow %d, %s is 0: nothing is tested", i, what)
			near(t, what, c[0], c[1])
		}
		if l := m.LossSoFar(x, conn.A); l.Lost != int64(1-i) || l.Segments != want.Segments || l.Why != "" {
			t.Errorf("subflow %d: %+v", i, l)
		}
		if srtt, why := m.SRTTSoFar(x, conn.A); why != "" || srtt != []float64{20, 100}[i] {
			t.Errorf("subflow %d: %g ms, %s", i, srtt, why)
		}
	}
	var got report.ConnDir
	want := ofConnection(m, conn.A)
	m.ReportConnectionSoFar(conn.A, all, fields(), &got)
	near(t, "hol_blocking", got.HoLBlocking.Avg, want.HoLBlocking.Avg)
	assert.Check(t, got.HoLBlocking.Avg != 0 && got.Segments == want.Segments && cmp.Diff(got.Paths, want.Paths) == "", "%+v, want %+v", got, want)
	// The window of 50,000 bytes in units of 128 begins at the end of the data.
	size, free, why := m.Dir(conn.A).WindowSoFar()
	assert.Check(t, size == 50_000/128*128 && free == m.Dir(conn.A).free() && why == "", "window of %d bytes, %d free, %s", size, free, why)
	if _, _, why := m.Dir(conn.B).WindowSoFar(); why == "" && m.Dir(conn.B).Window().Rwnd.N() == 0 {
		t.Error("a window without a DATA_ACK")
	}
}
