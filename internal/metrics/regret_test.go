package metrics

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// regretOf returns the regret of A's choices, or the reason for its absence.
func regretOf(t *testing.T, s *tracegen.Session, v tracegen.View) (*report.SchedulerRegret, string) {
	t.Helper()
	m := measure(t, s, v, Config{Interval: 100 * msec, Regret: true})
	d := ofConnection(m.Connection, conn.A)
	why, _ := d.Unavailable.Of("scheduler_regret")
	return d.SchedulerRegret, why
}

// settle sends data over both paths until their round trips, 20 and 100 ms, hardly
// deviate: rttvar begins at 10 and 50 ms and each sample leaves 3/4 of it, so that after
// 20 samples it is 50 * 0.75^20 = 0.16 ms at most. It returns where the data ends and
// how many chunks the slow path had, which all lost the same: it is 80 ms longer.
func settle(fast, slow *tracegen.Subflow) (next int64, slowChunks int) {
	for i := range 20 {
		at := time.Duration(1000+300*i) * msec
		acked(fast, at, next, 1000)
		acked(slow, at+150*msec, next+1000, 1000)
		next += 2000
	}
	return next, 20
}

// TestRegret: each chunk of the slow path that is sent while nothing is under way is
// acknowledged after 100 ms, and would be after 20 ms on the fast path: 80 ms are lost.
// Behind those of settle follow, from 10 s on:
//
//	0 ms   slow: lost 80
//	10 ms  slow: acknowledged at 110; if both had left on the fast path, at 30: lost 80
//	20 ms  fast: acknowledged in order at 110; without the slow path at 40: lost 70
//	500 ms fast, 20 times: 20000 bytes are in flight, and that many are its window
//	500 ms slow: on the fast path 1000 bytes exceed the window, so that it takes
//	       20 * 21000 / 20000 = 21 ms: lost 79
func TestRegret(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	next, n := settle(fast, slow)
	send := func(f *tracegen.Subflow, at time.Duration) *tracegen.Sent {
		x := acked(f, 10*time.Second+at*msec, next, 1000)
		next += 1000
		return x
	}
	send(slow, 0)
	send(slow, 10)
	send(fast, 20)
	for range 20 {
		send(fast, 500)
	}
	send(slow, 500)
	got, why := regretOf(t, s, tracegen.HostA)
	if got == nil {
		t.Fatal(why)
	}
	if want := int64(2*n + 3 + 21); got.Chunks != want || got.WorseChunks != int64(n+3) || got.WorseBytes != 1000*int64(n+3) {
		t.Errorf("%d chunks, %d on the worse path of %d bytes; want %d, %d", got.Chunks, got.WorseChunks, got.WorseBytes, want, n+3)
	}
	near(t, "percent", got.WorsePercent, 100*float64(n+3)/float64(2*n+24))
	near(t, "mean", got.Lost.Avg, (80*float64(n)+80+80+70+79)/float64(2*n+24))
	near(t, "most", got.Lost.Max, 80)
	near(t, "least", got.Lost.Min, 0)
	if got, why := regretOf(t, s, tracegen.HostB); got != nil || why != atSenderOnly {
		t.Errorf("at the receiver: %v, %q", got, why)
	}
}

// TestRegretMargin: a path is the worse choice if it is longer by more than a millisecond, once its
// deviation is less. That is half a round trip at first, and 3/4 of it after each sample: of the 20
// chunks of settle on the slow path, those from the tenth on have less, 10.5 * 0.75^9 = 0.79 ms.
func TestRegretMargin(t *testing.T) {
	for _, c := range []struct {
		longer time.Duration // each way
		worse  int64
	}{{500 * time.Microsecond, 0}, {501 * time.Microsecond, 11}} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		fast := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80")})
		slow := s.Subflow(tracegen.Path{
			A: addr("10.0.2.1:40001"), B: addr("10.0.1.1:80"), Nonce: [2]uint32{1, 2},
			Delay: [2]time.Duration{10*msec + c.longer, 10*msec + c.longer},
		})
		fast.Open(0)
		slow.Open(300 * msec)
		settle(fast, slow)
		if got, why := regretOf(t, s, tracegen.HostA); got == nil || got.WorseChunks != c.worse || got.WorseBytes != 1000*c.worse {
			t.Errorf("longer by %v each way: %+v %s, want %d chunks on the worse path", c.longer, got, why, c.worse)
		}
	}
}

