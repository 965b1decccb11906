package clock

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

// session plays packets of both hosts for 20 s, one each 5.1 ms, which take 10 ms. A host's clock is ahead
// by lead, ns, at a time. TCP timestamps in ms tell of it, if the host writes some.
func session(timestamps [2]bool, lead func(at End, now int64) int64) (*Estimator, *[2]Delays) {
	e := New(0, true)
	p := e.NewPath([2][16]byte{})
	var clocks [2]TSClock
	var delays [2]Delays
	for from := range delays {
		delays[from] = e.NewDelays(End(from), 0, false)
	}
	for now := int64(1e9); now < 21e9; now += 5.1e6 {
		for from := range clocks {
			at, to := End(from), End(from).Other()
			const took = int64(10e6)
			sent, arrived := now+lead(at, now), now+took+lead(to, now+took)
			if timestamps[at] {
				clocks[at].Observe(e, at, sent, uint32(now/1e6))
			}
			p.PureAck(at, arrived, arrived-sent, true)
			delays[at].Add(arrived, arrived-sent, 1)
		}
	}
	return e, &delays
}

// setAfter8s is the lead of a clock that is set by so many ns after 8 s.
func setAfter8s(at End, by int64) func(host End, now int64) int64 {
	return func(host End, now int64) int64 {
		if host == at && now > 9e9 {
			return by
		}
		return 0
	}
}

// TestStep: a clock that is set by 25 ms after 8 s is found, with and without TCP
// timestamps, whichever clock it is, and taken out of all delays: they take 10 ms.
func TestStep(t *testing.T) {
	for _, timestamps := range [][2]bool{{}, {true, true}, {true, false}, {false, true}} {
		for at := range End(2) {
			for _, by := range []int64{25e6, -25e6} {
				e, delays := session(timestamps, setAfter8s(at, by))
				want := -at.sign() * ms(by) // of the receiver's lead
				k := e.Estimate(Auto)
				if math.Abs(k.StepMS-want) > 0.01 || math.Abs(k.StepS-8) > 0.2 || k.DriftPPM != 0 {
					t.Errorf("timestamps %v, clock %d set by %v ms: found %v ms at %v s, drift %v ppm", timestamps, at, ms(by), k.StepMS, k.StepS, k.DriftPPM)
				}
				for from := range delays {
					d, shift := k.Correct(&delays[from])
					x := d.Describe()
					low, high := x.Min+shift, x.Max+shift
					if by > 0 {
						high = x.P99 + shift // a packet may arrive between the last one sent before the step and the first after it
					}
					if timestamps[at] && (math.Abs(low-10) > 0.1 || math.Abs(high-10) > 0.1) {
						t.Errorf("timestamps %v, clock %d set by %v ms, packets of %d: delays of %v to %v ms, want 10", timestamps, at, ms(by), from, low, high)
					}
				}
			}
		}
	}
}

// TestSmallStep: in the delays a step of less than 2 ms cannot be told from other changes; a larger one can.
func TestSmallStep(t *testing.T) {
	for _, by := range []int64{1.9e6, 2.1e6, -1.9e6, -2.1e6} {
		e, _ := session([2]bool{}, setAfter8s(AtReceiver, by))
		want := 0.0
		if abs(by) > 2e6 {
			want = ms(by)
		}
		if k := e.Estimate(Auto); math.Abs(k.StepMS-want) > 0.01 {
			t.Errorf("a clock set by %v ms: step %v ms", ms(by), k.StepMS)
		}
	}
}

// TestHostDelayIsNoStep: from 2 s on the packets of one host wait 5 ms in it,
// behind their timestamps and before the capture, as in a queue that fills early
// in a transfer. The delays between the captures stay the same, with queues on the
// path or without: no clock was set. If they change as well, one was.
func TestHostDelayIsNoStep(t *testing.T) {
	for _, queues := range []bool{false, true} {
		for _, set := range []bool{false, true} {
			e := New(0, true)
			p := e.NewPath([2][16]byte{})
			var c TSClock
			for now := int64(1e9); now < 21e9; now += 5.1e6 {
				late, took, lead := int64(0), int64(10e6), int64(0)
				if now > 2.5e9 {
					late = 5e6
				}
				if queues && now/1e9%2 == 1 {
					took += 20e6
				}
				if set {
					lead = late
				}
				c.Observe(e, AtReceiver, now+late, uint32(now/1e6))
				p.FullSized(AtSender, now+took+lead, took+lead)
				p.PureAck(AtReceiver, now+took, took-lead, true)
			}
			k := e.Estimate(Auto)
			assert.Check(t, e.stepInTimestamps().found == set, "queues %v, set %v: the delays do not decide about a jump of the timestamps", queues, set)
			if len(e.tracks[0].jumps) == 0 || (k.StepMS != 0) != set || (k.Warning() != "") != set {
				t.Errorf("queues %v, set %v: %d jumps, step %v ms at %v s: %s", queues, set, len(e.tracks[0].jumps), k.StepMS, k.StepS, k.Warning())
			}
		}
	}
}

// TestDriftOfBoth: delays that show a drift of 60 ppm to a few ppm weigh more than
// timestamps in units of 4 ms that do not contradict them.
func TestDriftOfBoth(t *testing.T) {
	e := New(0, true)
	p := e.NewPath([2][16]byte{})
	var c [2]TSClock
	wait := int64(0)
	for now := int64(1e9); now < 21e9; now += 5.1e6 {
		wait = (wait*1103515245 + 12345) & 0xfffff // up to 1 ms
		gain := (now - 1e9) * 60 / 1e6
		p.FullSized(AtSender, now, 10e6+gain+wait/16)
		p.FullSized(AtReceiver, now, 10e6-gain+wait/16)
		c[AtSender].Observe(e, AtSender, now, uint32(now/4e6))
		c[AtReceiver].Observe(e, AtReceiver, now+gain+3*wait, uint32(now/4e6))
	}
	delays, _ := e.delayRate(&step{})
	timestamps, _ := e.timestampRate(&step{})
	both, want := e.drift(Drift, &step{}, 0), 1e3*combined(delays, timestamps).gain
	if math.Abs(both.ppm-60) > 5 || both.ppm != want || timestamps.sigma < 2*delays.sigma || both.ppm == 1e3*delays.gain {
		t.Errorf("%+v, by the delays alone %+v, by the timestamps %+v", both, delays, timestamps)
	}
	if r := combined(rate{1, 1}, rate{4, 2}); math.Abs(r.gain-1.6) > 1e-12 || math.Abs(r.sigma-1/math.Sqrt(1.25)) > 1e-12 {
		t.Errorf("%+v of 1 +- 1 and 4 +- 2, want 1.6 +- 0.894", r)
	}
}
