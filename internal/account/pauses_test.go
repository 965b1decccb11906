package account

import (
	"cmp"
	"slices"
	"testing"
)

// TestPauseBySegments: of ten segments of 100 ms some are acknowledged at 140 ms; new data leaves
// later, and everything is acknowledged at 180 ms. What lies behind the last new data is the
// application's. One pause alone cannot vote: it is undetermined if an ACK woke the sender, else
// the application's. What is no pause is slow start up to the first ACK, which ends the first round.
func TestPauseBySegments(t *testing.T) {
	for _, x := range []struct {
		name   string
		events []event
		left   int64 // bytes that are acknowledged at 180 ms
		want   times
	}{
		{"a byte less than three segments", []event{free(140, 2999), send(150, 1)}, 8001, times{SlowStart: 40, CongestionWindow: 10, Application: 30}},
		{"three segments", []event{free(140, 3000), send(150, 1)}, 8000, times{Application: 80}},
		{"three ACKs of less", []event{free(120, 900), free(130, 900), free(140, 900), send(150, 1)}, 8300, times{SlowStart: 30, CongestionWindow: 20, Application: 30}},
		{"three segments of late", []event{free(140, 2000), free(149.6, 1000), send(150, 1)}, 8000, times{SlowStart: 40, CongestionWindow: 10, Application: 30}},
		{"half a millisecond ago", []event{free(140, 2000), free(149.5, 1000), send(150, 1)}, 8000, times{Undetermined: 50, Application: 30}},
		{"later ACKs", []event{free(140, 3000), free(149.9, 1000), send(150, 1)}, 7000, times{Undetermined: 50, Application: 30}},
		{"answered at once", []event{free(140, 3000), send(140.4, 1)}, 8000, times{SlowStart: 40, CongestionWindow: 0.4, Application: 39.6}},
		{"woken", []event{free(140, 3000), send(140.5, 1)}, 8000, times{Undetermined: 40.5, Application: 39.5}},
		{"not woken", []event{free(140, 3000), send(140.6, 1)}, 8000, times{Application: 80}},
		{"acknowledged before new data", []event{free(120, 2000), send(121, 1), free(140, 2000), send(150, 1)}, 8000, times{SlowStart: 20, CongestionWindow: 30, Application: 30}},
		{"data of the peer, the rest is outstanding", []event{free(140, 3000), peer(140), send(140.5, 1)}, 8000, times{Undetermined: 40.5, Application: 39.5}},

		{"Nagle", []event{ack(140, 3), ack(141, 1), write(141.5, 899), send(150, 1)}, 7899, times{Application: 80}},
		{"9/10 of a segment", []event{ack(140, 3), ack(141, 1), write(141.5, 900), send(150, 1)}, 7900, times{Undetermined: 41.5, CongestionWindow: 8.5, Application: 30}},
		{"long after the ACK", []event{ack(140, 3), ack(141, 1), write(141.6, 899), send(150, 1)}, 7899, times{Application: 41.6 + 30, CongestionWindow: 8.4}},
		{"data within 1 ms after it", []event{ack(140, 3), ack(141, 1), write(141.5, 899), send(142.5, 1)}, 7899, times{Undetermined: 41.5, CongestionWindow: 1, Application: 37.5}},
		{"data more than 1 ms after it", []event{ack(140, 3), ack(141, 1), write(141.5, 899), send(142.6, 1)}, 7899, times{Application: 80}},
		{
			"data within 1 ms before it",
			[]event{ack(140, 3), send(140.8, 1), ack(141.2, 3), ack(141.5, 1), write(141.8, 899), send(150, 1)},
			5899,
			times{Application: 40.8 + 30, Undetermined: 1, CongestionWindow: 8.2},
		},
		{
			"data more than 1 ms before it",
			[]event{ack(140, 3), send(140.8, 1), ack(141.2, 3), ack(141.5, 1), write(141.9, 899), send(150, 1)},
			5899,
			times{Application: 80},
		},
	} {
		check(t, x.name, slices.Concat([]event{send(100, 10)}, x.events, []event{free(180, x.left)}), x.want)
	}
}

