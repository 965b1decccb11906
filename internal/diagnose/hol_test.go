package diagnose_test

import (
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

// TestHoLOfReinjection: subflow 1 announces the lowest and the highest of three chunks with one mapping, and
// loses the lowest one. A copy comes 100 ms later on subflow 0. The wait is for subflow 1, although subflow 0
// ends it. The chunk between them arrives 10 ms after it was sent, the copy after 110 ms: 100 ms.
func TestHoLOfReinjection(t *testing.T) {
	const triples = 60
	s, quick, lossy := beginTwo()
	for i := range triples {
		at, offset := 500*ms+time.Duration(i)*150*ms, int64(i)*3000
		m := lossy.Map(tracegen.A2B, offset, 1000+1000)
		m.Send(at, 0, 1000).Lose()
		m.Send(at+ms, 1000, 1000)
		quick.Data(tracegen.A2B, at, offset+2000, 1000)
		quick.Data(tracegen.A2B, at+100*ms, offset, 1000)
	}
	v := find(t, see(t, s, tracegen.HostB), report.VerdictHoLBlocked)
	assert.Check(t, *v.Subflow == 1, "subflow %d is blamed, want 1", *v.Subflow)
	wantNumber(t, v, "time in which delivery waited for it", 100*triples*100.0/((triples-1)*150.0+100))
	wantNumber(t, v, "longest wait", 100)
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
	doc := analyzeAs(t, engine.Options{Paths: files[:1], Receiver: files[1:], Clock: clock.None})
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
