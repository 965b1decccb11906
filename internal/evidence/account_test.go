package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// accountOf is an account of 10 s with these percentages by state.
func accountOf(seen report.SeenAt, states map[string]float64) *report.TimeAccount {
	x := &report.TimeAccount{DurationMS: 10000, SeenAt: seen}
	for name, to := range map[string]*report.StateTime{"undetermined": &x.Undetermined, "application": &x.Application, "window": &x.Window, "rwnd": &x.Rwnd, "path": &x.Path} {
		*to = report.StateTime{MS: 100 * states[name], Percent: states[name]}
	}
	return x
}

// A cause explains a state if the rows that say otherwise, and the time without rows, are at
// most half of its time. Of 20 rows one is 5 %, so a state of 10 % is the least; rows in 5 of 10 s
// leave 50 %.
func TestAccountWords(t *testing.T) {
	const seconds = int64(1e9)
	constant := [2]float64{10000, 10000}
	for _, c := range []struct {
		name   string
		rows   numbers
		use    float64 // memory in use / limit
		seen   report.SeenAt
		states map[string]float64
		cause  report.CauseCode
		want   []string
		says   [2]int64
	}{
		{"application, at the receiver", numbers{"sent": 20, "room": 20}, 0.2, report.SeenAtReceiver, map[string]float64{"undetermined": 99, "path": 1}, report.CauseApplication, []string{"undetermined"}, [2]int64{20, 20}},
		{"between the hosts", numbers{"sent": 20, "room": 20}, 0.2, report.SeenBetween, map[string]float64{"undetermined": 99}, report.CauseApplication, []string{"undetermined"}, [2]int64{20, 20}},
		{"pauses are the application's, too", numbers{"sent": 10, "room": 10, "quiet": 10, "quiet with room": 9}, 0.2, report.SeenAtReceiver, map[string]float64{"undetermined": 10}, report.CauseApplication, []string{"undetermined"}, [2]int64{19, 20}},
		{"most of a state may be another one", numbers{"sent": 20, "room": 19}, 0.2, report.SeenAtReceiver, map[string]float64{"undetermined": 9}, "", nil, [2]int64{}},
		{"it is the half at least", numbers{"sent": 20, "room": 19}, 0.2, report.SeenAtReceiver, map[string]float64{"undetermined": 10}, report.CauseApplication, []string{"undetermined"}, [2]int64{19, 20}},
		{"rows in half of the time", numbers{"sent": 20, "room": 20, "last": 5 * seconds}, 0.2, report.SeenAtReceiver, map[string]float64{"undetermined": 99}, "", nil, [2]int64{}},
		{"rows without time", numbers{"sent": 20, "room": 20, "last": hosts.NoStamp}, 0.2, report.SeenAtReceiver, map[string]float64{"undetermined": 99}, "", nil, [2]int64{}},
		{"nothing undetermined", numbers{"sent": 20, "room": 20}, 0.2, report.SeenAtReceiver, map[string]float64{"path": 100}, "", nil, [2]int64{}},
		{"send buffer, at the sender", numbers{"sent": 20, "room": 19, "waiting": 1}, 3, report.SeenAtSender, map[string]float64{"window": 80, "application": 5, "path": 15}, report.CauseSendBuffer, []string{"window", "application"}, [2]int64{19, 20}},
		{"no such state", numbers{"sent": 20, "room": 20}, 3, report.SeenAtSender, map[string]float64{"window": 80, "path": 20}, report.CauseSendBuffer, []string{"window"}, [2]int64{20, 20}},
		{"a full buffer does not explain pauses", numbers{"sent": 10, "room": 10, "quiet": 10, "quiet with room": 10}, 3, report.SeenAtReceiver, map[string]float64{"undetermined": 99}, "", nil, [2]int64{}},
		{"congestion window, and pauses", numbers{"sent": 20, "waiting": 20, "at window": 20, "lost": 1, "quiet": 20}, 0.9, report.SeenAtReceiver, map[string]float64{"undetermined": 99}, "", nil, [2]int64{}},
		{"congestion window", numbers{"sent": 20, "waiting": 20, "at window": 20, "lost": 1}, 0.9, report.SeenAtSender, map[string]float64{"window": 20, "application": 20}, report.CauseCwnd, []string{"window"}, [2]int64{20, 20}},
		{"neither", numbers{"sent": 20, "room": 20}, 0.9, report.SeenAtReceiver, map[string]float64{"undetermined": 99}, "", nil, [2]int64{}},
	} {
		c.rows["last"] = cmp.Or(c.rows["last"], 10*seconds)
		s := finderOf(c.rows, c.use, 0, constant, "cubic")
		x := accountOf(c.seen, c.states)
		before := *x
		s.conn.B2A.TimeAccount = x
		s.accounts()
		s.accounts() // a report that is read twice has each word once
		if c.cause == "" {
			assert.Check(t, len(x.Kernel) == 0, "%s: %+v", c.name, x.Kernel)
			continue
		}
		if len(x.Kernel) != 1 {
			t.Errorf("%s: %+v", c.name, x.Kernel)
			continue
		}
		k := x.Kernel[0]
		if k.Host != report.SideB || k.Cause != c.cause || !slices.Equal(k.States, c.want) || k.Rows != c.says[0] || k.Of != c.says[1] || len(k.Lines) == 0 || k.Lines[0].File != "ss.txt" {
			t.Errorf("%s: %+v", c.name, k)
		}
		for i, state := range x.States() {
			assert.Check(t, state == before.States()[i], "%s: the time of %s changed", c.name, state.Name)
		}
	}
}

