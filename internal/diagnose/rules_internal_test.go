package diagnose

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
	"mpanalyze/internal/tracegen"
)

const sec = int64(1e9) // ns

// bench is a judge of a connection of two subflows, captured at a, which sent on both of them. A test
// gives it the figures that a rule compares. Data passed for 100 s in 1000 cells, so that a second is a
// percent; half of it on each path, with round trips of 20 ms.
type bench struct {
	t *testing.T
	j *judge
	c *report.Connection
	d *symptoms.DataDir // of the data that a sends
}

func newBench(t *testing.T) *bench {
	t.Helper()
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	for i := range 2 {
		f := s.Subflow(tracegen.Path{
			A: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), 20000), B: netip.MustParseAddrPort("198.51.100.1:443"),
			ID: [2]uint8{byte(i), 0}, Delay: [2]time.Duration{10 * time.Millisecond, 10 * time.Millisecond},
		})
		f.Open(time.Duration(50*i) * time.Millisecond)
		for k := range int64(100) {
			f.Data(tracegen.A2B, time.Duration(200+20*k)*time.Millisecond, 2000*k+1000*int64(i), 1000)
		}
	}
	j := &judge{}
	conntest.Play(t, s, tracegen.HostA, metrics.NewCollector(metrics.Config{Interval: 100 * time.Millisecond}, func(m *metrics.Connection) { j.m = m }))
	j.c = &report.Connection{A2B: &report.ConnDir{Bytes: new(int64(1e9))}, B2A: &report.ConnDir{}, State: report.ConnClosed}
	b := &bench{t: t, j: j, c: j.c, d: j.m.Symptoms.Dir(conn.A)}
	for i := range 2 {
		up := &report.SubDir{Bytes: new(int64(5e8)), Segments: 500, Share: new(50.0), SRTT: &report.SRTTStat{}, RTT: &report.SpreadStat{}}
		up.SRTT.Avg, up.RTT.Min = 20, 20
		b.c.Subflows = append(b.c.Subflows, report.Subflow{ID: i, Path: []string{"p", "q"}[i], A2B: up, B2A: &report.SubDir{}})
		*b.path(i) = symptoms.Path{OpenCells: 1000, BusyCells: 1000, SharedCells: 1000, OpenUntil: 100 * sec}
	}
	b.d.Data = symptoms.PacketRange{From: symptoms.PacketRef{Packet: 1}, To: symptoms.PacketRef{Packet: 9, Time: 100 * sec}}
	b.d.Cells, b.d.Stall, b.d.AppLimited, b.d.NoRoom, b.d.Unread = 1000, symptoms.PacketRange{}, 0, symptoms.Periods{}, 0
	return b
}

func (b *bench) path(i int) *symptoms.Path { return b.j.m.Subs[i].Path(conn.A) }

// want compares the verdicts: code, subflow, severity, cost in percent and in seconds of each.
func (b *bench) want(name, want string) {
	b.t.Helper()
	var all []string
	for _, v := range b.j.out {
		sub, costs := "-", [2]string{"-", "-"}
		if v.Subflow != nil {
			sub = strconv.Itoa(*v.Subflow)
		}
		for i, cost := range [2]*float64{v.Cost, v.CostS} {
			if cost != nil {
				costs[i] = fmt.Sprintf("%.4g", *cost)
			}
		}
		all = append(all, fmt.Sprint(v.Code, " ", sub, " ", v.Severity, " ", costs[0], " ", costs[1]))
	}
	if got := strings.Join(all, "; "); got != want {
		b.t.Errorf("%s: %q, want %q", name, got, want)
	}
}

// lasting is a time of so many nanoseconds, at most so many of them at once.
func lasting(total, longest int64) symptoms.Periods {
	return symptoms.Periods{Total: total, Count: 5, Longest: symptoms.PacketRange{From: symptoms.PacketRef{Packet: 3, Time: sec}, To: symptoms.PacketRef{Packet: 4, Time: sec + longest}}}
}

