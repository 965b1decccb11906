package account

import (
	"slices"
	"testing"
)

// flights are flights of so many bytes each 40 ms from a time on; each leaves when the one before is
// acknowledged.
func flights(at float64, bytes ...int64) (events []event) {
	for i, n := range bytes {
		from := at + 40*float64(i)
		events = append(events, write(from, n), free(from+40, n))
	}
	return events
}

// alternate returns n flights of two sizes in turn.
func alternate(n int, a, b int64) []int64 {
	return slices.Repeat([]int64{a, b}, (n+1)/2)[:n]
}

// TestPlateau: flights of 40 ms. The last one is behind the last new data. The first round is slow
// start; 16 rounds are a plateau, and it counts from the first of them.
func TestPlateau(t *testing.T) {
	stands := times{Window: 600, Application: 40}
	moves := times{SlowStart: 40, CongestionWindow: 560, Application: 40}
	halves := func(early, late, last int64) []int64 {
		return slices.Concat(alternate(8, early, early), alternate(7, late, late), []int64{last})
	}
	for _, x := range []struct {
		name  string
		sizes []int64
		want  times
	}{
		{"16 rounds", alternate(16, 10e3, 10e3), stands},
		{"15 rounds", alternate(15, 10e3, 10e3), times{SlowStart: 40, CongestionWindow: 520, Application: 40}},
		{"within a segment", alternate(16, 5000, 4000), stands},
		{"more than a segment", alternate(16, 5001, 4000), moves},
		{"within an eighth of 88", alternate(16, 88e3, 77e3), stands},
		{"more than an eighth", alternate(16, 88e3, 77e3-1), moves},
		{"means half a segment apart", halves(10e3, 10500, 10500), stands},
		{"means further apart", halves(10e3, 10500, 10501), moves},
		{"lower by half a segment", halves(10500, 10e3, 10e3), stands},
		{"lower by more", halves(10500, 10e3, 10e3-1), moves},
		{"means a fiftieth of 100 apart", halves(100e3, 102e3, 102e3), stands},
		{"means more apart", halves(100e3, 102e3, 102001), moves},
		{"16 of later rounds: after the first, the largest", slices.Concat([]int64{40e3}, alternate(16, 10e3, 10e3)), times{SlowStart: 40, Window: 600, Application: 40}},
		{"it goes on", alternate(40, 10e3, 10e3), times{Window: 39 * 40, Application: 40}},
	} {
		check(t, x.name, flights(100, x.sizes...), x.want)
	}
}

// TestNoPlateau: what ends the rounds that may become a plateau. The sixth flight leaves at 300 ms.
func TestNoPlateau(t *testing.T) {
	flight := func(n int) []event { return flights(300, alternate(n, 10e3, 10e3)...) }
	first := flights(100, alternate(5, 10e3, 10e3)...)
	lost := func(n int) []event { return slices.Insert(flight(n), 1, again(300)) }
	pause := func(n int) []event { return flights(300.6, alternate(n, 10e3, 10e3)...) }
	for _, x := range []struct {
		name   string
		events []event
		want   times
	}{
		{"a copy, 15 rounds with it", lost(15), times{SlowStart: 40, CongestionWindow: 160 + 13*40, Recovery: 40, Application: 40}},
		{"a copy, 16 rounds with it", lost(16), times{SlowStart: 40, CongestionWindow: 160, Window: 14 * 40, Recovery: 40, Application: 40}},
		{"a pause, 15 rounds behind it", pause(15), times{SlowStart: 40, CongestionWindow: 120 + 14*40, Idle: 0.6, Application: 40 + 40}},
		{"a pause, 16 rounds behind it", pause(16), times{SlowStart: 40, CongestionWindow: 120, Window: 15 * 40, Idle: 0.6, Application: 40 + 40}},
	} {
		check(t, x.name, slices.Concat(first, x.events), x.want)
	}
}

// TestPath: the round trip is 40 ms. If that is a tenth and 2 ms above the least one, the path
// is full while the rate of a round is within a tenth of the best of eight. The first round is slow
// start.
func TestPath(t *testing.T) {
	steady := alternate(16, 10e3, 10e3)
	path := times{SlowStart: 40, Path: 560, Application: 40}
	plateau := times{Window: 600, Application: 40}
	for _, x := range []struct {
		name       string
		rtt, least float64
		sizes      []int64
		want       times
	}{
		{"a tenth above", 44, 40, steady, path},
		{"less", 43.9, 40, steady, plateau},
		{"2 ms above", 10, 8, steady, path},
		{"less than 2 ms", 10, 8.1, steady, plateau},
		{"within a tenth of the rate", 40, 20, alternate(16, 10e3, 9001), path},
		{"less in seven rounds", 40, 20, alternate(16, 10e3, 8999), times{SlowStart: 40, Path: 280, CongestionWindow: 280, Application: 40}},
		{"the best rate was seven rounds before", 40, 20, slices.Concat([]int64{20e3}, steady[1:]), times{SlowStart: 40, CongestionWindow: 280, Path: 280, Application: 40}},
	} {
		check(t, x.name, slices.Concat([]event{trip(x.rtt, x.least, 240)}, flights(100, x.sizes...)), x.want)
	}
}