// The rows of the receiver tell why the window has no room: 12 of 20 rows with half of the buffer
// unread leave 40 %, so that rwnd has to have 80 % of the time.
func TestAccountOfReceiver(t *testing.T) {
	for _, c := range []struct {
		unread, rwnd float64
		cause        report.CauseCode
	}{{0.9, 80, report.CauseApplication}, {0.9, 79, ""}, {0, 10, report.CauseReceiveBuffer}, {0.3, 99, ""}} {
		s := finderOf(numbers{}, 0, c.unread, [2]float64{131072, 131072}, "")
		rows := s.of.mptcp[1].figures
		rows["receive"].last = 10e9
		if c.unread < 0.1 {
			rows["little"] = &figure{n: 20}
		}
		x := accountOf(report.SeenAtSender, map[string]float64{"rwnd": c.rwnd})
		s.conn.A2B.TimeAccount = x
		s.accounts()
		switch {
		case c.cause == "" && len(x.Kernel) > 0, c.cause != "" && (len(x.Kernel) != 1 || x.Kernel[0].Cause != c.cause || !slices.Equal(x.Kernel[0].States, []string{"rwnd"})):
			t.Errorf("%.1f unread, %v %%: %+v", c.unread, c.rwnd, x.Kernel)
		}
	}
}

// A verdict says which time its cause explains.
func TestVerdictNamesStates(t *testing.T) {
	s := finderOf(numbers{"sent": 20, "room": 20, "last": 10_000_000_000}, 3, 0, [2]float64{10000, 10000}, "cubic")
	s.conn.B2A.TimeAccount = accountOf(report.SeenAtSender, map[string]float64{"window": 80, "application": 5})
	s.accounts()
	s.limits()
	list := *s.verdicts
	var got strings.Builder
	for _, v := range list {
		for _, p := range v.Parameters {
			if p.Name == "explains" {
				got.WriteString(fmt.Sprintf("%s %g ", p.Text, *p.Value))
			}
		}
	}
	assert.Equal(t, got.String(), "window 80 application 5 ")
}

// Rows in which nothing was sent count where data was sent before and after them.
func TestQuietRows(t *testing.T) {
	x, before := figures{}, hosts.Values{}
	for _, row := range []string{
		"cwnd:10 rto:200", // before the first data
		"cwnd:10 rto:200 bytes_sent:100",
		"cwnd:10 rto:200 bytes_sent:100",            // quiet, with room
		"cwnd:10 rto:200 bytes_sent:100 unacked:9",  // quiet, at the window
		"cwnd:10 rto:200 bytes_sent:200 notsent:50", // data waits
		"cwnd:10 rto:200 bytes_sent:200",            // after the last data
	} {
		r := rowOf(t, 0, row)
		x.add(r, &before)
		before = r.Values
	}
	assert.Check(t, x.of("sent").n == 2 && x.of("room").n == 1 && x.of("quiet").n == 2 && x.of("quiet with room").n == 1, "%+v", x)
}