// TestPauseByNothingInFlight: the one segment of 100 ms is acknowledged at 140 ms. The next one leaves
// soon after, and is acknowledged 40 ms later. It answers an ACK, or another packet of the receiver,
// if that came half a millisecond before, and nothing was outstanding for 1 ms at most. It is an
// answer of the application if data of the peer came in the last quarter of the pause, and none
// before.
func TestPauseByNothingInFlight(t *testing.T) {
	for _, x := range []struct {
		name   string
		events []event
		idle   float64
		state  State
	}{
		{"shorter", nil, 0.4, SlowStart},
		{"half a millisecond", nil, 0.5, Undetermined},
		{"longer", nil, 0.6, Application},
		{"idle for 1 ms", []event{answer(140.6)}, 1, Undetermined},
		{"idle for more", []event{answer(140.7)}, 1.1, Application},
		{"the peer in the third quarter: 3/4 of 40.5 ms are 30.375 ms", []event{peer(130.37)}, 0.5, Undetermined},
		{"the peer in the last quarter", []event{peer(130.38)}, 0.5, Application},
		{"the peer twice", []event{peer(110), peer(135)}, 0.5, Undetermined},
	} {
		end := 140 + x.idle
		events := append([]event{send(100, 1), ack(140, 1), send(end, 1), ack(end+40, 1)}, x.events...)
		slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
		want := times{Idle: x.idle, Application: 40}
		want[x.state] += 40
		check(t, x.name, events, want)
	}
}

// TestWokenByAnotherSubflow: subflow 0 pauses from 100 ms on. What ends that follows an ACK of
// subflow 1, or data of it that did. The round trip of 60 ms is longer than subflow 1 is busy, so that
// the scheduler has no part.
func TestWokenByAnotherSubflow(t *testing.T) {
	for _, x := range []struct {
		name   string
		events []event
		want   times
	}{
		{"an ACK half a millisecond ago", []event{on(1, ack(149.5, 1)), send(150, 1)}, times{Undetermined: 50, Application: 30}},
		{"an ACK before", []event{on(1, ack(149.4, 1)), send(150, 1)}, times{Application: 80}},
		{"data 1 ms ago", []event{on(1, ack(148.5, 1)), on(1, send(149, 1)), send(150, 1)}, times{Undetermined: 50, Application: 30}},
		{"data before", []event{on(1, ack(148.5, 1)), on(1, send(148.9, 1)), send(150, 1)}, times{Application: 80}},
		{"data that followed no ACK", []event{on(1, ack(148.4, 1)), on(1, send(149, 1)), send(150, 1)}, times{Application: 80}},
	} {
		more := int64(len(x.events)) - 2 // sent on subflow 1
		check(t, x.name, slices.Concat(
			[]event{trip(60, 60, 240), send(100, 10), on(1, send(100, 10)), ack(140, 3)}, x.events,
			[]event{on(1, ack(180, 9+more)), ack(180, 8)},
		), x.want, nil, nil)
	}
}

// pauseRow returns pauses of 100 ms each, from 100 ms on. In each three segments are acknowledged; one
// stays outstanding. Those of woken end 0.2 ms after a packet of the receiver.
func pauseRow(woken []bool) []event {
	events := []event{send(100, 4)}
	at := 100.0
	for _, is := range woken {
		if events = append(events, ack(at+40, 3)); is {
			events = append(events, answer(at+99.8))
		}
		at += 100
		events = append(events, send(at, 3))
	}
	return append(events, ack(at+40, 4))
}

// some are n pauses; those from from to to are woken.
func some(n, from, to int) []bool {
	woken := make([]bool, n)
	for i := from; i < to; i++ {
		woken[i] = true
	}
	return woken
}

// TestVotes: of the 16 pauses around one, 8 before it and 7 behind it, 10 are woken; at the ends the
// first or the last 16. The last 40 ms, behind the last data, are the application's.
func TestVotes(t *testing.T) {
	for _, x := range []struct {
		name  string
		woken []bool
		want  times
	}{
		{"too few", some(7, 0, 7), times{Undetermined: 700, Application: 40}},
		{"too few, three woken", some(7, 2, 5), times{Undetermined: 300, Application: 400 + 40}},
		{"eight, five are 10 of 16", some(8, 0, 5), times{Window: 800, Application: 40}},
		{"eight, four are not", some(8, 0, 4), times{Application: 800 + 40}},
		{"ten of 16", some(16, 6, 16), times{Window: 1600, Application: 40}},
		{"nine of 16", some(16, 0, 9), times{Application: 1600 + 40}},
		{"pause i has 16-(i-8) woken ones around it, 10 up to pause 14", some(32, 0, 16), times{Window: 1500, Application: 1700 + 40}},
		{"pause i has i-8 woken ones around it, 10 from pause 18 on", some(32, 16, 32), times{Window: 1400, Application: 1800 + 40}},
		{"50-(i-8) up to pause 48", some(100, 0, 50), times{Window: 4900, Application: 5100 + 40}},
		{"i+7-199 from pause 202 on", some(300, 200, 300), times{Window: 9800, Application: 20200 + 40}},
	} {
		check(t, x.name, pauseRow(x.woken), x.want)
	}
}

