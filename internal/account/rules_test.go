package account

import "testing"

// times are the times of states, ms.
type times = map[State]int64

// check plays events and compares times: those of each subflow, and of the connection. With one
// subflow one value stands for both.
func check(t *testing.T, name string, events func(p *play), want ...times) {
	t.Helper()
	p := newPlay(t, max(1, len(want)-1))
	events(p)
	p.a.Close()
	for i, s := range p.subs {
		p.want(name+": subflow", &s.Times, want[i])
	}
	p.want(name+": connection", &p.a.Times, want[len(want)-1])
}

// TestDown: two of ten segments are acknowledged at 140 ms. Nothing comes until the end. A silence
// that is longer than the timeout, and than 1 s, is down from the last answer on. A shorter one is
// not: there is room for two segments, and the application sends none.
func TestDown(t *testing.T) {
	for _, x := range []struct {
		name             string
		rto, answer, end int64
		want             times
	}{
		{"1 s", 240, 0, 1140, times{SlowStart: 40, Application: 1000}},
		{"more than 1 s", 240, 0, 1141, times{SlowStart: 40, Down: 1001}},
		{"as long as the timeout", 2000, 0, 2140, times{SlowStart: 40, Application: 2000}},
		{"more than the timeout", 2000, 0, 2141, times{SlowStart: 40, Down: 2001}},
		{"1 s after a packet that acknowledges nothing", 240, 640, 1640, times{SlowStart: 40, Application: 1500}},
		{"more than 1 s after it", 240, 640, 1641, times{SlowStart: 40, Application: 500, Down: 1001}},
		{"more than 1 s before it", 240, 1240, 1640, times{SlowStart: 40, Down: 1100, Application: 400}},
	} {
		check(t, x.name, func(p *play) {
			p.subs[0].rto = x.rto
			p.send(100, 0, 10)
			p.ack(140, 0, 2)
			if x.answer > 0 {
				p.a.Answer(0, x.answer*ms)
			}
			p.ack(x.end, 0, 8)
		}, x.want)
	}
}

// TestDownToTheEnd: nothing acknowledges the data of 100 ms. The account goes on to the last copy.
func TestDownToTheEnd(t *testing.T) {
	for end, want := range map[int64]times{1100: {CongestionWindow: 300, Recovery: 700}, 1101: {Down: 1001}} {
		check(t, "no answer", func(p *play) {
			p.send(100, 0, 10)
			p.again(400, 0)
			p.again(end, 0)
		}, want)
	}
}

// TestSlowStartAfterDown: the first flight of ten segments is followed by one of ten, which ends slow
// start. If the path is down for more than 1 s then, slow start begins again: the flights of 13 and
// 17 segments belong to it. So it is where a packet that acknowledges nothing ends the silence.
func TestSlowStartAfterDown(t *testing.T) {
	for _, x := range []struct {
		name            string
		silence, answer int64
		want            times
	}{
		{"1 s", 1000, 0, times{SlowStart: 40, CongestionWindow: 1000 + 80}},
		{"more than 1 s", 1001, 0, times{SlowStart: 40 + 80, Down: 1001}},
		{"ended by another packet", 1100, 1200, times{SlowStart: 40 + 40 + 80, Down: 1060}},
	} {
		check(t, x.name, func(p *play) {
			p.flight(100, 40, 10)
			p.send(140, 0, 10)
			if x.answer > 0 {
				p.a.Answer(0, x.answer*ms)
			}
			end := 140 + x.silence
			p.ack(end, 0, 10)
			p.flight(end, 40, 13)
			p.flight(end+40, 40, 17)
		}, x.want)
	}
}

// TestStray: the first payload, at 100 ms, makes nothing outstanding, so that no subflow is known for
// it. Then the data of the subflow is outstanding, from 150 ms until it is acknowledged, at 190 ms. Each
// instant of the 90 ms counts once.
func TestStray(t *testing.T) {
	check(t, "stray", func(p *play) {
		p.stray(100, 0)
		p.flight(150, 40, 10)
	}, times{Idle: 50, SlowStart: 40})
}

// TestLook: of three segments each 100 ms only the time from 350 to 750 ms is looked at: four flights, and
// what lies before each of them.
func TestLook(t *testing.T) {
	check(t, "a part", func(p *play) {
		p.a.Look(350*ms, 750*ms)
		for i := range int64(10) {
			p.flight(100+100*i, 40, 3)
		}
	}, times{Application: 4 * 40, Idle: 50 + 3*60 + 10})
}

