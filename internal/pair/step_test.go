package pair

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
	"time"

	"mpanalyze/internal/tracegen"
)

// TestHostDelayIsNoStep: from 0.25 s on the packets of A wait 5 ms in its host,
// behind their timestamps and before the capture, as in a queue that fills
// early in a transfer. The delays between the captures do not change: no clock
// was set.
func TestHostDelayIsNoStep(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(1))
	f.Open(0)
	for i := range 2400 {
		f.Data(tracegen.A2B, 100*msec+time.Duration(i)*5*msec, int64(i*size), size)
	}
	v := capture2(s)
	for e := range v {
		for i := range v[e] {
			if p := &v[e][i]; len(p.Payload) == size && p.Seq-path(1).ISN[0] > 30*size {
				lateStamp(p, 5)
			}
		}
	}
	p := match(t, v, Options{Drift: true})
	seen := 0
	for _, v := range p.clock.voices {
		seen += len(v.jumps)
	}
	if k := p.Clock(Auto); seen == 0 || k.StepMS != 0 || k.OffsetMS != 0 || k.Warning() != "" {
		t.Errorf("%d jumps of timestamps; step %v ms at %v s, offset %v ms: %s", seen, k.StepMS, k.StepS, k.OffsetMS, k.Warning())
	}
}

// lateStamp makes the timestamp of a packet older by so many ticks.
func lateStamp(p *tracegen.Packet, ticks uint32) {
	p.Options = bytes.Clone(p.Options)
	at := bytes.Index(p.Options, []byte{8, 10}) + 2
	binary.BigEndian.PutUint32(p.Options[at:], binary.BigEndian.Uint32(p.Options[at:])-ticks)
}

// TestSmallStep: a step of less than 2 ms is not told from what else moves
// delays; one of more is.
func TestSmallStep(t *testing.T) {
	for _, by := range []time.Duration{1500 * time.Microsecond, 2500 * time.Microsecond, -2500 * time.Microsecond} {
		v := long()
		v.shift(func(at time.Duration) time.Duration {
			if at > 30*time.Second {
				return by
			}
			return 0
		})
		want := 0.0
		if by != 1500*time.Microsecond {
			want = ms(int64(by))
		}
		if k := match(t, v, Options{Drift: true}).Clock(Auto); math.Abs(k.StepMS-want) > 0.01 {
			t.Errorf("a clock set by %v: step %v ms, want %v", by, k.StepMS, want)
		}
	}
}