// account is a time account at the sender with these percentages of 100 s.
func account(at report.SeenAt, window, application, idle float64) *report.TimeAccount {
	state := func(p float64) report.StateTime { return report.StateTime{MS: 1000 * p, Percent: p} }
	return &report.TimeAccount{SeenAt: at, DurationMS: 1e5, Window: state(window), Application: state(application), Idle: state(idle)}
}

// TestTimeRules: each rule on the time of a direction, just at its limits and just beside them. want
// is the code, the subflow, the severity, the cost in percent and in seconds.
func TestTimeRules(t *testing.T) {
	for _, x := range []struct {
		name string
		set  func(b *bench)
		want string
	}{
		{"nothing", func(*bench) {}, ""},

		{"no room for 1.99 %", func(b *bench) { b.d.NoRoom = lasting(199*sec/100, sec) }, ""},
		{"no room for 2 %", func(b *bench) { b.d.NoRoom = lasting(2*sec, 1e6) }, "receive_window - note 2 2"},
		{"no room for 2 %, less than 1 ms at a time", func(b *bench) { b.d.NoRoom = lasting(2*sec, 999_999) }, ""},
		{"no room for 9.99 %", func(b *bench) { b.d.NoRoom = lasting(999*sec/100, sec) }, "receive_window - note 9.99 9.99"},
		{"no room for 10 %, less than 1 ms at a time", func(b *bench) { b.d.NoRoom = lasting(10*sec, 999_999) }, "receive_window - warning 10 10"},
		{"no room for 10 ms of 100", func(b *bench) { b.d.Data.To.Time, b.d.NoRoom = sec/10, lasting(sec/100, 1e6) }, "receive_window - warning 10 0.01"},
		{"no room for less than 10 ms", func(b *bench) { b.d.Data.To.Time, b.d.NoRoom = sec/20, lasting(sec/100-1, 1e6) }, ""},

		{"no DATA_ACK for 1 s", func(b *bench) { b.d.Stall = lasting(0, sec).Longest }, "stalled - warning 1 1"},
		{"no DATA_ACK for less", func(b *bench) { b.d.Stall = lasting(0, sec-1).Longest }, ""},
		{"no DATA_ACK for longer than there was data", func(b *bench) { b.d.Stall = lasting(0, 200*sec).Longest }, "stalled - warning 100 200"},

		{"nothing outstanding for 25 %", func(b *bench) { b.d.AppLimited = 25 * sec }, "application_limited - note 25 25"},
		{"nothing outstanding for less", func(b *bench) { b.d.AppLimited = 25*sec - 1 }, ""},
		{"nothing outstanding for 10 ms", func(b *bench) { b.d.Data.To.Time, b.d.AppLimited = sec/50, sec/100 }, "application_limited - note 50 0.01"},
		{"nothing outstanding for less than 10 ms", func(b *bench) { b.d.Data.To.Time, b.d.AppLimited = sec/50, sec/100-1 }, ""},
		{"application and idle for 40 %", func(b *bench) { b.c.A2B.TimeAccount = account(report.SeenAtSender, 0, 20, 20) }, "application_limited - note 40 40"},
		{"application and idle for less", func(b *bench) { b.c.A2B.TimeAccount = account(report.SeenAtSender, 0, 20, 19.9) }, ""},
		{"of 1.5 s", func(b *bench) {
			b.c.A2B.TimeAccount = account(report.SeenAtSender, 0, 20, 20)
			b.c.A2B.TimeAccount.DurationMS = 1500
		}, "application_limited - note 40 40"},
		{"of less", func(b *bench) {
			b.c.A2B.TimeAccount = account(report.SeenAtSender, 0, 20, 20)
			b.c.A2B.TimeAccount.DurationMS = 1499
		}, ""},
		{"an account of the receiver", func(b *bench) { b.c.A2B.TimeAccount = account(report.SeenAtReceiver, 50, 80, 0) }, ""},
		{"an account beside 25 % with nothing outstanding", func(b *bench) {
			b.c.A2B.TimeAccount, b.d.AppLimited = account(report.SeenAtSender, 0, 70, 0), 25*sec
		}, "application_limited - note 25 25"},

		{"delivery waits for 25 %", func(b *bench) { b.path(1).Blocked = lasting(25*sec, sec) }, "hol_blocked 1 note - -"},
		{"delivery waits for less", func(b *bench) { b.path(1).Blocked = lasting(25*sec-1, sec) }, ""},
		{"delivery waits for less than 10 ms", func(b *bench) { b.d.Data.To.Time, b.path(1).Blocked = sec/50, lasting(sec/100-1, sec) }, ""},
		{"it costs 30 of 90 ms, three quarters of that for this path", func(b *bench) {
			b.path(0).Blocked, b.path(1).Blocked = lasting(10*sec, sec), lasting(30*sec, sec)
			b.c.A2B.HoLBlocking, b.c.A2B.ProtocolDelay = &report.Stat{Avg: 30}, &report.Stat{Avg: 90}
		}, "hol_blocked 1 warning 25 -"},
		{"it costs as much as the longest round trip", func(b *bench) {
			b.path(1).Blocked, b.c.A2B.HoLBlocking, b.c.Subflows[0].A2B.SRTT.Avg = lasting(30*sec, sec), &report.Stat{Avg: 50}, 50
		}, "hol_blocked 1 note - -"},

		{"round trips of 1 to 3", func(b *bench) { b.c.Subflows[1].A2B.SRTT.Avg = 60 }, "unequal_paths 1 note - -"},
		{"round trips of 1 to less", func(b *bench) { b.c.Subflows[1].A2B.SRTT.Avg = 59.9 }, ""},
		{"of a path with 1 % of the data", func(b *bench) { b.c.Subflows[0].A2B.SRTT.Avg, b.c.Subflows[0].A2B.Share = 60, new(1.0) }, "unequal_paths 0 note - -"},
		{"of a path with less of the data", func(b *bench) { b.c.Subflows[0].A2B.SRTT.Avg, b.c.Subflows[0].A2B.Share = 60, new(0.9) }, ""},
		{"rates of 1 to 5, and a queue that doubles round trips", func(b *bench) { b.rates(10, 50, 10) }, "unequal_paths 0 note - -"},
		{"rates of 1 to less", func(b *bench) { b.rates(10, 49.9, 10) }, ""},
		{"a shorter queue", func(b *bench) { b.rates(10, 50, 10.1) }, ""},
		{"losses of 3 % in place of a queue", func(b *bench) {
			b.rates(10, 50, 20)
			b.c.Subflows[0].A2B.Drops = &report.Drops{Percent: new(3.0)}
		}, "unequal_paths 0 note - -"},
		{"losses of less", func(b *bench) {
			b.rates(10, 50, 20)
			b.c.Subflows[0].A2B.Drops = &report.Drops{Percent: new(2.9)}
		}, ""},

		{"idle in half of ten cells", idles(symptoms.Path{OpenCells: 10, IdleCells: 5, LongestIdle: 2}, 9.9), "path_idle 1 warning 50 -"},
		{"idle in less than half", idles(symptoms.Path{OpenCells: 11, IdleCells: 5}, 9.9), ""},
		{"idle in nine cells", idles(symptoms.Path{OpenCells: 9, IdleCells: 9}, 9.9), ""},
		{"idle with a tenth of the data", idles(symptoms.Path{OpenCells: 10, IdleCells: 10}, 10), ""},
		{"not open", idles(symptoms.Path{IdleCells: 10}, 9.9), ""},
		{"never used, open for half of the time", idles(symptoms.Path{OpenCells: 500, IdleCells: 500}, 0), "path_unused 1 warning 100 -"},
		{"never used, open for less", idles(symptoms.Path{OpenCells: 499, IdleCells: 499}, 0), "too_short 1 note - -"},
		{"idle, with nothing outstanding for 10 %", func(b *bench) {
			idles(symptoms.Path{OpenCells: 10, IdleCells: 6}, 9)(b)
			b.d.AppLimited = 10 * sec
		}, "path_idle 1 note 60 -"},
		{"idle, with nothing outstanding for less", func(b *bench) {
			idles(symptoms.Path{OpenCells: 10, IdleCells: 6}, 9)(b)
			b.d.AppLimited = 10*sec - 1
		}, "path_idle 1 warning 60 -"},
		{"left for ten cells, a quarter of those in which it was open", idles(symptoms.Path{OpenCells: 40, IdleCells: 10, IdleRun: 10, OpenUntil: 100*sec - cell, LastData: symptoms.PacketRef{Packet: 5, Time: 98 * sec}}, 50), "path_idle 1 warning 25 -"},
		{"left for less than a quarter", idles(symptoms.Path{OpenCells: 41, IdleCells: 10, IdleRun: 10, OpenUntil: 100 * sec}, 50), ""},
		{"left for nine cells", idles(symptoms.Path{OpenCells: 20, IdleCells: 9, IdleRun: 9, OpenUntil: 100 * sec}, 50), ""},
		{"left, and closed before the end", idles(symptoms.Path{OpenCells: 40, IdleCells: 10, IdleRun: 10, OpenUntil: 100*sec - cell - 1}, 50), ""},
	} {
		b := newBench(t)
		x.set(b)
		b.j.times(conn.A, b.c.A2B, b.d)
		b.want(x.name, x.want)
	}
}

