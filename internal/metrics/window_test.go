package metrics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/tracegen"
)

// offer makes a packet of B offer a window of n bytes, a multiple of 128.
func offer(x *tracegen.Sent, n int) *tracegen.Sent {
	return x.Edit(func(p *tracegen.Packet) { p.Window = uint16(n >> 7) }) // the window scale of the sessions is 7
}

// onePath is an established session over one path with a round trip of 20 ms.
func onePath(cfg tracegen.Config) (*tracegen.Session, *tracegen.Subflow) {
	s := tracegen.NewSession(cfg)
	f := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80")})
	f.Open(0)
	return s, f
}

// TestWindowUsedUp: at 120 ms A learns that it may send up to byte 5096, and it sends the
// last of these bytes at 203 ms. B has them all at 213 ms, and opens the window at 300 ms;
// A learns that at 310 ms.
func TestWindowUsedUp(t *testing.T) {
	for _, c := range []struct {
		view    tracegen.View
		limited time.Duration
	}{
		{tracegen.HostA, (310 - 203) * msec},
		{tracegen.HostB, (300 - 213) * msec},
		{tracegen.Middle, (305 - 208) * msec},
	} {
		s, f := onePath(tracegen.Config{Version: 1})
		f.Data(tracegen.A2B, 100*msec, 0, 1000)
		offer(f.Ack(tracegen.B2A, 110*msec), 4096)
		for i := range 4 {
			f.Data(tracegen.A2B, time.Duration(200+i)*msec, int64(1000+1024*i), 1024)
		}
		offer(f.Ack(tracegen.B2A, 300*msec), 4096)
		m := measure(t, s, c.view, Config{Interval: 100 * msec})
		w := m.Dir(conn.A).Window()
		if got := time.Duration(w.Limited); got != c.limited {
			t.Errorf("view %d: %v, want %v", c.view, got, c.limited)
		}
		dist(t, "rwnd", &w.Rwnd, 2, 4096, 4096, 4096)
		// The whole window was free after each of the two.
		dist(t, "rwnd_free", &w.Free, 2, 4096, 4096, 4096)
	}
}

// TestWindowAfterFallback: A has used the window up when a middlebox begins to remove the
// options, at 250 ms. Because B acknowledges data that no mapping covers, the connection
// falls back. No DATA_ACK follows, so from then on the state of the window is not known.
func TestWindowAfterFallback(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	bare := func(x *tracegen.Sent) { x.Edit(func(p *tracegen.Packet) { p.Options = nil }) }
	f.Data(tracegen.A2B, 100*msec, 0, 1000)
	offer(f.Ack(tracegen.B2A, 110*msec), 4096)
	for i := range 4 {
		f.Data(tracegen.A2B, time.Duration(200+i)*msec, int64(1000+1024*i), 1024)
	}
	offer(f.Ack(tracegen.B2A, 220*msec), 0)
	for i := range 20 {
		at := time.Duration(250+10*i) * msec
		bare(f.Data(tracegen.A2B, at, int64(5096+1000*i), 1000))
		bare(f.Ack(tracegen.B2A, at+10*msec))
	}
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	since := time.Duration(0)
	for _, e := range m.Events {
		if e.Kind == conn.EventFallback {
			since = time.Duration(e.Time - m.Conn.Start)
		}
	}
	assert.Assert(t, since >= 270*msec && since <= 300*msec, "the fallback is seen at %v", since)
	d := m.Dir(conn.A)
	if got, want := time.Duration(d.Window().Limited), since-203*msec; got != want {
		t.Errorf("limited for %v, want %v", got, want)
	}
}

// TestWindowClosesForGood: a window that falls to 0 limits the sender up to the end of the
// capture, and each fall is an event.
func TestWindowClosesForGood(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	f.Data(tracegen.A2B, 100*msec, 0, 1024)
	offer(f.Ack(tracegen.B2A, 110*msec), 1024)
	f.Data(tracegen.A2B, 120*msec, 1024, 1024) // uses it up
	offer(f.Ack(tracegen.B2A, 130*msec), 0)    // at A at 140 ms
	offer(f.Ack(tracegen.B2A, 400*msec), 0)    // at A at 410 ms, the last packet
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	if got := time.Duration(m.Dir(conn.A).Window().Limited); got != 290*msec {
		t.Errorf("%v, want %v", got, 290*msec)
	}
	var closed []time.Duration
	for _, e := range m.Events {
		if e.Kind == conn.EventZeroWindow {
			closed = append(closed, time.Duration(e.Time-m.Conn.Start))
			assert.Check(t, e.From == conn.B && e.Packet != 0, "event from %v, packet %d", e.From, e.Packet)
		}
	}
	if d := cmp.Diff([]time.Duration{140 * msec}, closed); d != "" {
		t.Error("zero_window:", d)
	}
}