// TestSlowStart: a round that grows by less than a quarter ends it, and so does a loss in it.
func TestSlowStart(t *testing.T) {
	for _, x := range []struct {
		name   string
		events []event
		want   times
	}{
		{"a quarter", flights(100, 8000, 10000, 10000, 20000, 20000), times{SlowStart: 80, CongestionWindow: 80, Application: 40}},
		{"less", flights(100, 8000, 9999, 20000, 20000), times{SlowStart: 40, CongestionWindow: 80, Application: 40}},
		{"a copy", slices.Insert(flights(100, 8000, 10000, 20000, 40000), 3, again(140)), times{SlowStart: 40, Recovery: 40, CongestionWindow: 40, Application: 40}},
		{"a SACK", slices.Insert(flights(100, 8000, 10000, 20000, 40000), 3, sack(160)), times{SlowStart: 40, CongestionWindow: 20 + 40, Recovery: 20, Application: 40}},
	} {
		check(t, x.name, x.events, x.want)
	}
}

// TestDown: two of ten segments are acknowledged at 140 ms, which ends the first round. Nothing comes until
// the end; the sender answers that at once. A silence that is longer than the timeout, and than
// 1 s, is down from the last answer on.
func TestDown(t *testing.T) {
	for _, x := range []struct {
		name             string
		rto, answer, end float64
		down             float64
	}{
		{"1 s", 240, 0, 1140, 0},
		{"more than 1 s", 240, 0, 1141, 1001},
		{"as long as the timeout", 2000, 0, 2140, 0},
		{"more than the timeout", 2000, 0, 2141, 2001},
		{"1 s after a packet that acknowledges nothing", 240, 640, 1640, 0},
		{"more than 1 s after it", 240, 640, 1641, 1001},
		{"more than 1 s before it", 240, 1240, 1640, 1100},
	} {
		events := []event{trip(40, 40, x.rto), send(100, 10), ack(140, 2)}
		if x.answer > 0 {
			events = append(events, answer(x.answer))
		}
		check(t, x.name, append(events, ack(x.end, 8), send(x.end, 1), ack(x.end+40, 1)), times{
			SlowStart: 40, Down: x.down, CongestionWindow: x.end - 140 - x.down, Application: 40,
		})
	}
}

// TestDownToTheEnd: nothing acknowledges the data of 100 ms. The account goes on to the last copy.
func TestDownToTheEnd(t *testing.T) {
	for end, want := range map[float64]times{1100: {CongestionWindow: 300, Recovery: 700}, 1101: {Down: 1001}} {
		check(t, "no answer", []event{send(100, 10), again(400), again(end)}, want)
	}
}

// TestAfterDown: the first flight is followed by one as large, which ends slow start. If the path is
// down for more than 1 s then, slow start begins again. A pause before is
// the timeout's: three segments are acknowledged at 180 ms, and another packet comes 10 ms later.
func TestAfterDown(t *testing.T) {
	flight := []event{send(100, 10), ack(140, 10), send(140, 10)}
	for _, x := range []struct {
		name   string
		events []event
		want   times
	}{
		{"1 s", slices.Concat([]event{ack(1140, 10)}, flights(1140, 13e3, 17e3)), times{SlowStart: 40, CongestionWindow: 1000 + 40, Application: 40}},
		{"more than 1 s", slices.Concat([]event{ack(1141, 10)}, flights(1141, 13e3, 17e3)), times{SlowStart: 80, Down: 1001, Application: 40}},
		{"a pause before", []event{ack(180, 3), answer(190), ack(1191, 7), send(1191, 1), ack(1231, 1)}, times{SlowStart: 40, Recovery: 50, Down: 1001, Application: 40}},
	} {
		check(t, x.name, slices.Concat(flight, x.events), x.want)
	}
}

// TestRecovery: the copy of 120 ms, or the SACK, begins a recovery. It ends when all that was sent
// then is acknowledged: ten segments, and not what left in it.
func TestRecovery(t *testing.T) {
	for _, sign := range []event{again(120), sack(120)} {
		check(t, "recovery", []event{send(100, 10), sign, send(130, 1), free(140, 9999), free(150, 1), sack(160), ack(170, 1)}, times{
			CongestionWindow: 20, Recovery: 30 + 10, Application: 10,
		})
	}
}

