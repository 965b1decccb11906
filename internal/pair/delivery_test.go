package pair

import (
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/tracegen"
)

// TestFirstTransmissionMissed: the sender's capture misses the first transmission of packet
// 30, which is sent at 130 ms and arrives at 140. It has a copy, on the other subflow or on
// the same. A copy sent at 160 ms would have taken -20 ms, one at 136 ms 4 ms, and no
// packet takes less than 10: then the delay is not known. A copy at 130 ms can be what
// arrived.
func TestFirstTransmissionMissed(t *testing.T) {
	for _, c := range []struct {
		name  string
		copy  time.Duration
		same  bool
		lead  time.Duration // of the receiver's clock
		want  int64
		least float64
	}{
		{"reinjection when it has arrived", 160 * msec, false, 0, size, 10},
		{"retransmission when it has arrived", 160 * msec, true, 0, size, 10},
		{"reinjection on its heels", 136 * msec, false, 0, size, 10},
		{"reinjection at once", 130 * msec, false, 0, 0, 10},
		{"clocks apart", 160 * msec, false, 500 * msec, size, 510},
		{"clocks apart the other way", 160 * msec, false, -500 * msec, size, -490},
	} {
		s, f, sent := upload(50)
		g := s.Subflow(path(2))
		g.Open(50 * msec)
		if c.same {
			sent[30].Again(c.copy)
		} else {
			g.Data(tracegen.A2B, c.copy, 30*size, size)
		}
		v := capture2(s)
		zero, port := v[AtSender][0].Time, f.Path().A.Port()
		v[AtSender] = slices.DeleteFunc(v[AtSender], func(p tracegen.Packet) bool {
			return p.WirePayload() > 0 && time.Duration(p.Time-zero) == 130*msec && p.Src.Port() == port
		})
		v.shift(func(time.Duration) time.Duration { return c.lead })
		p := match(t, v, Options{})
		_, conns := p.Results()
		d := conns[0].Dirs[conn.A]
		assert.Check(t, d.Unmatched == c.want && d.OneSided == c.want,
			"%s: %d bytes without a delay, %d shown by one capture alone, want %d", c.name, d.Unmatched, d.OneSided, c.want)
		trusted := p.Clock(clock.None)
		dist, shift := trusted.Correct(&d.Delivery)
		assert.Check(t, is.Equal(shift+dist.Min(), c.least), "%s: the least delay, ms", c.name)
	}
}
