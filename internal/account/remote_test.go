package account

import "testing"

// watch is a capture away from the sender of data on subflows of 40 ms. Positions count in
// segments of 1000 bytes, from 0 on.
type watch struct {
	r    *Remote
	subs []*watched
	data map[int64]bool // that passed
	end  int64          // end of it
	rcv  int64          // end of it without a gap
	acks int64          // data acknowledged

	least   int64 // least round trip, ms
	rto     int64 // ms
	untimed bool  // the delays are not exact
}

type watched struct {
	Subflow
	seen   map[int64]bool
	nxt    int64
	una    int64
	copies int64
	ended  int64
}

// newWatch opens subflows at 1 ms.
func newWatch(atReceiver bool, subflows int) *watch {
	w := &watch{r: &Remote{AtReceiver: atReceiver}, data: map[int64]bool{}, least: 40, rto: 240}
	for i := range subflows {
		s := &watched{seen: map[int64]bool{}}
		w.subs = append(w.subs, s)
		w.r.Open(i, &s.Subflow, ms, &s.ended)
	}
	return w
}

// low returns the end of what a subflow showed without a gap.
func (s *watched) low() int64 {
	n := s.una
	for s.seen[n] {
		n++
	}
	return n
}

// pass is a segment of a subflow with a segment of data. wait is its time in queues, ms; late says
// that the subflow showed a higher one before, and that this is a copy.
func (w *watch) pass(at int64, sub int, n, data, wait int64, late ...bool) {
	s := w.subs[sub]
	fresh := !s.seen[n]
	s.seen[n], w.data[data] = true, true
	s.nxt, w.end = max(s.nxt, n+1), max(w.end, data+1)
	for w.data[w.rcv] {
		w.rcv++
	}
	if len(late) > 0 && late[0] || !fresh {
		s.copies++
	}
	w.r.Data(sub, at*ms, &Data{
		New: fresh, Bytes: segment, Copies: s.copies, Nxt: s.nxt * segment, Hole: s.low() < s.nxt, Segment: segment, DataEnd: (data + 1) * segment,
		RcvNxt: w.rcv * segment, SndNxt: w.end * segment, Outstanding: max(0, w.end-w.acks) * segment,
		SRTT: (w.least + wait) * ms, LeastRTT: w.least * ms, RTO: w.rto * ms, Delay: wait * ms, Timed: !w.untimed,
	})
}

// ack acknowledges all that a subflow showed without a gap, and all data in order. sack says that
// it has a SACK.
func (w *watch) ack(at int64, sub int, sack ...bool) {
	s := w.subs[sub]
	s.una, w.acks = s.low(), w.rcv
	w.r.Ack(sub, at*ms, &Ack{
		Una: s.una * segment, Nxt: s.nxt * segment, Flight: (s.nxt - s.una) * segment, Hole: s.una < s.nxt, SACKs: len(sack) > 0,
		RTO: w.rto * ms, Outstanding: max(0, w.end-w.acks) * segment,
	})
}

// TestRemoteDown: segment 1 is missing when segment 2 arrives, at 100 ms. The next packet comes at
// the end. A silence that is longer than the timeout, and than 1 s, is down. None is a shorter one, and
// none after which nothing was missing: the sender may have been idle.
func TestRemoteDown(t *testing.T) {
	for _, x := range []struct {
		rto, end int64
		missing  bool
		want     times
	}{
		{240, 1101, true, times{Down: 1001}},
		{240, 1100, true, times{Undetermined: 1000}},
		{2000, 2101, true, times{Down: 2001}},
		{2000, 2100, true, times{Undetermined: 2000}},
		{240, 3100, false, times{Undetermined: 3000}},
	} {
		w := newWatch(true, 1)
		w.rto = x.rto
		n := int64(1)
		w.pass(100, 0, 0, 0, 0)
		if x.missing {
			n = 2
		}
		w.pass(100, 0, n, n, 0)
		w.ack(100, 0)
		w.pass(x.end, 0, 3-n, 3-n, 0)
		w.ack(x.end, 0)
		w.r.Close()
		compare(t, "subflow", &w.subs[0].Times, x.want)
		compare(t, "connection", &w.r.Times, x.want)
	}
}

