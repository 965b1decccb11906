package account

import (
	"slices"
	"testing"
)

// TestFilled: rounds of 60 ms and 10 segments; the least round trip is 30 ms. The fourth round is the first of which the rate
// is known.
func TestFilled(t *testing.T) {
	type round struct{ bytes, floor int64 }
	same := func(n int, bytes, floor int64) []round { return slices.Repeat([]round{{bytes, floor}}, n) }
	for _, x := range []struct {
		name   string
		rounds []round
		want   spans // in rounds
		deep   spans
	}{
		{"twice the least", same(6, 10e3, 60*ms), spans{{3, 6}}, nil},
		{"less", same(6, 10e3, 60*ms-1), nil, nil},
		{"not known", same(6, 10e3, 0), nil, nil},
		{"four times the least", same(6, 10e3, 120*ms), spans{{3, 6}}, spans{{3, 6}}},
		{"less than that", same(6, 10e3, 120*ms-1), spans{{3, 6}}, nil},
		{"three rounds", same(3, 10e3, 60*ms), nil, nil},
		{"8 segments", same(6, 8000, 60*ms), spans{{3, 6}}, nil},
		{"a byte less", same(6, 7999, 60*ms), nil, nil},
		{"ACKs in batches", []round{{30e3, 60 * ms}, {0, 0}, {11e3, 60 * ms}, {19e3, 60 * ms}, {30e3, 60 * ms}, {0, 0}, {10e3, 60 * ms}}, spans{{3, 5}, {6, 7}}, nil},
		{"a longer route: half the rate", slices.Concat(same(4, 40e3, 30*ms), same(6, 20e3, 60*ms)), spans{{4, 6}}, nil},
		{"three quarters of the rate", slices.Concat(same(4, 40e3, 30*ms), same(6, 30e3, 60*ms)), spans{{4, 10}}, nil},
		{"less than that rate", slices.Concat(same(4, 40e3, 30*ms), same(6, 30e3-1, 60*ms)), spans{{4, 7}}, nil},
	} {
		var got filled
		for i, r := range x.rounds {
			got.round(60*ms*int64(i), 60*ms*int64(i+1), r.bytes, r.floor, 30*ms, segment)
		}
		for _, l := range []struct{ got, want spans }{{got.spans, x.want}, {got.deep, x.deep}} {
			for i := range l.got {
				l.got[i].from, l.got[i].to = l.got[i].from/(60*ms), l.got[i].to/(60*ms)
			}
			if !slices.Equal(l.got, l.want) {
				t.Errorf("%s: %v, want %v", x.name, l.got, l.want)
			}
		}
	}
}

// TestFilledYields: flights of 40 ms. The round trip of 40 ms is twice, or four times, the least one. What holds the sender back
// then is the path; a pause of the application stays its own, and so does a repair, at less than four times.
func TestFilledYields(t *testing.T) {
	floor := func(least float64) event {
		return event{do: func(_ *play, s *path, _ event, _ int64) { s.least, s.floor = least, 40 }}
	}
	tens := func(at float64, n int) []event { return flights(at, alternate(n, 10e3, 10e3)...) }
	lost := slices.Insert(tens(260, 8), 1, again(270))
	for _, x := range []struct {
		name   string
		events []event
		want   times
	}{
		{"congestion_window, at less", slices.Concat([]event{floor(20.001)}, flights(100, alternate(12, 10e3, 8e3)...)), times{SlowStart: 40, Path: 200, CongestionWindow: 200, Application: 40}},
		{"congestion_window", slices.Concat([]event{floor(20)}, flights(100, alternate(12, 10e3, 8e3)...)), times{SlowStart: 40, Path: 360, CongestionWindow: 40, Application: 40}},
		{"recovery, at less", slices.Concat([]event{floor(10.001)}, tens(100, 4), lost), times{SlowStart: 40, Path: 130 + 6*40, Recovery: 30, Application: 40}},
		{"recovery, and the last flight", slices.Concat([]event{floor(10)}, tens(100, 4), lost), times{SlowStart: 40, Path: 120 + 8*40}},
		{"application", slices.Concat([]event{floor(20)}, tens(100, 5), []event{send(300, 13), ack(340, 12), send(400, 12), ack(440, 13)}), times{SlowStart: 40, Path: 160, Application: 140}},
	} {
		check(t, x.name, x.events, x.want)
	}
}

// TestFilledAtReceiver: a segment arrives each millisecond, the first without delay, the others after one. The least round trip is
// 40 ms, the clocks may drift by 0.1 ms, and no receive window is known, so that it takes four times the least round trip. From the fourth round of 60 ms on it shows.
func TestFilledAtReceiver(t *testing.T) {
	for _, x := range []struct {
		delay int64
		timed bool
		want  bool
	}{{121, true, true}, {119, true, false}, {121, false, false}} {
		r, s, ended := &Remote{AtReceiver: true}, &Subflow{}, int64(0)
		r.Open(0, s, ms, &ended)
		for i := range int64(1000) {
			n, e := (i+1)*segment, &Data{New: true, Bytes: segment, Segment: segment, SRTT: 60 * ms, LeastRTT: 40 * ms, RTO: 260 * ms, Timed: x.timed}
			if e.Nxt, e.DataEnd, e.RcvNxt, e.SndNxt, e.Outstanding = n, n, n, n, segment; i > 0 {
				e.Delay = x.delay * ms
			}
			r.Data(0, (100+i)*ms, e)
			r.Ack(0, (100+i)*ms, &Ack{Una: n, Nxt: n, RTO: 260 * ms})
		}
		r.Close()
		if got := s.Times[Path] > 700*ms; got != x.want || !got && s.Times[Path] != 0 {
			t.Errorf("%+v: %v", x, s.Times)
		}
	}
}
