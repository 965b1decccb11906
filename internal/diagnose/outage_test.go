package diagnose_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestOutage: subflow 0 sends 1000 bytes every 10 ms from 200 ms to 2200 ms, 0.8 Mbit/s, then
// loses a segment and is silent. From then on, subflow 1 sends 1000 bytes every 50 ms for 4 s,
// 0.16 Mbit/s; the copy of the lost segment arrives there 3 s later. The verdict begins with the
// time that data waited, which is also its cost, and has both rates.
func TestOutage(t *testing.T) {
	const want = 3.0 // s, at A as at B
	for _, view := range bothHosts {
		s, silent, other := beginTwo()
		steady(silent, 200*ms, 0, 200)
		silent.Data(tracegen.A2B, 2200*ms, 200_000, 1000).Lose()
		offset := int64(201_000)
		for i := range 80 {
			at := 2210*ms + time.Duration(i)*50*ms
			if i == 60 { // at 5210 ms
				other.Data(tracegen.A2B, at, 200_000, 1000)
				continue
			}
			other.Data(tracegen.A2B, at, offset, 1000)
			offset += 1000
		}
		v := find(t, see(t, s, view), report.VerdictPathDied)
		if v.CostS == nil || math.Abs(*v.CostS-want) > 1e-6 {
			t.Errorf("view %d: a cost of %v s, want %v", view, *v.CostS, want)
		}
		wantNumber(t, v, "all paths, in the second before", 0.8)
		wantNumber(t, v, "all paths, in the second after", 0.16)
		if !strings.Contains(v.Text, "made no progress any more, with data outstanding: delivery waited 3.00 s for its data; all paths together carried 0.8 Mbit/s in the second before, 0.16 Mbit/s in the second after") {
			t.Errorf("view %d: %s", view, v.Text)
		}
	}
}

// TestBlockedOfPair: 60 pairs of chunks, 150 ms apart, the lower one on a path of 50 ms,
// the higher one on one of 10 ms. At B the higher one waits 40 ms; between the ACKs at A
// lie 80 ms. With both captures the verdict has the times of B, by the names and numbers of
// the sender's capture, and the mean that the report has.
func TestBlockedOfPair(t *testing.T) {
	const pairs = 60
	s, quick := begin()
	slow := s.Subflow(path(1, 50*ms))
	slow.Open(50 * ms)
	for i := range pairs {
		at := 500*ms + time.Duration(i)*150*ms
		slow.Data(tracegen.A2B, at, int64(i)*2000, 1000)
		quick.Data(tracegen.A2B, at, int64(i)*2000+1000, 1000)
	}
	files := ends(t, s)
	doc, err := engine.Analyze(context.Background(), engine.Options{
		Paths: files[:1], Receiver: files[1:], Clock: clock.None, Interval: 100 * ms, Connection: engine.AllConnections,
	})
	assert.NilError(t, err)
	v := find(t, doc, report.VerdictHoLBlocked)
	d := doc.Connections[0].A2B
	if v.Subflow == nil || *v.Subflow != 1 || *v.Direction != report.A2B || strings.Contains(v.Text, "ACK") {
		t.Errorf("subflow %v: %s", v.Subflow, v.Text)
	}
	wantNumber(t, v, "time in which delivery waited for it", 100*pairs*40.0/((pairs-1)*150.0+40))
	wantNumber(t, v, "longest wait", 40)
	wantNumber(t, v, "part of all such waits", 100)
	wantNumber(t, v, "hol_blocking_ms avg", d.HoLBlocking.Avg)
	if want := min(100*d.HoLBlocking.Avg/d.ProtocolDelay.Avg, 100); v.Cost == nil || math.Abs(*v.Cost-want) > 1e-9 {
		t.Errorf("a cost of %v %%, want %v, by the figures of the report", v.Cost, want)
	}
	for _, e := range v.Evidence {
		if e.Packet != nil && !strings.HasSuffix(e.What, "in the receiver's capture") {
			t.Errorf("packet %d is of the receiver's capture, and the proof says %q", *e.Packet, e.What)
		}
	}
	if e := v.Evidence[2]; e.TS == nil || math.Abs(*e.TS-0.510) > 1e-6 { // the first SYN leaves at 0, the higher chunk of the first pair arrives at 510 ms
		t.Errorf("delivery stops at %v s of the sender's connection, want 0.510: %+v", *e.TS, e)
	}
}