// rates sets the rates of the two subflows, and the least round trip of the first one.
func (b *bench) rates(first, second, rtt float64) {
	x, y := b.c.Subflows[0].A2B, b.c.Subflows[1].A2B
	x.Throughput, y.Throughput, x.RTT.Min = &report.RateStat{Avg: first}, &report.RateStat{Avg: second}, rtt
}

// idles sets what subflow 1 carried; without a share it carried nothing.
func idles(p symptoms.Path, share float64) func(b *bench) {
	return func(b *bench) {
		*b.path(1) = p
		if b.c.Subflows[1].A2B.Share = &share; share == 0 {
			b.c.Subflows[1].A2B = &report.SubDir{Bytes: new(int64)}
		}
	}
}

// TestCopies: a quarter of the 1 GB of data was sent on two subflows. Copies on the same subflow do not count.
func TestCopies(t *testing.T) {
	for again, want := range map[int64]string{250e6: "redundant_copies - warning 25 -", 250e6 - 1: ""} {
		b := newBench(t)
		b.c.A2B.ReinjectedBytes, b.c.A2B.ReinjectedSameSubflowBytes = new(again+100e6), new(int64(100e6))
		b.j.copies(conn.A, b.c.A2B)
		b.want("copies", want)
		for _, v := range b.j.out {
			assert.Check(t, *v.CostBytes == again && *v.Evidence[1].Value == float64(again), "%d bytes, %+v, want %d", *v.CostBytes, v.Evidence, again)
		}
	}
}