// TestNoVote: of 16 pauses the first ten are woken. If the one of 1700 ms, which is not, had a vote, the
// pauses from the tenth on would have nine around them. A copy of outstanding data and a receive
// window that has no room for more than half of the pause take its vote. It goes to the state of
// the others, or if it ends with a copy, to the timeout.
func TestNoVote(t *testing.T) {
	window := pauseRow(some(16, 0, 10))
	window = window[:len(window)-1] // four segments stay outstanding
	for _, x := range []struct {
		name   string
		events []event
		want   times
	}{
		{"a copy ends it", []event{ack(1740, 3), again(1800), ack(1840, 1)}, times{Window: 1600, Recovery: 100 + 40}},
		{"with a copy in it", []event{ack(1740, 2), again(1800), ack(1840, 1), send(1900, 1), ack(1940, 2)}, times{Window: 1600 + 100, Recovery: 140}},
		{"new data after a copy", []event{ack(1740, 3), again(1800), ack(1840, 1), send(1900, 1), ack(1940, 1)}, times{Window: 1600, Recovery: 140, Idle: 60, Application: 40}},
		{"more than half of it the window is full", []event{full(1730, true), ack(1740, 3), full(1790, false), send(1800, 1), ack(1840, 2)}, times{Window: 1640, Rwnd: 60, Application: 40}},
		{"half of it", []event{ack(1740, 3), full(1740, true), full(1790, false), send(1800, 1), ack(1840, 2)}, times{Window: 900, Rwnd: 50, Application: 700 + 50 + 40}},
	} {
		check(t, x.name, slices.Concat(window, x.events), x.want)
	}
}

// TestRefill: each 100 ms two segments leave, and one more after a gap. In what follows three are
// acknowledged: a pause, which a packet of the receiver ends. The gap between two pauses is the send
// buffer's if it is no longer than the round trip of 40 ms. The first gap comes before all
// pauses.
func TestRefill(t *testing.T) {
	for gap, state := range map[float64]State{40: Window, 40.1: CongestionWindow} {
		events := []event{send(100, 4)}
		for at := 100.0; at < 900; at += 100 {
			events = append(events, send(at+gap, 1), ack(at+60, 3), answer(at+99.8), send(at+100, 2))
		}
		want := times{SlowStart: gap, Window: 8 * (100 - gap), Application: 40}
		want[state] += 7 * gap
		check(t, "refill", append(events, ack(940, 4)), want)
	}
}

// TestScheduler: subflow 0 pauses from 100 to 300 ms. Subflow 1 sends from 200 ms on, answers an ACK
// in between, and pauses after that. Its business is the scheduler's if it is longer than the round
// trip of 40 ms. A pause that is mostly the scheduler's is the application's for the rest; one of which half is
// may have been woken.
func TestScheduler(t *testing.T) {
	for _, x := range []struct {
		name   string
		from   float64 // of its business
		busy   float64
		events []event
		want   times
	}{
		{"as long as the round trip", 200, 40, nil, times{Application: 200}},
		{"longer", 200, 40.1, nil, times{Scheduler: 40.1, Application: 159.9}},
		{"half of the pause", 150, 100, []event{answer(299.8)}, times{Scheduler: 100, Undetermined: 100}},
		{"more than half", 150, 100.1, []event{answer(299.8)}, times{Scheduler: 100.1, Application: 99.9}},
	} {
		end := x.from + x.busy
		x.want[Application] += 100 + 40
		check(t, x.name, slices.Concat(
			[]event{send(100, 10), ack(140, 9)},
			[]event{on(1, send(x.from, 4)), on(1, ack(x.from+10, 2)), on(1, send(x.from+10, 2)), on(1, ack(end, 2)), on(1, send(end, 2)), on(1, ack(end+1, 3))},
			x.events,
			[]event{send(300, 1), ack(340, 2), on(1, send(400, 1)), on(1, ack(440, 2))},
		), x.want, nil, nil)
	}
}