// TestEarlyData: data leaves 50 ms before the handshake of its subflow is over. The connection has that time,
// and the subflow has not.
func TestEarlyData(t *testing.T) {
	check(t, "early", func(p *play) {
		p.a.Open(0, &p.subs[0].Subflow, 150*ms, &p.subs[0].ended)
		p.flight(100, 100, 10)
	}, times{SlowStart: 50}, times{CongestionWindow: 50, SlowStart: 50})
}

// TestEndedSubflow: subflow 0 ends at 120 ms with the first data outstanding, and subflow 1 brings it at 340
// ms. In between the connection recovers. Subflow 1 was unused from the beginning.
func TestEndedSubflow(t *testing.T) {
	check(t, "ended", func(p *play) {
		s := p.subs[0]
		p.send(100, 0, 10)
		s.ended = 120 * ms
		p.again(300, 1)
		s.una, p.out = s.nxt, 0
		p.acked(340, 1, 0, &Ack{DataAck: true})
	}, times{CongestionWindow: 20}, times{Scheduler: 200, Recovery: 40}, times{CongestionWindow: 20, Recovery: 220})
}

// TestRecovery lasts from the copy, or the SACK above a hole, at 150 ms, to the ACK of all eleven
// segments that were sent before it. A twelfth one is sent later, and acknowledged at 200 ms.
func TestRecovery(t *testing.T) {
	for name, sign := range map[string]func(p *play){
		"copy": func(p *play) { p.again(150, 0) },
		"SACK": func(p *play) { p.sack(150, 0, 0) },
	} {
		check(t, name, func(p *play) {
			p.send(100, 0, 10)
			p.ack(140, 0, 1)
			p.send(140, 0, 1)
			sign(p)
			p.send(170, 0, 1)
			p.ack(180, 0, 9) // ten of eleven
			p.ack(190, 0, 1)
			p.ack(200, 0, 1)
		}, times{SlowStart: 40, CongestionWindow: 20, Recovery: 40})
	}
}

// TestRwnd: the window is full at 100 ms. A packet opens it at 400 ms. If data follows within a
// round trip of 40 ms, the window limited; if not, the sender had nothing to send. So it is with a
// window that was opened and filled again, at 420 ms. Single segments where ten are allowed are of the
// application.
func TestRwnd(t *testing.T) {
	for _, x := range []struct {
		name         string
		again        bool
		opened, next int64
		want         times
	}{
		{"a round trip", false, 400, 440, times{Rwnd: 300, Idle: 40, Application: 40}},
		{"more than a round trip", false, 400, 441, times{SlowStart: 40, Idle: 301, Application: 40}},
		{"opened twice", true, 500, 540, times{Rwnd: 400, Idle: 40, Application: 40}},
		{"opened twice, too late", true, 500, 541, times{SlowStart: 40, Idle: 401, Application: 40}},
	} {
		check(t, x.name, func(p *play) {
			p.send(100, 0, 10, true)
			p.ack(140, 0, 10)
			p.a.Full(140*ms, true)
			p.a.Full(400*ms, false)
			if x.again {
				p.a.Full(420*ms, true)
				p.a.Full(x.opened*ms, false)
			}
			p.a.Full((x.opened+10)*ms, false)
			p.flight(x.next, 40, 1)
		}, x.want)
	}
}

// TestRoundTrip: subflow 1 has a round trip of 400 ms, and subflow 0 one of 40 ms. The window of
// subflow 0 is full from 1000 to 1400 ms, and data follows 41 ms later. It counts as limited by the window if
// that is within the round trip of the account: the longest of the subflows with data in flight, or of
// all open ones if none has any.
func TestRoundTrip(t *testing.T) {
	for _, x := range []struct {
		name  string
		acked int64 // of ten segments
		ended int64
		rwnd  int64
	}{
		{"nothing in flight", 10, 0, 400},
		{"nothing in flight, and the long subflow has ended", 10, 700, 0},
		{"data in flight on subflow 0", 9, 0, 0},
	} {
		p := newPlay(t, 2)
		p.subs[1].rtt = 400
		p.flightOn(1, 100, 400, 1)
		p.subs[1].ended = x.ended * ms
		p.send(1000, 0, 10, true)
		p.ack(1040, 0, x.acked)
		p.a.Full(1040*ms, true)
		p.a.Full(1400*ms, false)
		p.send(1441, 0, 1)
		p.ack(1481, 0, 11-x.acked)
		p.a.Close()
		if got := p.subs[0].Times[Rwnd]; got != x.rwnd*ms {
			t.Errorf("%s: the window limits for %d ms, want %d", x.name, got/ms, x.rwnd)
		}
	}
}