// TestRemoteDownToTheEnd: segment 1 never comes. The next data in order waits for the one subflow.
func TestRemoteDownToTheEnd(t *testing.T) {
	w := newWatch(true, 1)
	w.pass(100, 0, 0, 0, 0)
	w.pass(100, 0, 2, 2, 0)
	w.ack(3100, 0, true)
	w.r.Close()
	compare(t, "subflow", &w.subs[0].Times, times{Down: 3000})
	compare(t, "connection", &w.r.Times, times{Down: 3000})
}

// TestRemoteDownByOrder: subflow 0 brings data 0, subflow 1 data 2, at 200 ms. So data 1 was sent on
// subflow 0. It comes on subflow 1, sent again, at 3200 ms. Subflow 0 is down since 200 ms, and the
// data in order waits for it. With a third subflow, which brought nothing, data 1 may have been
// sent there.
func TestRemoteDownByOrder(t *testing.T) {
	for subflows, want := range map[int]times{
		2: {Undetermined: 100, Down: 3000},
		3: {Undetermined: 3100},
	} {
		w := newWatch(true, subflows)
		w.pass(100, 0, 0, 0, 0)
		w.ack(100, 0)
		w.pass(200, 1, 0, 2, 0)
		w.ack(200, 1)
		w.pass(3200, 1, 1, 1, 0)
		w.ack(3200, 1)
		w.r.Close()
		compare(t, "subflow 0", &w.subs[0].Times, want)
		compare(t, "connection", &w.r.Times, want)
		compare(t, "subflow 1", &w.subs[1].Times, times{Undetermined: 3100})
	}
}

// TestRemoteRecovery: segment 1 is missing; a SACK says so at 110 ms. Segment 1 arrives at the end and is
// acknowledged. If it was a copy, a loss was being repaired until then, and so it is if the hole was
// open for more than the timeout of 1 s. Else it was only late. A packet of the sender each 500 ms shows that the
// path is not down.
func TestRemoteRecovery(t *testing.T) {
	for _, x := range []struct {
		end   int64
		again bool
		want  times
	}{
		{150, true, times{Undetermined: 20, Recovery: 40}},
		{150, false, times{Undetermined: 60}},
		{1110, false, times{Undetermined: 1020}},
		{1111, false, times{Undetermined: 20, Recovery: 1001}},
	} {
		w := newWatch(true, 1)
		w.pass(100, 0, 0, 0, 0)
		w.pass(110, 0, 2, 2, 0)
		w.ack(110, 0, true)
		for at := int64(600); at < x.end; at += 500 {
			w.r.Heard(0, at*ms)
		}
		w.pass(x.end, 0, 1, 1, 0, x.again)
		w.ack(x.end, 0)
		w.pass(x.end+10, 0, 3, 3, 0)
		w.ack(x.end+10, 0)
		w.r.Close()
		compare(t, "subflow", &w.subs[0].Times, x.want)
	}
}

// TestRemoteRwnd: data fills the window at 100 ms. The receiver opens it at 400 ms. New data comes a
// round trip of 40 ms later. In that time it was on its way, so that the sender had no room up to
// 34 ms after the announcement: 40 ms less an eighth and the millisecond of the timestamps. If
// data comes later than two round trips, the sender had nothing to send. An announcement of 67 ms may
// have come too late for the data of 100 ms, and so it is not known that this filled the window.
// Between the hosts data may follow an announcement at once.
func TestRemoteRwnd(t *testing.T) {
	for _, x := range []struct {
		receiver                      bool
		offered, window, opened, next int64
		want                          times
	}{
		{true, 10, 2, 10, 440, times{Rwnd: 334, Undetermined: 6}},
		{true, 10, 2, 10, 480, times{Rwnd: 334, Undetermined: 46}},
		{true, 10, 2, 10, 481, times{Undetermined: 381}},
		{true, 10, 2, 3, 440, times{Rwnd: 334, Undetermined: 6}},
		{true, 10, 3, 10, 440, times{Undetermined: 340}}, // there is room for the next segment
		{true, 66, 2, 10, 440, times{Rwnd: 334, Undetermined: 6}},
		{true, 67, 2, 10, 440, times{Undetermined: 340}},
		{false, 100, 2, 10, 440, times{Rwnd: 300, Undetermined: 40}},
		{false, 101, 2, 10, 440, times{Undetermined: 340}},
	} {
		w := newWatch(x.receiver, 1)
		w.r.Offered(x.offered*ms, x.window*segment)
		w.pass(100, 0, 0, 0, 0)
		w.pass(100, 0, 1, 1, 0)
		w.ack(100, 0)
		w.r.Offered(400*ms, x.opened*segment)
		w.pass(x.next, 0, 2, 2, 0)
		w.ack(x.next, 0)
		w.r.Close()
		compare(t, "subflow", &w.subs[0].Times, x.want)
		compare(t, "connection", &w.r.Times, x.want)
	}
}

