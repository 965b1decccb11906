package metrics

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/tracegen"
)

// TestSegmentsWithoutSYN: A sends super-segments of 20,000 and 500 bytes. Where the SYN/ACK
// was captured its MSS counts; where no SYN was captured the assumed one counts, not each
// packet as one segment.
func TestSegmentsWithoutSYN(t *testing.T) {
	for _, withSYN := range []bool{true, false} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		f := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80"), MSS: 1000})
		mss := int64(subflow.DefaultMSS)
		if withSYN {
			f.Open(0)
			mss = 1000
		} else {
			f.Assume()
		}
		var want int64
		count := func(p *tracegen.Packet) {
			room := mss - int64((len(p.Options)+3)&^3)
			want += (int64(len(p.Payload)) + room - 1) / room
		}
		x := f.Data(tracegen.A2B, 100*msec, 0, 20000).Edit(count)
		f.Data(tracegen.A2B, 101*msec, 20000, 500).Edit(count)
		f.Ack(tracegen.B2A, x.ArrivesAt())
		s.Packets(tracegen.HostA) // plays, so that want is known
		assert.Assert(t, want >= 15, "%d segments: no packet has several", want)
		sub, dir := reported(measure(t, s, tracegen.HostA, Config{Interval: 100 * msec}).Connection, conn.A)
		if sub["segments"] != float64(want) || dir["segments"] != float64(want) || sub["captured_segments"] != 2. {
			t.Errorf("SYN captured %v: %v and %v segments, want %d; %v captured, want 2", withSYN, sub["segments"], dir["segments"], want, sub["captured_segments"])
		}
	}
}