// TestApplication: three segments every 100 ms, where ten are allowed. There is room at all
// times: in flight it is the application, after the ACK nothing is outstanding.
func TestApplication(t *testing.T) {
	check(t, "three of ten", func(p *play) {
		for i := range int64(10) {
			p.flight(100+100*i, 40, 3)
		}
	}, times{Application: 10 * 40, Idle: 9 * 60})
}

// TestGrowth: slow start ends with the round in which the flight grows by less than a quarter: 12 after
// ten segments, not 13. A loss ends it, too, though the flight grows by a half after it.
func TestGrowth(t *testing.T) {
	for _, x := range []struct {
		name          string
		second, third int64
		copies        bool
		want          times
	}{
		{"a quarter twice", 13, 17, false, times{SlowStart: 120}},
		{"less than a quarter", 12, 20, false, times{SlowStart: 40, CongestionWindow: 80}},
		{"a loss", 15, 23, true, times{SlowStart: 40, CongestionWindow: 50, Recovery: 30}},
	} {
		check(t, x.name, func(p *play) {
			p.flight(100, 40, 10)
			p.send(140, 0, x.second)
			if x.copies {
				p.again(150, 0)
			}
			p.ack(180, 0, x.second)
			p.flight(180, 40, x.third)
		}, x.want)
	}
}

// TestPath: 100 segments at once, again and again. The second flight is no greater than the first, so
// slow start is over. A round belongs to the path if its round trip is a tenth and 2 ms above the least
// one, and its rate at least nine tenths of the best of eight rounds.
func TestPath(t *testing.T) {
	for _, x := range []struct {
		name       string
		least, rtt int64
		rounds     []int64 // their lengths, after the first one of 40 ms
		want       times
	}{
		{"a tenth and 4 ms", 40, 44, []int64{40, 40}, times{SlowStart: 40, Path: 80}},
		{"less than a tenth", 40, 43, []int64{40, 40}, times{SlowStart: 40, CongestionWindow: 80}},
		{"2 ms and a fifth", 10, 12, []int64{40, 40}, times{SlowStart: 40, Path: 80}},
		{"less than 2 ms", 9, 10, []int64{40, 40}, times{SlowStart: 40, CongestionWindow: 80}},
		{"10 of 11 parts of the rate", 40, 44, []int64{40, 44}, times{SlowStart: 40, Path: 84}},
		{"8 of 9 parts of the rate", 40, 44, []int64{40, 45}, times{SlowStart: 40, Path: 40, CongestionWindow: 45}},
		{"the best rate seven rounds ago", 40, 44, []int64{50, 50, 50, 50, 50, 50, 50}, times{SlowStart: 40, CongestionWindow: 350}},
		{"the best rate eight rounds ago", 40, 44, []int64{50, 50, 50, 50, 50, 50, 50, 50}, times{SlowStart: 40, CongestionWindow: 350, Path: 50}},
	} {
		check(t, x.name, func(p *play) {
			p.subs[0].rtt, p.subs[0].least = x.rtt, x.least
			p.flight(100, 40, 100)
			at := int64(140)
			for _, n := range x.rounds {
				p.flight(at, n, 100)
				at += n
			}
		}, x.want)
	}
}

// TestUnused: both subflows have ten segments in flight. All of subflow 1 are acknowledged at 140 ms, or
// some of them. New data leaves on subflow 0 at 150 ms, and on subflow 1 at the end. Subflow 1
// is unused if less than half of ten segments is in flight, for longer than its round trip of 40 ms.
func TestUnused(t *testing.T) {
	for _, x := range []struct {
		name       string
		acked, end int64
		others     bool
		want       times
	}{
		{"a round trip", 10, 180, true, times{SlowStart: 40, CongestionWindow: 40}},
		{"more than a round trip", 10, 181, true, times{SlowStart: 40, Scheduler: 41}},
		{"four in flight", 6, 181, true, times{SlowStart: 40, Scheduler: 41}},
		{"five in flight", 5, 181, true, times{SlowStart: 40, CongestionWindow: 41}},
		{"nothing leaves on the other", 10, 181, false, times{SlowStart: 40, Undetermined: 41}},
	} {
		p := newPlay(t, 2)
		p.send(100, 0, 10)
		p.send(100, 1, 10)
		p.ack(140, 1, x.acked)
		if x.others {
			p.ack(150, 0, 1)
			p.send(150, 0, 1)
		}
		p.send(x.end, 1, x.acked)
		p.a.last = x.end * ms
		p.ack(x.end, 1, 10)
		p.a.Close()
		p.want(x.name, &p.subs[1].Times, x.want)
	}
}