// TestAggregatesRules: paths aggregate if they carried 1.05 times what the best one did, and another
// path was open for half of the time, and carried data in a tenth of the cells in which others did, too.
// Subflows over one path share it.
func TestAggregatesRules(t *testing.T) {
	for _, x := range []struct {
		name    string
		benefit float64
		set     func(b *bench)
		want    string
	}{
		{"1.05 times", 1.05, func(*bench) {}, "aggregates - ok - -"},
		{"less", 1.04, func(*bench) {}, ""},
		{"open for half of the time", 2, func(b *bench) { b.path(1).OpenCells = 500 }, "aggregates - ok - -"},
		{"open for less", 2, func(b *bench) { b.path(1).OpenCells = 499 }, ""},
		{"beside the other in a tenth of the cells", 2, func(b *bench) { b.path(1).SharedCells = 100 }, "aggregates - ok - -"},
		{"in less", 2, func(b *bench) { b.path(1).SharedCells = 99 }, ""},
		{"one path", 1, func(b *bench) { b.c.Subflows[1].Path = "p" }, "single_path - note - -"},
		{"one subflow", 1, func(b *bench) { b.c.Subflows[1].A2B.Share = new(0.0) }, ""},
		{"100 kB", 2, func(b *bench) { b.c.A2B.Bytes = new(int64(100e3)) }, "aggregates - ok - -"},
		{"less than 100 kB", 2, func(b *bench) { b.c.A2B.Bytes = new(int64(100e3 - 1)) }, ""},
		{"no account", 2, func(b *bench) { b.c.A2B.TimeAccount = nil }, ""},
		{"paths limit for less than half of the time", 2, func(b *bench) {
			b.states(report.SeenAtSender, map[string]float64{"path": 20, "recovery": 20, "slow_start": 9.9, "window": 50})
		}, ""},
		{"the send buffer, where queues stand", 2, func(b *bench) {
			b.states(report.SeenAtSender, map[string]float64{"path": 10, "window": 40})
			b.queued(0, 1)
		}, "aggregates - ok - -"},
		{"losses for a tenth, at the receiver", 2, func(b *bench) { b.states(report.SeenAtReceiver, map[string]float64{"recovery": 10}) }, "aggregates - ok - -"},
		{"for less", 2, func(b *bench) { b.states(report.SeenAtReceiver, map[string]float64{"recovery": 9.9}) }, ""},
		{"less than the receive window", 2, func(b *bench) { b.states(report.SeenAtReceiver, map[string]float64{"path": 20, "rwnd": 20}) }, ""},
		{"a backup", 2, func(b *bench) { b.j.priority = []priorityLine{{}, {asks: [2]string{"B"}}} }, ""},
	} {
		b := newBench(t)
		b.c.A2B.AggregationBenefit = &x.benefit
		b.states(report.SeenAtSender, map[string]float64{"congestion_window": 50})
		x.set(b)
		b.j.aggregates()
		b.want(x.name, x.want)
		for _, v := range b.j.out {
			if v.Code == report.VerdictAggregates {
				assert.Check(t, figure(&v, "paths") == 2 && figure(&v, "benefit") == x.benefit, "%s: %+v", x.name, v)
			} else {
				assert.Check(t, figure(&v, "subflows") == 2 && parameter(&v, "over").Text == "p", "%s: %+v", x.name, v)
			}
		}
	}
}

