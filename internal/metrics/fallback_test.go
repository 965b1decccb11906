package metrics

import (
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/tracegen"
)

// optionless removes all options from a packet, as after a fallback.
func optionless(p *tracegen.Packet) { p.Options = p.Options[:0] }

// fallsBack plays one subflow of 20 ms. Of two segments sent at 400 ms the first
// is lost and repeated at 450 ms, so that the DATA_ACK covers both at 470 ms. One
// of 500 ms is acknowledged without a DATA_ACK. The data from 600 ms on carries no
// option: ten segments, one each 100 ms.
func fallsBack(version uint8) *tracegen.Session {
	s, f := onePath(tracegen.Config{Version: version})
	acked(f, 300*msec, 0, 1000)
	lost := f.Data(tracegen.A2B, 400*msec, 1000, 1000).Lose()
	f.Data(tracegen.A2B, 401*msec, 2000, 1000)
	f.Ack(tracegen.B2A, 411*msec)
	f.Ack(tracegen.B2A, lost.Again(450*msec).ArrivesAt())
	x := f.Data(tracegen.A2B, 500*msec, 3000, 1000)
	f.Ack(tracegen.B2A, x.ArrivesAt()).Edit(optionless)
	for i := range 10 {
		x := f.Map(tracegen.A2B, int64(4000+1000*i), 1000).Bare().Send(time.Duration(600+100*i)*msec, 0, 1000)
		f.Ack(tracegen.B2A, x.ArrivesAt()).Edit(optionless)
	}
	return s
}

// TestDelaysEndWithTheFallback: DATA_ACKs cover three chunks, with delays of 20, 70 and 69
// ms. Later data of plain TCP adds no zeros.
func TestDelaysEndWithTheFallback(t *testing.T) {
	for _, v := range []uint8{0, 1} {
		m := measure(t, fallsBack(v), tracegen.HostA, Config{Interval: 100 * msec})
		d, c := m.Subs[0].Dir(conn.A), m.Dir(conn.A)
		if m.Conn.Fallback == "" || m.Conn.FellBack-m.Conn.Start != int64(600*msec) {
			t.Fatalf("fallback %q, at %v", m.Conn.Fallback, time.Duration(m.Conn.FellBack-m.Conn.Start))
		}
		dist(t, "path_delay", &d.Delays().Path, 3, (20+70+69)/3., 20, 70)
		// The segment of 401 ms is SACKed at 421 ms.
		dist(t, "hol_wait", &d.Delays().HoLWait, 3, (0+0+49)/3., 0, 49)
		// The grid begins at 300: cells from 300 and 400 ms on.
		dist(t, "protocol_delay", &c.Delays().Protocol, 2, (20+69.5)/2, 20, 69.5)
		// From the first acknowledgment at 320 to the fallback at 600 ms, which ends the
		// measurement: one segment waits from 421 to 470 ms, and from 520 ms on data that
		// no DATA_ACK covers any more.
		bytes := &c.HoLQueue().Bytes
		near(t, "hol_queue mean", bytes.Mean(), 1000*(49+80)/280.)
		near(t, "hol_queue max", bytes.Max(), 1000)
	}
}

// TestReceiverEndsWithTheFallback: at B, where time counts from the first packet
// there, the same chunks wait 0, 0 and 49 ms for their DATA_ACK.
func TestReceiverEndsWithTheFallback(t *testing.T) {
	m := measure(t, fallsBack(1), tracegen.HostB, Config{Interval: 100 * msec})
	d, c := m.Subs[0].Dir(conn.A), m.Dir(conn.A)
	dist(t, "hol_wait", &d.Delays().HoLWait, 3, (0+0+49)/3., 0, 49)
	// Cells from 310, 410 and 510 ms on: the DATA_ACKs leave at 310 and 460 ms.
	dist(t, "protocol_delay", &c.Delays().Protocol, 2, (20+20+49/2.)/2, 20, 20+49/2.)
	dist(t, "hol_blocking", &c.Delays().HoLBlocking, 2, 49/4., 0, 49/2.)
	// in_order_wait needs no DATA_ACK: three, one, and ten chunks of plain TCP.
	if n := d.InOrderWait().N(); n != 14 {
		t.Errorf("%d in-order waits, want 14", n)
	}
}

// TestMeasuredChunks: delays are those of data that passed before a fallback.
func TestMeasuredChunks(t *testing.T) {
	m := bare(Config{})
	m.scratch, m.Conn.FellBack = new(scratch), 50
	chunks := []*dss.Chunk{{FirstSeen: 49}, {FirstSeen: 50}, {FirstSeen: 51}}
	if got := m.measured(chunks); len(got) != 1 || got[0] != chunks[0] {
		t.Errorf("%d chunks", len(got))
	}
	m.Conn.FellBack = 0
	if got := m.measured(chunks); len(got) != 3 {
		t.Errorf("without a fallback %d chunks, want 3", len(got))
	}
}
