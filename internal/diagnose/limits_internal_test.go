package diagnose

import (
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// states gives the data that a sends an account of 100 s, percent.
func (b *bench) states(at report.SeenAt, percent map[string]float64) {
	state := func(name string) report.StateTime {
		return report.StateTime{MS: 1000 * percent[name], Percent: percent[name]}
	}
	b.c.A2B.TimeAccount = &report.TimeAccount{
		SeenAt: at, DurationMS: 1e5, Down: state("down"), Recovery: state("recovery"), Rwnd: state("rwnd"), Window: state("window"), SlowStart: state("slow_start"), Path: state("path"),
		CongestionWindow: state("congestion_window"), Scheduler: state("scheduler"), Application: state("application"), Idle: state("idle"), Undetermined: state("undetermined"),
	}
}

// lossy makes subflow 0 lose one of 500 segments of 1000 bytes each, with so many segments in flight and so much
// time in state congestion_window, percent of that of the direction. It carried 0.1 Mbit/s of 0.2; its quickest
// round trip carried 1000 bytes in 20 ms, 0.4 Mbit/s.
func (b *bench) lossy(flight, window float64) {
	b.rates(0.1, 0.1, 20)
	x := b.c.Subflows[0].A2B
	x.Bytes, x.Drops = new(int64(5e5)), &report.Drops{Count: 1}
	x.TimeAccount = &report.TimeAccount{DurationMS: 500 * 20 / flight, CongestionWindow: report.StateTime{MS: 1000 * window, Percent: 90}}
}

// slow is lossy at a round trip of 1 s.
func (b *bench) slow(flight float64) {
	b.lossy(flight, 40)
	x := b.c.Subflows[0].A2B
	x.SRTT.Avg, x.RTT.Min, x.TimeAccount.DurationMS = 1000, 1000, 50*x.TimeAccount.DurationMS
}

// TestLimitsItself: a sender whose data does not answer ACKs has to be in state window for longer.
func TestLimitsItself(t *testing.T) {
	for _, x := range []struct {
		window float64
		held   bool
		want   bool
	}{{24.9, true, false}, {25, true, true}, {25, false, false}, {39.9, false, false}, {40, false, true}} {
		assert.Check(t, limitsItself(x.window, x.held) == x.want, "%+v", x)
	}
}

// TestLimits: each rule on what limits a direction most, at its limits and just beside them. One loss in
// 500 segments at 20 ms leaves Reno 1.22 * sqrt(500) = 27.28 segments, and CUBIC 1.17 * (0.02 * 500)^0.75 =
// 6.6; at 1 s CUBIC keeps 1.17 * 500^0.75 = 123.7. A path that carries 0.4 in place of 0.1 Mbit/s beside one of 0.1 saves 0.3 of 0.5: 24 of the 40 s in which paths limit.
func TestLimits(t *testing.T) {
	type shares = map[string]float64
	for _, x := range []struct {
		name   string
		at     report.SeenAt
		states shares
		set    func(b *bench)
		want   string
	}{
		{"nothing", report.SeenAtSender, shares{"path": 39.9, "window": 24.9, "slow_start": 35.2}, nil, ""},
		{"path for 40 %", report.SeenAtSender, shares{"path": 40}, nil, "path_full - ok - -"},
		{"path for 40 %, at the receiver", report.SeenAtReceiver, shares{"path": 40, "window": 60}, nil, "path_full - ok - -"},
		{"queues stand", report.SeenAtSender, shares{"path": 10, "window": 90}, func(b *bench) { b.queued(0, 1) }, ""},
		{"one queue", report.SeenAtSender, shares{"path": 10, "window": 90}, func(b *bench) { b.queued(0) }, "sender_limited - warning 90 90"},
		{"the other path carried less than a tenth", report.SeenAtSender, shares{"path": 10, "window": 90}, func(b *bench) {
			b.queued(0)
			b.c.Subflows[1].A2B.Share = new(9.9)
		}, ""},
		{"the rate stands for less than a tenth", report.SeenAtSender, shares{"path": 9.9, "window": 31}, func(b *bench) { b.queued(0, 1) }, "sender_limited - warning 31 31"},
		{"a round trip of 1.5 times the least", report.SeenAtSender, shares{"path": 10, "window": 30}, func(b *bench) {
			b.c.Subflows[0].A2B.SRTT.Avg, b.c.Subflows[1].A2B.SRTT.Avg = 30, 30
		}, ""},
		{"and a little less", report.SeenAtSender, shares{"path": 10, "window": 30}, func(b *bench) {
			b.c.Subflows[0].A2B.SRTT.Avg, b.c.Subflows[1].A2B.SRTT.Avg = 30, 29.9
		}, "sender_limited - warning 30 30"},

		{"window for 25 %", report.SeenAtSender, shares{"window": 25}, nil, "sender_limited - warning 25 25"},
		{"window for 25 %, at the receiver", report.SeenAtReceiver, shares{"window": 25}, nil, ""},
		{"window for less than path", report.SeenAtSender, shares{"window": 30, "path": 30}, nil, ""},
		{"window for less than 10 ms", report.SeenAtSender, shares{"window": 25}, func(b *bench) { b.c.A2B.TimeAccount.Window.MS = 9.9 }, ""},
		{"options that stop", report.SeenAtSender, shares{"window": 25}, func(b *bench) { b.j.add(report.VerdictStrippedData, report.Major, "") }, "stripped_data - warning - -"},

		{"slow start", report.SeenAtSender, shares{"slow_start": 20, "congestion_window": 20}, nil, "slow_start - note - -"},
		{"the same with a loss", report.SeenAtSender, shares{"slow_start": 20, "congestion_window": 20}, func(b *bench) { b.c.Subflows[1].A2B.Drops = &report.Drops{Count: 1} }, ""},
		{"slow start alone, and a loss", report.SeenAtSender, shares{"slow_start": 40}, func(b *bench) { b.c.Subflows[1].A2B.Drops = &report.Drops{Count: 1} }, "slow_start - note - -"},
		{"slow start beside a full path", report.SeenAtSender, shares{"slow_start": 50, "path": 50}, nil, "path_full - ok - -"},

		{"losses", report.SeenAtSender, shares{"congestion_window": 40}, func(b *bench) { b.lossy(54.5, 40) }, "loss_limited 0 warning 24 24"},
		// Without the pauses of 60 s each path carried 0.25: 40 * 0.15/0.65.
		{"losses between pauses", report.SeenAtSender, shares{"congestion_window": 40, "application": 20, "idle": 40}, func(b *bench) { b.lossy(54.5, 40) }, "loss_limited 0 note 9.231 9.231"},
		{"losses, at the receiver", report.SeenAtReceiver, shares{"congestion_window": 40}, func(b *bench) { b.lossy(54.5, 40) }, ""},
		{"more in flight than they allow", report.SeenAtSender, shares{"congestion_window": 39}, func(b *bench) { b.lossy(54.6, 40) }, ""},
		{"CUBIC keeps more at 1 s", report.SeenAtSender, shares{"congestion_window": 40}, func(b *bench) { b.slow(247) }, "loss_limited 0 warning 24 24"},
		{"and no more than this", report.SeenAtSender, shares{"congestion_window": 39}, func(b *bench) { b.slow(248) }, ""},
		{"the window limits for less", report.SeenAtSender, shares{"congestion_window": 39}, func(b *bench) { b.lossy(10, 39.9) }, ""},
		{"a queue stands", report.SeenAtSender, shares{"congestion_window": 39}, func(b *bench) {
			b.lossy(10, 40)
			b.queued(0)
		}, ""},
		{"it carried much of what it can", report.SeenAtSender, shares{"congestion_window": 40}, func(b *bench) {
			b.lossy(10, 40)
			b.rates(0.275, 0.1, 20) // 0.125 of 0.5 Mbit/s, of 40 s
		}, "loss_limited 0 warning 10 10"},
		{"and a little more", report.SeenAtSender, shares{"congestion_window": 40}, func(b *bench) {
			b.lossy(10, 40)
			b.rates(0.28, 0.1, 20)
		}, "loss_limited 0 note 9.6 9.6"},
		{"it carried all that it can", report.SeenAtSender, shares{"congestion_window": 40}, func(b *bench) {
			b.lossy(10, 40)
			b.rates(0.4, 0.1, 20)
		}, "loss_limited 0 note - -"},
	} {
		b := newBench(t)
		b.states(x.at, x.states)
		if x.set != nil {
			x.set(b)
		}
		b.j.limits(conn.A, b.c.A2B.TimeAccount, nil)
		b.want(x.name, x.want)
	}
}

// TestUnusedCosts: a path that carried nothing counts as the mean of those that did. Beside one path of
// 0.1 Mbit/s it saves half of the 60 s in which that one limited. While the application limits it saves nothing.
func TestUnusedCosts(t *testing.T) {
	for name, x := range map[string]struct {
		states map[string]float64
		want   string
	}{
		"the other path limits":    {map[string]float64{"path": 30, "recovery": 10, "slow_start": 10, "congestion_window": 10, "idle": 30, "window": 10}, "path_unused 1 warning 100 30"},
		"for less than half of it": {map[string]float64{"path": 49, "application": 51}, "path_unused 1 note 100 -"},
	} {
		b := newBench(t)
		b.states(report.SeenAtSender, x.states)
		b.c.Subflows[0].A2B.Throughput, b.c.Subflows[1].A2B = &report.RateStat{Avg: 0.1}, &report.SubDir{}
		b.j.unused(report.VerdictPathUnused, "", 1, conn.A, 100)
		b.want(name, x.want)
	}
}

// TestDisjoint: verdicts share the time of their direction, in their order. Codes have their costs, s, before and after.
func TestDisjoint(t *testing.T) {
	type costs = []float64
	for name, x := range map[string]struct {
		at     report.SeenAt
		states map[string]float64 // nil for no account
		codes  string
		before costs
		after  costs // 0: none
	}{
		"states of their own":                     {report.SeenAtSender, map[string]float64{"rwnd": 30, "window": 20}, "receive_window sender_limited", costs{30, 20}, costs{30, 20}},
		"more than the state has":                 {report.SeenAtSender, map[string]float64{"rwnd": 30}, "receive_window", costs{50}, costs{30}},
		"one state":                               {report.SeenAtSender, map[string]float64{"down": 30}, "stalled path_removed", costs{20, 20}, costs{20, 10}},
		"nothing is left":                         {report.SeenAtSender, map[string]float64{"down": 30}, "stalled path_removed", costs{30, 20}, costs{30, 0}},
		"two states":                              {report.SeenAtSender, map[string]float64{"application": 10, "idle": 30}, "application_limited", costs{35}, costs{35}},
		"a path that could have carried more":     {report.SeenAtSender, map[string]float64{"path": 60, "rwnd": 40}, "receive_window path_unused", costs{40, 70}, costs{40, 60}},
		"a state that the receiver does not see":  {report.SeenAtReceiver, map[string]float64{"undetermined": 30, "rwnd": 10}, "application_limited receive_window", costs{25, 20}, costs{25, 15}},
		"a dead path while the application rests": {report.SeenAtSender, map[string]float64{"application": 50, "down": 10, "path": 5}, "path_died application_limited", costs{40, 50}, costs{15, 50}},
		"no account, data of 100 s":               {"", nil, "stalled application_limited", costs{60, 60}, costs{60, 40}},
	} {
		b := newBench(t)
		if x.states != nil {
			b.states(x.at, x.states)
		}
		for i, code := range strings.Fields(x.codes) {
			v := b.j.add(report.VerdictCode(code), report.Major, "")
			v.Direction, v.CostS = direction(conn.A), &x.before[i]
		}
		b.j.disjoint(b.j.out)
		for i, v := range b.j.out {
			got := 0.0
			if v.CostS != nil {
				got = *v.CostS
			}
			assert.Check(t, math.Abs(got-x.after[i]) < 1e-9 && (v.CostUnknown == "") == (v.CostS != nil), "%s: %s costs %g s (%s), want %g", name, v.Code, got, v.CostUnknown, x.after[i])
		}
	}
}

// TestConsequences: a consequence stands behind its cause, and what follows from the consequence behind that.
// Unread data fills a window whatever delivery waits for.
func TestConsequences(t *testing.T) {
	verdict := func(code report.VerdictCode, sub int, cost float64, proofs ...report.Proof) report.Verdict {
		return report.Verdict{Code: code, Severity: report.Major, Subflow: subflowID(sub), Direction: direction(conn.A), Cost: &cost, Evidence: proofs}
	}
	for waits, want := range map[float64]string{
		40:   "heavy_loss hol_blocked receive_window ",
		39.9: "receive_window heavy_loss hol_blocked ",
	} {
		all := []report.Verdict{
			verdict(report.VerdictWindowClosed, -1, 80), verdict(report.VerdictHoLBlocked, 1, 5, number("blocked", "w", waits, "percent").Proof), verdict(report.VerdictHeavyLoss, 1, 4),
		}
		for _, unread := range []bool{false, true} {
			if unread {
				all[0].Evidence = []report.Proof{number("unread", "u", 1, "ms").Proof}
				want = "receive_window heavy_loss hol_blocked "
			}
			var got strings.Builder
			for _, v := range ranked(append([]report.Verdict{}, all...)) {
				got.WriteString(string(v.Code) + " ")
			}
			if got.String() != want {
				t.Errorf("delivery waits for %g %% of 80, unread data %v: %s, want %s", waits, unread, got.String(), want)
			}
		}
	}
}