// TestScheduler: data leaves on subflow 0 alone, for 1 s; subflow 1 is established and unused.
// The next byte in order waits for subflow 0, whose flight stands: after 16 rounds it is the window, up
// to the end of the last whole round.
func TestScheduler(t *testing.T) {
	busy := times{SlowStart: 40, CongestionWindow: 15*40 + 40, Window: 9 * 40}
	check(t, "one of two", func(p *play) {
		p.send(100, 0, 10)
		for at := int64(140); at < 1140; at += 4 {
			p.ack(at, 0, 1)
			p.send(at, 0, 1)
		}
		p.ack(1140, 0, 10)
	}, busy, times{Scheduler: 1040}, busy)
}

// TestWaiting: subflow 0 has ten segments in flight, and subflow 1 twelve, which have all arrived at
// 140 ms. One more segment leaves on it. Most of what is outstanding then waits for subflow 0, so a send
// buffer holds subflow 1 back until subflow 0 delivers, at 500 ms. With one segment less on subflow 1 it is just
// a half, and nothing says why the subflow is unused.
func TestWaiting(t *testing.T) {
	for n, want := range map[int64]times{12: {SlowStart: 40, Window: 360}, 11: {SlowStart: 40, Undetermined: 360}} {
		p := newPlay(t, 2)
		p.send(100, 0, 10)
		p.send(100, 1, n)
		p.arrive(140, 1, n)
		p.send(140, 1, 1)
		p.arrive(180, 1, 1)
		p.deliver(500, 0, 10)
		p.send(500, 1, n)
		p.a.Close()
		p.want("subflow 1", &p.subs[1].Times, want)
	}
}

// TestLevel: the data outstanding stands within a segment for 16 rounds of 40 ms: from the 17th on it is
// a limit at the sender. A variation by two segments is none.
func TestLevel(t *testing.T) {
	for _, x := range []struct {
		rounds, more int64
		want         times
	}{
		{16, 0, times{SlowStart: 40, CongestionWindow: 15 * 40}},
		{17, 0, times{SlowStart: 40, CongestionWindow: 15 * 40, Window: 40}},
		{40, 1, times{SlowStart: 40, CongestionWindow: 15 * 40, Window: 24 * 40}},
		{40, 2, times{SlowStart: 40, CongestionWindow: 39 * 40}},
	} {
		check(t, "level", func(p *play) {
			p.send(100, 0, 40)
			for i := range 40*x.rounds - 39 {
				acked, sent := int64(1), int64(1)
				switch i % 80 {
				case 0:
					sent += x.more
				case 40:
					acked += x.more
				}
				p.ack(140+i, 0, acked)
				p.send(140+i, 0, sent)
			}
		}, x.want)
	}
}

// TestSendBuffer: 20 segments leave at once; ACKs come each 4 ms from 40 ms on, and the next
// burst follows the last of them within a quarter of that. Where six of eight pauses end so, the
// send buffer is full. An application that writes 2 ms after an ACK is none, nor one that answers the
// peer.
func TestSendBuffer(t *testing.T) {
	const quick, slow, asked = 1, 2, 3
	repeat := func(n, kind int) (l []int) {
		for range n {
			l = append(l, kind)
		}
		return l
	}
	for _, x := range []struct {
		name   string
		acks   int64
		pauses []int
		held   int64 // pauses
	}{
		{"seven pauses", 10, repeat(7, quick), 0},
		{"eight pauses", 10, repeat(8, quick), 1},
		{"20 pauses", 10, repeat(20, quick), 13},
		{"two of eight are late", 10, append(repeat(2, slow), repeat(6, quick)...), 1},
		{"three of eight are late", 10, append(repeat(3, slow), repeat(5, quick)...), 0},
		{"three of eight are answers", 10, append(repeat(3, asked), repeat(5, quick)...), 0},
		{"three of nine are late", 10, append(repeat(3, slow), repeat(6, quick)...), 1},
		{"all are late", 10, repeat(20, slow), 0},
		{"three ACKs", 3, repeat(8, quick), 1},
		{"two ACKs", 2, repeat(12, quick), 0},
	} {
		p := newPlay(t, 1)
		at := int64(100)
		p.send(at, 0, 20)
		for _, kind := range x.pauses {
			for i := range x.acks {
				p.ack(at+40+4*i, 0, 1)
			}
			at += 40 + 4*(x.acks-1) + 1
			switch kind {
			case slow:
				at++
			case asked:
				p.a.PeerData()
			}
			p.send(at, 0, x.acks)
		}
		p.a.Close()
		if got, want := p.subs[0].Times[Window], x.held*(40+4*(x.acks-1)+1); got != want*ms {
			t.Errorf("%s: window %d ms, want %d", x.name, got/ms, want)
		}
	}
}