// TestAdvice: what to do about a window that has no room depends on how it compares with what is
// needed: 2000 bytes each 20 ms, times a round trip of 20 ms. A path may stay idle if the window has no
// room for a tenth of the time, or if nothing is outstanding for a tenth of it.
func TestAdvice(t *testing.T) {
	const window, idle = report.VerdictWindowClosed, report.VerdictPathIdle
	for _, x := range []struct {
		name    string
		code    report.VerdictCode
		offered float64 // as a multiple of what is needed; 0 = not known
		set     func(b *bench)
		want    string
	}{
		{"not known", window, 0, func(*bench) {}, "ask"},
		{"less than twice", window, 1.99, func(*bench) {}, "double"},
		{"twice", window, 2, func(*bench) {}, "waits"},
		{"queues on all paths", window, 1, func(b *bench) { b.queued(0, 1) }, "queues"},
		{"less, with queues", window, 0.99, func(b *bench) { b.queued(0, 1) }, "double"},
		{"a queue on one of the paths", window, 1, func(b *bench) { b.queued(0) }, "double"},
		{"unread data for half of the time", window, 1, func(b *bench) { b.d.NoRoom.Total, b.d.Unread = 10*sec, 5*sec }, "unread"},
		{"for less", window, 1, func(b *bench) { b.d.NoRoom.Total, b.d.Unread = 10*sec, 5*sec-1 }, "double"},
		{"idle, no room for 10 %", idle, 0, func(b *bench) { b.d.NoRoom.Total = 10 * sec }, "window"},
		{"idle, for less", idle, 0, func(b *bench) { b.d.NoRoom.Total = 10*sec - 1 }, ""},
		{"idle, nothing outstanding for 10 %", idle, 0, func(b *bench) { b.d.AppLimited = 10 * sec }, "application"},
		{"idle, nothing outstanding for less", idle, 0, func(b *bench) { b.d.AppLimited = 10*sec - 1 }, ""},
	} {
		b := newBench(t)
		b.d.NoRoom.Total = sec
		x.set(b)
		need := b.j.need(conn.A)
		if need == nil || math.Abs(need.bytes-2000) > 20 {
			t.Fatalf("%s: %+v is needed, want 2000 bytes", x.name, need)
		}
		v := &report.Verdict{Code: x.code, Direction: direction(conn.A)}
		if x.code == idle {
			why, _ := b.j.whyIdle(1, conn.A)
			enter(v, word("why", why))
		}
		if x.offered > 0 {
			enter(v, value("largest", x.offered*need.bytes, "bytes"))
		}
		b.j.advise(v)
		assert.Check(t, advice(v) == x.want, "%s: %q, want %q", x.name, advice(v), x.want)
	}
}

