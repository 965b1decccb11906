package diagnose_test

import (
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestHoLBlamed sends 60 pairs of chunks, 150 ms apart: the lower data on a
// path of 50 ms, the higher at the same time on one of 10 ms.
//
// At B the higher arrives 10 ms after it was sent, the lower 50 ms: a wait of
// 40 ms for subflow 1. Payload passes from 10 ms to 59 * 150 + 50 ms, 8890 ms;
// 60 * 40 / 8890 of it is blocked. At A the first ACK comes after 20 ms, the
// DATA_ACK after 100 ms: 80 ms of every pair, in 59 * 150 ms.
func TestHoLBlamed(t *testing.T) {
	const pairs = 60
	for view, want := range map[tracegen.View]struct{ share, longest float64 }{
		tracegen.HostA: {100 * pairs * 80.0 / ((pairs - 1) * 150.0), 80},
		tracegen.HostB: {100 * pairs * 40.0 / ((pairs-1)*150.0 + 40), 40},
	} {
		s, quick := begin()
		slow := s.Subflow(path(1, 50*ms))
		slow.Open(50 * ms)
		for i := range pairs {
			at := 500*ms + time.Duration(i)*150*ms
			slow.Data(tracegen.A2B, at, int64(i)*2000, 1000)
			quick.Data(tracegen.A2B, at, int64(i)*2000+1000, 1000)
		}
		v := find(t, see(t, s, view), report.VerdictHoLBlocked)
		if v.Subflow == nil || *v.Subflow != 1 {
			t.Errorf("view %d: subflow %v is blamed, want 1", view, v.Subflow)
		}
		wantNumber(t, v, "time in which delivery waited for it", want.share)
		wantNumber(t, v, "times", pairs)
		wantNumber(t, v, "longest wait", want.longest)
	}
}

// TestHoLOfReinjection loses the lowest of three chunks on subflow 1, and sends a copy 100 ms
// later on subflow 0. The wait is for subflow 1, although subflow 0 ends it. There are three
// cases: subflow 1 carries no higher data, it carries the highest chunk with a mapping of its
// own, or it carries it with one mapping for both. The chunk between them arrives 10 ms after it
// was sent, the copy after 110 ms: 100 ms.
func TestHoLOfReinjection(t *testing.T) {
	const triples = 60
	for name, send := range map[string]func(lossy *tracegen.Subflow, at time.Duration, offset int64){
		"behind": func(lossy *tracegen.Subflow, at time.Duration, offset int64) {
			lossy.Data(tracegen.A2B, at, offset, 1000).Lose()
		},
		"holed": func(lossy *tracegen.Subflow, at time.Duration, offset int64) {
			lossy.Data(tracegen.A2B, at, offset, 1000).Lose()
			lossy.Data(tracegen.A2B, at+ms, offset+2000, 1000)
		},
		"announced": func(lossy *tracegen.Subflow, at time.Duration, offset int64) {
			m := lossy.Map(tracegen.A2B, offset, 1000+1000)
			m.Send(at, 0, 1000).Lose()
			m.Send(at+ms, 1000, 1000)
		},
	} {
		s, quick, lossy := beginTwo()
		between := int64(1000)
		if name == "announced" {
			between = 2000
		}
		for i := range triples {
			at, offset := 500*ms+time.Duration(i)*150*ms, int64(i)*3000
			send(lossy, at, offset)
			quick.Data(tracegen.A2B, at, offset+between, 1000)
			quick.Data(tracegen.A2B, at+100*ms, offset, 1000)
			if name == "behind" {
				quick.Data(tracegen.A2B, at+100*ms, offset+2000, 1000)
			}
		}
		v := find(t, see(t, s, tracegen.HostB), report.VerdictHoLBlocked)
		if v.Subflow == nil || *v.Subflow != 1 {
			t.Errorf("%s: subflow %v is blamed, want 1", name, v.Subflow)
		}
		wantNumber(t, v, "time in which delivery waited for it", 100*triples*100.0/((triples-1)*150.0+100))
		wantNumber(t, v, "longest wait", 100)
	}
}

// TestHoLOfMapping: subflow 1 carries the first half of a mapping, and subflow 0 the data after
// the mapping. Both are acknowledged on their subflows after 20 ms, but DATA_ACKed only with the
// second half, as if a checksum covered the mapping. That half is lost. Its copy is sent after 50
// ms and acknowledged after 70 ms: a wait of 50 ms.
func TestHoLOfMapping(t *testing.T) {
	const pairs = 60
	s := tracegen.NewSession(tracegen.Config{Version: 1, HeaderOnly: 1})
	quick, slow := s.Subflow(path(0, 10*ms)), s.Subflow(path(1, 10*ms))
	quick.Open(0)
	slow.Open(50 * ms)
	for i := range pairs {
		at, offset := 500*ms+time.Duration(i)*150*ms, int64(i)*3000
		m := slow.Map(tracegen.A2B, offset, 1000+1000)
		m.Send(at, 0, 1000)
		quick.Data(tracegen.A2B, at, offset+2000, 1000)
		m.Send(at, 1000, 1000).Lose().Again(at + 50*ms)
		slow.Ack(tracegen.B2A, at+10*ms).Edit(erase)
		quick.Ack(tracegen.B2A, at+10*ms).Edit(erase)
		slow.Ack(tracegen.B2A, at+60*ms)
	}
	v := find(t, see(t, s, tracegen.HostA), report.VerdictHoLBlocked)
	if v.Subflow == nil || *v.Subflow != 1 {
		t.Errorf("subflow %v is blamed, want 1", v.Subflow)
	}
	wantNumber(t, v, "time in which delivery waited for it", 100*pairs*50.0/((pairs-1)*150.0+50))
	wantNumber(t, v, "longest wait", 50)
}