// TestRegretOfFullPaths: where both paths are full all the time, a chunk each millisecond
// on the fast one and each fifth on the slow one, using both is right: by the estimates,
// too, the fast path alone would have a queue as long as the slow path's round trip after
// 0.7 s, for it takes 1050 bytes a millisecond and there are 1200. The chunks of the slow
// path alone, every second millisecond, lose 80 ms each beside an idle fast path: its
// initial window of 14600 bytes takes 730 bytes a millisecond, and there are 500.
func TestRegretOfFullPaths(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	next, _ := settle(fast, slow)
	for i := range 10000 {
		at := 10*time.Second + time.Duration(i)*msec
		acked(fast, at, next, 1000)
		next += 1000
		if i%5 == 0 {
			acked(slow, at, next, 1000)
			next += 1000
		}
	}
	got, _ := regretOf(t, s, tracegen.HostA)
	assert.Check(t, got.Lost.P50 <= 6 && got.Lost.Avg <= 80*0.7/10+6 && got.WorsePercent <= 5, "both paths full: %+v", got)

	s, fast, slow = twoPaths(tracegen.Config{Version: 1})
	next, n := settle(fast, slow)
	for i := range 1000 {
		acked(slow, 10*time.Second+time.Duration(2*i)*msec, next, 1000)
		next += 1000
	}
	got, _ = regretOf(t, s, tracegen.HostA)
	near(t, "mean", got.Lost.Avg, 80*float64(1000+n)/float64(1000+2*n))
	assert.Check(t, got.WorseChunks == int64(1000+n), "%d chunks on the worse path, want %d", got.WorseChunks, 1000+n)
}

// TestRegretIsAskedFor: without the flag there is none, and the reason names the flag.
func TestRegretIsAskedFor(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	settle(fast, slow)
	_, d := reported(measure(t, s, tracegen.HostA, Config{Interval: 100 * msec}).Connection, conn.A)
	if why := d["unavailable"].(map[string]any)["scheduler_regret"]; d["scheduler_regret"] != nil || why != "not asked for (--extra regret)" {
		t.Errorf("%v, %v", d["scheduler_regret"], why)
	}
}

// TestRegretNeedsAChoice: there is no choice with only one path, with a path and a backup,
// or with a path and another that does not acknowledge its data.
func TestRegretNeedsAChoice(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	acked(f, 1000*msec, 0, 1000)
	if got, why := regretOf(t, s, tracegen.HostA); got != nil || why == "" {
		t.Errorf("one path: %+v, %q", got, why)
	}

	s = tracegen.NewSession(tracegen.Config{Version: 1})
	slow := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80"), Delay: [2]time.Duration{50 * msec, 50 * msec}})
	backup := s.Subflow(tracegen.Path{A: addr("10.0.2.1:40001"), B: addr("10.0.1.1:80"), Nonce: [2]uint32{1, 2}, Backup: true})
	slow.Open(0)
	backup.Open(300 * msec)
	acked(slow, 1000*msec, 0, 1000)
	if got, why := regretOf(t, s, tracegen.HostA); got != nil || why == "" {
		t.Errorf("beside a backup path: %+v, %q", got, why)
	}

	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	fast.Data(tracegen.A2B, 1000*msec, 0, 1000).Lose() // the slow path was there to choose
	acked(slow, 1300*msec, 1000, 1000)                 // past the RTO of the fast one, 20 + 200 ms
	got, why := regretOf(t, s, tracegen.HostA)
	if got == nil {
		t.Fatal(why)
	}
	assert.Check(t, got.Chunks == 1 && got.Lost.Max == 0, "beside a dead path: %+v; want the one chunk on the fast path", got)
}
