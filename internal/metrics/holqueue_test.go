package metrics

import (
	"math/rand/v2"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// TestQueueWeighs compares the queue with the integral of its level over the time from the
// first data segment to the last.
func TestQueueWeighs(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		d := bare(Config{}).Dir(conn.A)
		d.role = Receiver
		q, sp := made(d, &d.holQueue), d.space
		now, area, first, last, areaAtLast, most := int64(1e9), 0.0, int64(0), int64(0), 0.0, 0.0
		for range 2000 {
			step := int64(1 + rng.IntN(1000))
			area += float64(step) * float64(sp.OutstandingBytes)
			now += step
			data := rng.IntN(3) == 0
			p := &conn.Packet{Seg: &packet.Segment{}, SubflowDir: &conn.SubflowDir{From: conn.A}}
			if rng.IntN(2) == 0 {
				sp.OutstandingSegments = int64(rng.IntN(10))
				sp.OutstandingBytes = 1000 * sp.OutstandingSegments
			}
			if data {
				if !d.anchored {
					d.anchor(now)
				}
				if first == 0 {
					first, area = now, 0
				}
				p.TCP.Sent.Range.End = 1
				last, areaAtLast = now, area
			}
			q.settled(p, now)
			if data {
				most = max(most, float64(q.level.bytes))
			}
		}
		q.close(0)
		near(t, "mean", q.Bytes.Mean(), areaAtLast/float64(last-first))
		near(t, "segments", q.Segments.Dist().Mean(), areaAtLast/1000/float64(last-first))
		if q.Bytes.Max() < most {
			t.Errorf("seed %d: at most %v bytes, want %v or more", seed, q.Bytes.Max(), most)
		}
	}
}

// TestQueueWithoutTime: B receives one data segment of 512 bytes. The time from the first to
// the last data segment is 0, so there is no average over it. With a second segment 50 ms
// later there is one: 512 bytes wait for 20 of 50 ms.
func TestQueueWithoutTime(t *testing.T) {
	for _, two := range []bool{false, true} {
		s, f := onePath(tracegen.Config{Version: 1})
		x := f.Data(tracegen.A2B, 100*msec, 0, 512)
		f.Ack(tracegen.B2A, x.ArrivesAt()+20*msec)
		if two {
			f.Data(tracegen.A2B, 150*msec, 512, 512)
			f.Ack(tracegen.B2A, 180*msec)
		}
		_, dir := reported(measure(t, s, tracegen.HostB, Config{Interval: 100 * msec}).Connection, conn.A)
		reasons := dir["unavailable"].(map[string]any)
		for name, unit := range map[string]float64{"hol_queue_bytes": 512, "hol_queue_segments": 1} {
			switch queue, there := dir[name].(map[string]any); {
			case !two && (there || reasons[name] != noSpan):
				t.Errorf("%s is %v over no time, because %q", name, dir[name], reasons[name])
			case two && !there:
				t.Errorf("%s is absent, because %q", name, reasons[name])
			case two:
				near(t, name, queue["avg"].(float64), unit*20/50)
			}
		}
	}
}