// advice returns which of the things to do a verdict names; empty for the general one.
func advice(v *report.Verdict) string {
	if p := parameter(v, "advice"); p != nil {
		return p.Text
	}
	return ""
}

// queued makes the mean round trip of subflows twice the least one.
func (b *bench) queued(subs ...int) {
	for _, i := range subs {
		b.c.Subflows[i].A2B.SRTT.Avg = 40
	}
}

// TestNeed: the window that is needed has the longest of the least round trips of the paths that carried
// 1 % of the data or more. That of a handshake counts if it is shorter.
func TestNeed(t *testing.T) {
	for _, x := range []struct {
		name             string
		share, handshake float64
		rtt              float64
	}{
		{"1 % of the data", 1, 0, 50},
		{"less", 0.99, 0, 20},
		{"a shorter handshake", 50, 30, 30},
		{"a longer handshake", 50, 60, 50},
	} {
		b := newBench(t)
		s := &b.c.Subflows[1]
		s.A2B.Share, s.A2B.RTT.Min = &x.share, 50
		if x.handshake > 0 {
			s.HandshakeRTT = &x.handshake
		}
		if n := b.j.need(conn.A); n == nil || n.rtt != x.rtt || math.Abs(n.bytes-100*x.rtt) > x.rtt {
			t.Errorf("%s: %+v, want a round trip of %g ms and 100 bytes a millisecond", x.name, n, x.rtt)
		}
	}
	b := newBench(t) // no path carried 1 %, so that nothing is known
	b.c.Subflows[0].A2B.Share, b.c.Subflows[1].A2B.Share, b.d.NoRoom.Total = new(0.9), new(0.9), sec
	v := &report.Verdict{Code: report.VerdictWindowClosed, Direction: direction(conn.A)}
	b.j.advise(v)
	assert.Check(t, b.j.need(conn.A) == nil && advice(v) == "", "%+v", v)
}

// TestWhyFull: a window of four times what is needed does not limit by its size.
func TestWhyFull(t *testing.T) {
	for times, want := range map[float64]string{4: "plenty", 3.99: "small"} {
		b := newBench(t)
		b.d.NoRoom.Total = sec
		b.c.A2B.RwndBytes = &report.Stat{Max: times * b.j.need(conn.A).bytes}
		if got := b.j.whyFull(conn.A, b.c.A2B, b.d); got != want {
			t.Errorf("%g times: %s", times, got)
		}
	}
}