// TestWindowOfOneUnknownScale: the capture has not the handshake of the second path, so the window
// in its DATA_ACK at 220 ms is not known. It may have moved the right edge, beyond which the
// data of 300 ms seems to lie.
func TestWindowOfOneUnknownScale(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	second := s.Subflow(tracegen.Path{A: addr("10.0.2.1:40001"), B: addr("10.0.1.1:80")})
	second.Assume()
	f.Data(tracegen.A2B, 100*msec, 0, 1000)
	offer(f.Ack(tracegen.B2A, 110*msec), 2048)
	second.Data(tracegen.A2B, 200*msec, 1000, 1000)
	offer(second.Ack(tracegen.B2A, 220*msec), 1<<15)
	f.Data(tracegen.A2B, 300*msec, 2000, 10_000)
	offer(f.Ack(tracegen.B2A, 320*msec), 2048)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	d := m.Dir(conn.A)
	w := d.Window()
	dist(t, "rwnd", &w.Rwnd, 1, 2048, 2048, 2048)
	dist(t, "rwnd_free", &w.Free, 1, 2048, 2048, 2048)
	if _, _, why := d.WindowSoFar(); w.Limited != 0 || why != noScale {
		t.Errorf("the window was used up for %v; so far it is unknown because %q", time.Duration(w.Limited), why)
	}
	out := ofConnection(m.Connection, conn.A)
	for _, name := range []string{"rwnd_bytes", "rwnd_free_bytes", "rwnd_limited_ms", "rb2loc", "awnd_delta", "rec_path_list", "time_account"} {
		if why, ok := out.Unavailable.Of(name); !ok || why != noScale {
			t.Errorf("%s is absent because %q", name, why)
		}
	}
}

// TestWindowScaleInPart: a SYN/ACK with a window scale shows that the windows of its sender are
// scaled. Those of the other end need the SYN, too. A SYN shows neither.
func TestWindowScaleInPart(t *testing.T) {
	for _, c := range []struct {
		what   string
		missed []int
		known  [2]bool // the windows for the data of A, and those for the data of B
	}{
		{"whole", nil, [2]bool{true, true}},
		{"without the SYN", []int{1}, [2]bool{true, false}},
		{"without the SYN/ACK", []int{2}, [2]bool{}},
		{"without both", []int{1, 2}, [2]bool{}},
	} {
		s, f := onePath(tracegen.Config{Version: 1})
		f.Data(tracegen.A2B, 100*msec, 0, 1000)
		offer(f.Ack(tracegen.B2A, 110*msec), 4096)
		f.Data(tracegen.B2A, 200*msec, 0, 1000)
		offer(f.Ack(tracegen.A2B, 220*msec), 4096)
		var m *Connection
		conntest.Play(t, s, tracegen.HostA, NewCollector(Config{Interval: 100 * msec}, func(c *Connection) { m = c }), c.missed...)
		for side, known := range c.known {
			d := m.Dir(conn.Side(side))
			if w := d.Window(); w.Known != known || d.WindowsKnown() != known || known && w.Rwnd.Min() != 4096 || !known && w.Rwnd.N()+d.Awnd().Delta.N() > 0 {
				t.Errorf("%s: windows for the data of %v: read %v, all known %v, at least %v B; want known: %v", c.what, conn.Side(side), w.Known, d.WindowsKnown(), w.Rwnd.Min(), known)
			}
		}
	}
}

// offers plays data on both paths, so that B knows their rates, and windows
// that B offers, in KiB: the first at 350 ms, where it confirms the join, the
// others over the fast path every 10 ms from 2010 ms on.
func offers(windows ...int) *tracegen.Session {
	s, fast, slow, fourth := joined(tracegen.Config{Version: 1})
	offer(fourth, windows[0]<<10)
	at, offset := 1000*msec, int64(0)
	for range 900 { // a segment each millisecond, every ninth over the slow path
		f := fast
		if offset%9000 == 0 {
			f = slow
		}
		f.Data(tracegen.A2B, at, offset, 1000)
		at, offset = at+msec, offset+1000
	}
	for i, kib := range windows[1:] {
		offer(fast.Ack(tracegen.B2A, time.Duration(2010+10*i)*msec), kib<<10)
	}
	return s
}

