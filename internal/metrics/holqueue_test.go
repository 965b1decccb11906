package metrics

import (
	"math/rand/v2"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// TestQueueWeighs compares the queue with the integral of its level over the time from the
// first data segment to the last.
func TestQueueWeighs(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		d := bare(Config{}).Dir(conn.A)
		d.role = Receiver
		q, sp := d.meter(holQueueUnit.slot).(*HoLQueue), d.space
		now, area, first, last, areaAtLast, most := int64(1e9), 0.0, int64(0), int64(0), 0.0, 0.0
		for range 2000 {
			step := int64(1 + rng.IntN(1000))
			area += float64(step) * float64(sp.OutstandingBytes)
			now += step
			data := rng.IntN(3) == 0
			p := &conn.Packet{Seg: &packet.Segment{}, Direction: &conn.Direction{From: conn.A}}
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
				p.Seg.PayloadLen = 1
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