// TestSpare: a path that carried a quarter of the data or less may become a backup. Its queue is full if
// the mean round trip is twice the least one.
func TestSpare(t *testing.T) {
	for _, x := range []struct {
		share, srtt float64
		advice      string
		queue       bool
	}{{25, 39.9, "spare", false}, {25.1, 40, "keep", true}} {
		b := newBench(t)
		b.c.Subflows[1].A2B.Share, b.c.Subflows[1].A2B.SRTT.Avg = &x.share, x.srtt
		v := &report.Verdict{Code: report.VerdictHoLBlocked, Direction: direction(conn.A), Subflow: new(1)}
		b.j.advise(v)
		b.j.advise(v) // a second capture judges again
		if advice(v) != x.advice || figure(v, "carried") != x.share || (parameter(v, "srtt") != nil) != x.queue || len(v.Parameters) > 4 {
			t.Errorf("%+v: %+v", x, v.Parameters)
		}
	}
}

// TestLossyHandover: a path that came back after n segments without an answer was lossy if its other
// losses give that with a probability of 0.001 or more: 50 of 500, three times in a row.
func TestLossyHandover(t *testing.T) {
	back, reset := symptoms.PacketRef{Packet: 7, Time: sec}, symptoms.PacketRef{Packet: 6}
	for _, x := range []struct {
		name string
		lost int64
		h    symptoms.Handover
		want bool
	}{
		{"50 of 500", 53, symptoms.Handover{From: 1, Unanswered: 3, Back: back}, true},
		{"49 of 500", 52, symptoms.Handover{From: 1, Unanswered: 3, Back: back}, false},
		{"never back", 53, symptoms.Handover{From: 1, Unanswered: 3}, false},
		{"reset", 53, symptoms.Handover{From: 1, Unanswered: 3, Back: back, Reset: reset}, false},
		{"no other losses", 3, symptoms.Handover{From: 1, Unanswered: 3, Back: back}, false},
		{"all answered", 53, symptoms.Handover{From: 1, Back: back}, false},
	} {
		b := newBench(t)
		b.c.Subflows[1].A2B.Segments, b.c.Subflows[1].A2B.Drops = 503, &report.Drops{Count: x.lost}
		if got := b.j.lossy(&x.h, conn.A); got != x.want {
			t.Errorf("%s: %t", x.name, got)
		}
	}
}

// TestDied: a path that died after 60 s without data may have been forgotten by a translator. The verdict
// has the time that data waited, and the rates before and after: 125 kB in a second are 1 Mbit/s.
func TestDied(t *testing.T) {
	for _, x := range []struct {
		name   string
		quiet  int64 // ns
		since  symptoms.Since
		back   int64 // packet; 0 for none
		silent bool
		proof  string // that has the beginning of the silence
	}{
		{"60 s", 60 * sec, symptoms.SinceSent, 0, true, "first data that was not acknowledged"},
		{"less", 60*sec - 1, symptoms.SinceSent, 0, false, "first data that was not acknowledged"},
		{"data was outstanding", 60 * sec, symptoms.SinceProgress, 0, false, "last progress"},
		{"a hole", 60 * sec, symptoms.SinceHole, 0, false, "first data behind what was lost"},
		{"it came back", 60 * sec, symptoms.SinceSent, 8, false, "first data that was not acknowledged"},
	} {
		b := newBench(t)
		h := &symptoms.Handover{From: 1, To: 0, Since: x.since, Blocked: 3 * sec, Before: 125_000, After: 250_000, Rated: true, Back: symptoms.PacketRef{Packet: uint64(x.back), Time: 90 * sec}}
		h.Gap = symptoms.PacketRange{From: symptoms.PacketRef{Packet: 5, Time: 80 * sec}, To: symptoms.PacketRef{Packet: 6, Time: 82 * sec}}
		b.path(1).Progress = symptoms.PacketRef{Packet: 2, Time: 80*sec - x.quiet}
		b.j.died(h, conn.A)
		b.want(x.name, "path_died 1 critical - 3")
		v := &b.j.out[0]
		assert.Check(t, v.Evidence[0].What == x.proof, "%s: %s", x.name, v.Evidence[0].What)
		assert.Check(t, (named(v, "idle") != nil) == x.silent, "%s: %+v", x.name, v)
		got := [4]float64{figure(v, "waited"), figure(v, "before"), figure(v, "after"), figure(v, "gap")}
		gap := 2000.0
		if x.since == symptoms.SinceHole { // the other subflow had gone on before
			gap = 0
		}
		assert.Check(t, got == [4]float64{3000, 1, 2, gap}, "%s: %v", x.name, got)
	}
}