// TestAwndDelta has the windows 8 2 8 8 5 4 3 8 KiB, computed by hand. All are between 2
// and 8, six apart.
func TestAwndDelta(t *testing.T) {
	m := measure(t, offers(8, 2, 8, 8, 5, 4, 3, 8), tracegen.HostB, Config{Interval: 100 * msec})
	a := m.Dir(conn.A).Awnd()
	want := []float64{
		(2 - 10/2.) / 6,
		(8 - 18/3.) / 6,
		(8 - 26/4.) / 6,
		(5 - 31/5.) / 6, // -0.2: below the mean and falling
		(4 - 35/6.) / 6, // -0.306
		(3 - 38/7.) / 6, // -0.405
		(8 - 46/8.) / 6, // the end
	}
	got, _ := m.series(seriesAwndDelta, -1, conn.A)
	assert.Assert(t, len(got) == len(want), "%d values, want %d", len(got), len(want))
	for i := range want {
		near(t, "awnd_delta", got[i], want[i])
	}
	if a.Blocks != 1 || time.Duration(a.Time) != 30*msec { // from 2030 to 2060 ms after the SYN
		t.Errorf("%d events of %v, want 1 of 30ms", a.Blocks, time.Duration(a.Time))
	}
	near(t, "depth", a.Depth, 38/42.-3/6.)
	var events []conn.Event
	for _, e := range m.Events {
		if e.Kind == EventBlock {
			events = append(events, e)
		}
	}
	assert.Assert(t, len(events) == 1, "%d events", len(events))
	want1 := "receive buffer of host b fills up: window below its mean and falling from 2.030000 to 2.060000 s, depth 0.405; MPTCP-rec would have left out subflow 1"
	if e := events[0]; e.Detail != want1 || time.Duration(e.Time-m.Conn.Start) != 2030*msec || e.From != conn.A { // the sender of the data, although B offers the window
		t.Errorf("event %q from %v at %v", e.Detail, e.From, time.Duration(e.Time-m.Conn.Start))
	}
	// The slow path carries the least data. Windows were seen from 350 to 2070 ms.
	if r := m.Subs[1].Dir(conn.A).Rec(); *r != (RecPath{1, int64(30 * msec)}) {
		t.Errorf("left out: %+v", r)
	}
	if r := m.Subs[0].Dir(conn.A).Rec(); *r != (RecPath{}) {
		t.Errorf("left out: %+v", r)
	}
	if got := time.Duration(m.Dir(conn.A).Awnd().AllPaths()); got != (2070-350-30)*msec {
		t.Errorf("all paths for %v, want 1.69s", got)
	}
	// The windows at the sender are the same; only a capture at the receiver shows which path would have been left out.
	m = measure(t, offers(8, 2, 8, 8, 5, 4, 3, 8), tracegen.HostA, Config{Interval: 100 * msec})
	b, r := m.Dir(conn.A).Awnd(), m.Subs[1].Dir(conn.A).Rec()
	assert.Check(t, b.Blocks == 1 && time.Duration(b.Time) == 30*msec && *r == (RecPath{}), "%d events of %v, left out: %+v", b.Blocks, time.Duration(b.Time), r)
}

// TestBlocksAreBounded: every fourth window begins an event. The list of events is bounded;
// all are counted.
func TestBlocksAreBounded(t *testing.T) {
	windows := []int{8, 2}
	for range maxBlocksListed + 50 {
		windows = append(windows, 8, 8, 8, 3)
	}
	m := measure(t, offers(append(windows, 8)...), tracegen.HostB, Config{Interval: 100 * msec})
	listed := int64(0)
	for _, e := range m.Events {
		if e.Kind == EventBlock {
			listed++
		}
	}
	if a := m.Dir(conn.A).Awnd(); a.Blocks != maxBlocksListed+50 || listed != maxBlocksListed || m.EventsOmitted != 50 {
		t.Errorf("%d events, %d listed, %d omitted", a.Blocks, listed, m.EventsOmitted)
	}
}
