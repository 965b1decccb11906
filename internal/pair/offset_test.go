package pair

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/tracegen"
)

// uploadOver scripts an upload of a packet each 20 ms for four seconds over paths with
// these delays in each direction.
func uploadOver(paths ...[2]time.Duration) views {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	for i, delay := range paths {
		at := path(1 + i)
		at.Delay = delay
		f := s.Subflow(at)
		f.Open(time.Duration(i) * 200 * msec)
		for k := range 200 {
			f.Data(tracegen.A2B, 500*msec+time.Duration(k)*20*msec, int64((k*len(paths)+i)*size), size)
		}
	}
	return capture2(s)
}

// TestOffsetProven: the offset is corrected if a delay would otherwise be negative, and
// only then: a path that takes longer in one direction does not prove an offset.
func TestOffsetProven(t *testing.T) {
	delays := func(forth, back float64) [2]time.Duration {
		return [2]time.Duration{time.Duration(forth * 1e6), time.Duration(back * 1e6)}
	}
	for _, c := range []struct {
		name   string
		paths  [][2]time.Duration
		lead   time.Duration
		mode   clock.Mode
		offset float64 // ms
		off    float64 // the error that is stated as possible, ms
		method string
	}{
		{"one way takes 2.6 ms longer", [][2]time.Duration{delays(12.6, 10)}, 0, clock.Auto, 0, 1.3, "auto: zero"},
		{"the other way does", [][2]time.Duration{delays(10, 10.4)}, 0, clock.Auto, 0, 0.2, "auto: zero"},
		{"the same, to be estimated", [][2]time.Duration{delays(12.6, 10)}, 0, clock.Offset, 1.3, 0.1, "least delays of packets without payload in both directions of 10.0.1.1-10.9.9.9"},
		{"a lead below the delays", [][2]time.Duration{delays(10, 10)}, 5 * msec, clock.Auto, 0, 5, "auto: zero"},
		{"a lead above the delays", [][2]time.Duration{delays(10, 10)}, 12 * msec, clock.Auto, 12, 0.1, "least delays of packets without payload in both directions of 10.0.1.1-10.9.9.9"},
		{"a lag above the delays", [][2]time.Duration{delays(10, 10)}, -12 * msec, clock.Auto, -12, 0.1, "least delays of packets without payload"},
		{"a lead above the delays of one path", [][2]time.Duration{delays(30, 30), delays(5, 5)}, 12 * msec, clock.Auto, 12, 0.05, "least delays of packets without payload in both directions of 10.0.2.1-10.9.9.9"},
		// Between the least delays, 27 and -7 ms on the first path, lie 17 ms of lead; on the second, no lead above its 13 ms is possible.
		{"another path contradicts", [][2]time.Duration{delays(15, 5), delays(1, 60)}, 12 * msec, clock.Auto, 13, 4, "least delays of packets without payload in both directions of 10.0.1.1-10.9.9.9; moved by 4.000 ms"},
		{"two paths that differ", [][2]time.Duration{delays(12.6, 10), delays(20, 16)}, 0, clock.Auto, 0, 1.3, "auto: "},
	} {
		v := uploadOver(c.paths...)
		v.shift(func(time.Duration) time.Duration { return c.lead })
		k := match(t, v, Options{RoughLead: int64(c.lead)}).Clock(c.mode)
		if math.Abs(k.OffsetMS-c.offset) > 1e-6 || !strings.HasPrefix(k.Method, c.method) {
			t.Errorf("%s: offset %v ms by %q, want %v by %q", c.name, k.OffsetMS, k.Method, c.offset, c.method)
		}
		if k.Uncertainty < c.off || k.Bound < k.Uncertainty {
			t.Errorf("%s: an error of %v ms within %v is stated, want %v at least", c.name, k.Uncertainty, k.Bound, c.off)
		}
	}
}

// TestNoOffset: a path of 10 ms each way. If the receiver's capture shows data 15 ms too early, the least lead with which no delay is negative is -5 ms, as
// packets without payload show no lead. If it shows the data 25 ms too early, the directions add up to -5 ms, and no lead is possible. Times that are trusted
// are not compared.
func TestNoOffset(t *testing.T) {
	for _, c := range []struct {
		early   time.Duration
		mode    clock.Mode
		offset  float64
		unknown bool
	}{
		{15 * msec, clock.Auto, -5, false},
		{25 * msec, clock.Auto, 0, true},
		{25 * msec, clock.Offset, 0, true},
		{25 * msec, clock.Drift, 0, true},
		{25 * msec, clock.None, 0, false},
	} {
		v := uploadOver([2]time.Duration{10 * msec, 10 * msec})
		for i := range v[AtReceiver] {
			if p := &v[AtReceiver][i]; p.Src == path(1).A && p.PayloadLen > 0 {
				p.Time -= int64(c.early)
			}
		}
		slices.SortStableFunc(v[AtReceiver], func(a, b tracegen.Packet) int { return cmp.Compare(a.Time, b.Time) })
		k := match(t, v, Options{CorrectDrift: c.mode != clock.None}).Clock(c.mode)
		if k.Unknown != c.unknown || math.Abs(k.OffsetMS-c.offset) > 1e-6 {
			t.Errorf("%v early, mode %d: offset %v ms, unknown %v; want %v, %v", c.early, c.mode, k.OffsetMS, k.Unknown, c.offset, c.unknown)
		}
		if k.Unknown && (k.DriftPPM != 0 || k.StepMS != 0 || k.Nothing != "the least delays of both directions add up to less than nothing") {
			t.Errorf("%v early: %+v", c.early, k)
		}
	}
}

// TestOddDelay: one delay of many is 13 ms too short, as if a capture missed the packet and
// a copy was matched in its place. The clocks agree, and no offset is found.
func TestOddDelay(t *testing.T) {
	v := uploadOver([2]time.Duration{10 * msec, 10 * msec})
	p := match(t, v, Options{})
	begin := p.Clock(clock.None).Start
	f, _ := one(t, p)
	odd := p.path(f.ID[AtSender].Ends).clock
	odd.PureAck(AtReceiver, begin+3e9, -3e6, false)
	if k := p.Clock(clock.Auto); k.OffsetMS != 0 {
		t.Errorf("offset %v ms by %q", k.OffsetMS, k.Method)
	}
	odd.PureAck(AtReceiver, begin+4e9, -3e6, false)
	if k := p.Clock(clock.Auto); k.OffsetMS == 0 {
		t.Errorf("two negative delays prove nothing: %q", k.Method)
	}
}

// TestSamplesOfDrift: if a drift is corrected, as many delays count as without: packets,
// ACKs, and parts of data, not their bytes.
func TestSamplesOfDrift(t *testing.T) {
	v := long()
	v.shift(func(at time.Duration) time.Duration { return at * 80 / 1e6 })
	p := match(t, v, Options{CorrectDrift: true})
	k := p.Clock(clock.Auto)
	if k.DriftPPM == 0 {
		t.Fatal("no drift")
	}
	f, d := one(t, p)
	_, conns := p.Results()
	for name, x := range map[string]*clock.Delays{
		"packets": &d.OWD, "ACKs": &f.Dirs[conn.B].AckOWD, "data": &conns[0].Dirs[conn.A].Delivery,
	} {
		got, _ := k.Correct(x)
		if n := x.Raw.N(); n < 3000 || got.N() != n {
			t.Errorf("%s: %d delays without the drift, %d with it", name, got.N(), n)
		}
	}
}