// TestRemotePath: a segment arrives each millisecond, for 1 s. Each but the first waited for 20 ms,
// so that a round is 60 ms. The second round has as many segments as the first one, so slow start is
// over; it is the first of four in a row, of which the last one counts. The rows change one of these.
func TestRemotePath(t *testing.T) {
	for _, x := range []struct {
		name                                string
		least, wait, every, window, seconds int64
		untimed                             bool
		path                                int64
	}{
		{"rounds begin at 100, 160, 220 ms and so on; the last whole one ends at 1060 ms", 40, 20, 1, 10_000, 1, false, 12 * 60},
		{"the delays are not exact", 40, 20, 1, 10_000, 1, true, 0},
		{"more than a tenth of 40 ms and 1 ms: 21 rounds of 46 ms", 40, 6, 1, 10_000, 1, false, 17 * 46},
		{"no more than that, as a clock may drift by 1/10,000", 40, 5, 1, 10_000, 1, false, 0},
		{"more than 2 ms and 1 ms: 71 rounds of 14 ms", 10, 4, 1, 10_000, 1, false, 67 * 14},
		{"no more than that", 10, 3, 1, 10_000, 1, false, 0},
		{"after 10 s the clock may have drifted by 1 ms: 217 rounds of 46 ms", 40, 6, 1, 10_000, 12, false, 213 * 46},
		{"eight packets in a round of 64 ms", 40, 20, 8, 10_000, 1, false, 11 * 64},
		{"seven packets in a round of 63 ms", 40, 20, 9, 10_000, 1, false, 0},
		{"60 are in flight, and a round trip longer by a quarter leaves room in the window", 40, 20, 1, 78, 1, false, 12 * 60},
		{"it leaves none", 40, 20, 1, 75, 1, false, 0},
	} {
		w := newWatch(true, 1)
		w.least, w.untimed = x.least, x.untimed
		w.r.Offered(10*ms, x.window*segment)
		n := 1000*x.seconds/x.every + 1
		w.steady(100, n, x.wait, x.window, x.every)
		w.r.Close()
		compare(t, x.name, &w.subs[0].Times, times{Path: float64(x.path), Undetermined: float64((n-1)*x.every - x.path)})
	}
}

// steady passes n segments on subflow 0, one each few milliseconds, and offers a window with each ACK.
func (w *watch) steady(at, n, wait, window, every int64) {
	s := w.subs[0]
	for i := range n {
		queued := wait
		if i == 0 {
			queued = 0
		}
		w.pass(at, 0, s.nxt, w.end, queued)
		w.ack(at, 0)
		w.r.Offered(at*ms, (w.end+window)*segment)
		at += every
	}
}

// TestBetween: between the hosts data is outstanding since 100 ms, and the receiver answers at
// 3100 ms: down. A copy passes at 3200 ms, and is acknowledged at 3240 ms with all that passed
// before.
func TestBetween(t *testing.T) {
	w := newWatch(false, 1)
	w.pass(100, 0, 0, 0, 0)
	w.ack(3100, 0)
	w.pass(3150, 0, 1, 1, 0)
	w.pass(3200, 0, 1, 1, 0)
	w.ack(3240, 0)
	w.r.Close()
	compare(t, "subflow", &w.subs[0].Times, times{Down: 3000, Undetermined: 100, Recovery: 40})
}

// TestBetweenIdle: subflow 0 shows a hole that nothing fills, and higher data. Nothing passes on
// subflow 1, so nothing of it is outstanding where the capture was taken, and it is not down.
func TestBetweenIdle(t *testing.T) {
	w := newWatch(false, 2)
	w.pass(100, 0, 0, 0, 0)
	w.ack(140, 0)
	for at := int64(200); at < 4000; at += 100 {
		w.pass(at, 0, at/100, at/100, 0)
		w.ack(at+40, 0, true)
	}
	w.r.Close()
	for id, s := range w.subs {
		if s.Times[Down] != 0 {
			t.Errorf("subflow %d is down for %d ms", id, s.Times[Down]/ms)
		}
	}
	if w.r.Times[Down] != 0 {
		t.Errorf("the connection is down for %d ms", w.r.Times[Down]/ms)
	}
}