// TestSideBySide: a path helps that with most bytes for half of the time, and beside it; a backup helps nobody, and nobody helps it.
func TestSideBySide(t *testing.T) {
	path := func(bytes, open, side int64, backup bool) *pathWork {
		return &pathWork{bytes: bytes, open: open, carried: 100, side: side, reserve: backup}
	}
	for _, c := range []struct {
		what  string
		paths []*pathWork
		want  bool
	}{
		{"none", nil, false},
		{"beside", []*pathWork{path(9, 100, 100, false), path(5, 50, 90, false)}, true},
		{"open for less than half of the time", []*pathWork{path(9, 100, 100, false), path(5, 49, 90, false)}, false},
		{"one after the other", []*pathWork{path(9, 100, 9, false), path(5, 100, besideLeast-1, false)}, false},
		{"the backup took over", []*pathWork{path(5, 100, 90, false), path(9, 100, 90, true)}, false},
		{"two beside a backup with most", []*pathWork{path(5, 100, 90, false), path(9, 100, 90, true), path(6, 100, 90, false)}, true},
	} {
		if got := sideBySide(c.paths, 100); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// TestPathWork: subflows with one address of a host that has several are one path: of the hosts with several addresses, that
// with the fewest decides. Rows are the last bytes of both addresses of each subflow, and the path that each belongs to.
func TestPathWork(t *testing.T) {
	for _, x := range []struct {
		ends [][2]byte
		want []int // subflows of each path
	}{
		{[][2]byte{{1, 9}, {2, 9}}, []int{1, 1}},
		{[][2]byte{{1, 8}, {1, 9}}, []int{1, 1}},
		{[][2]byte{{1, 9}, {1, 9}}, []int{2}},
		{[][2]byte{{1, 6}, {2, 7}, {1, 8}, {2, 9}}, []int{2, 2}},
		{[][2]byte{{1, 8}, {2, 9}, {3, 8}}, []int{2, 1}},
		{[][2]byte{{1, 8}, {2, 9}, {1, 9}, {2, 8}}, []int{2, 2}},
	} {
		b := newBench(t)
		var used []int
		subs, subflows := b.j.m.Subs, b.c.Subflows
		b.j.m.Subs, b.c.Subflows = nil, nil
		for i, e := range x.ends {
			m := *subs[0]
			m.Sub = &conn.Subflow{ID: i}
			m.Sub.Ends[conn.A].Addr[15], m.Sub.Ends[conn.B].Addr[15] = e[0], e[1]
			used, b.j.m.Subs, b.c.Subflows = append(used, i), append(b.j.m.Subs, &m), append(b.c.Subflows, subflows[0])
			b.c.Subflows[i].Path = fmt.Sprint(e)
		}
		var got []int
		for _, p := range b.j.pathWork(used, conn.A) {
			got = append(got, int(p.bytes/5e8))
		}
		assert.Check(t, slices.Equal(got, x.want), "%v: %v, want %v", x.ends, got, x.want)
	}
}