// TestRwnd: ten segments of 100 ms fill the receive window. It opens at 200 ms, and data follows. If
// that takes longer than a round trip, the sender had nothing to send. The pause, which nothing
// wakes, is the application's.
func TestRwnd(t *testing.T) {
	for _, x := range []struct {
		name   string
		events []event
		next   float64
		rwnd   float64
	}{
		{"a round trip", []event{full(200, false)}, 240, 100},
		{"longer", []event{full(200, false)}, 240.1, 0},
		{"opened twice", []event{full(200, false), full(220, false)}, 240, 100},
		{"full again within the round trip", []event{full(200, false), full(220, true), full(250, false)}, 260, 150},
		{"full again after it", []event{full(200, false), full(241, true), full(250, false)}, 260, 9},
	} {
		check(t, x.name, slices.Concat(
			[]event{send(100, 10), full(100, true), ack(140, 9)}, x.events, []event{send(x.next, 1), ack(x.next+40, 2)},
		), times{Rwnd: x.rwnd, Application: x.next - 100 - x.rwnd + 40})
	}
}

// TestPlace: which time counts, and for whom, where a subflow is not open all the time.
func TestPlace(t *testing.T) {
	single := []event{}
	for at := 100.0; at < 1100; at += 100 {
		single = append(single, send(at, 3), ack(at+40, 3))
	}
	// Of flights of 40 ms each 100 ms the time from 350 to 750 ms is looked at: four flights, and what lies
	// before each of them.
	look := event{do: func(p *play, _ *path, _ event, _ int64) { p.a.Look(350*ms, 750*ms) }}
	check(t, "a part", append([]event{look}, single...), times{Application: 4 * 40, Idle: 50 + 3*60 + 10})
	// Data leaves 50 ms before the handshake of its subflow is over. The connection has that time.
	late := event{do: func(p *play, s *path, _ event, _ int64) { p.a.Open(0, &s.Subflow, 150*ms, &s.ended) }}
	check(t, "data before the handshake", []event{late, send(100, 10), ack(200, 10), send(200, 1), ack(240, 1)},
		times{SlowStart: 50, Application: 40}, times{CongestionWindow: 50, SlowStart: 50, Application: 40})
	check(t, "a subflow that ends behind all data", []event{send(100, 1), ack(140, 1), finish(200)}, times{Application: 40})
	// Subflow 0 ends at 120 ms with the first data outstanding, and subflow 1 brings it at 340 ms. In
	// between the connection recovers. Subflow 1 has nothing to send before, while subflow 0 is not busy for
	// longer than a round trip.
	carried := func(p *play, s *path, e event, now int64) {
		p.subs[0].una, p.out = p.subs[0].nxt, 0
		acked(e.at, segment, 0, Ack{DataAck: true}).do(p, s, e, now)
	}
	check(t, "a subflow that ended", []event{send(100, 10), finish(120), on(1, payload(300, Data{})), {at: 340, sub: 1, do: carried}},
		times{CongestionWindow: 20}, times{Application: 240}, times{CongestionWindow: 20, Recovery: 220})
	// The first payload makes nothing outstanding.
	check(t, "nothing outstanding", []event{payload(100, Data{New: true}), send(150, 10), acked(190, 11*segment, 10*segment, Ack{DataAck: true})}, times{Idle: 50, Application: 40})
}

// TestBounds: subflow 1 is down from 140 ms on, or sends no more, while subflow 0 sends three segments each
// 100 ms, 6000 times, so that nothing is outstanding for 60 ms after each. These are more times than
// a rule keeps, and more packets than the account waits for. No two times become one.
func TestBounds(t *testing.T) {
	const cycles = 6000
	for _, down := range []bool{true, false} {
		events := []event{on(1, send(100, 4))}
		if events = append(events, on(1, acked(140, 0, 4*segment, Ack{DataAck: true}))); !down {
			events[1] = on(1, ack(140, 4))
		}
		for i := range cycles {
			at := 200 + 100*float64(i)
			events = append(events, send(at, 3), ack(at+40, 3))
		}
		all := times{Application: 40 * (cycles + 1), Idle: 60 * cycles}
		want := []times{all, all, all}
		if down {
			want[1] = times{CongestionWindow: 40, Down: 100 * cycles}
			want[2] = times{CongestionWindow: 40, Application: 40 * cycles, Idle: 60 * cycles}
		}
		check(t, "bounds", events, want...)
	}
}
