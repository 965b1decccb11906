package engine_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestLeadOfCopies: data is sent over a path of 50 ms at 200 ms, and its copy over one of
// 10 ms. It is always known which came first. The lead is known if both arrive and the copy
// was sent before the original arrived, at 250 ms, provided that the captures are read in
// step. With only these few packets the different delays of the paths put one capture ahead
// by 20 ms.
func TestLeadOfCopies(t *testing.T) {
	const ms = time.Millisecond
	path := func(i byte, delay time.Duration) tracegen.Path {
		p := onPath(i)
		p.Delay = [2]time.Duration{delay, delay}
		return p
	}
	for _, c := range []struct {
		name  string
		lost  bool // the original
		again time.Duration
		first int64
		lead  float64 // ms; -1 = not known
		alone bool    // no other data, which would keep the captures in step
	}{
		{name: "the copy overtakes", again: 210 * ms, first: 1000, lead: 250 - 220},
		{name: "the original leads", again: 245 * ms, first: 0, lead: 255 - 250},
		{name: "the original is lost", lost: true, again: 400 * ms, first: 1000, lead: -1},
		{name: "the copy overtakes, out of step", again: 210 * ms, first: 1000, lead: -1, alone: true},
		{name: "the original leads, out of step", again: 245 * ms, first: 0, lead: -1, alone: true},
		{name: "the original is lost, out of step", lost: true, again: 400 * ms, first: 1000, lead: -1, alone: true},
		{name: "the original has long arrived", again: 400 * ms, first: 0, lead: -1},
	} {
		net := tracegen.NewNetwork(time.Time{})
		s := net.Session(tracegen.Config{Version: 1, AckEvery: 1})
		slow, fast := s.Subflow(path(1, 50*ms)), s.Subflow(path(2, 10*ms))
		slow.Open(0)
		fast.Open(110 * ms)
		for i := range int64(50) {
			if !c.alone {
				fast.Data(tracegen.A2B, 130*ms+time.Duration(i)*ms, 1000+100*i, 100)
			}
		}
		original := slow.Data(tracegen.A2B, 200*ms, 0, 1000)
		if c.lost {
			original.Lose()
		}
		fast.Data(tracegen.A2B, c.again, 0, 1000)
		doc := analyzed(t, paired(t, net, nil, nil))
		d := doc.Connections[0].A2B
		w := d.ReinjectionWorth
		if w == nil || w.FirstBytes != c.first || w.WastedBytes != 1000-c.first || w.Evidence != report.Matched {
			t.Errorf("%s: worth %+v, want %d bytes first of 1000", c.name, w, c.first)
			continue
		}
		why, reasoned := d.Unavailable.Of("reinjection_worth.lead_ms")
		switch {
		case c.lead < 0 && (w.Lead != nil || !strings.Contains(why, "under way when its copy left")):
			t.Errorf("%s: lead %v, because %q", c.name, w.Lead, why)
		case c.lead >= 0 && (w.Lead == nil || w.Lead.Samples != 1 || math.Abs(w.Lead.Avg-c.lead) > 1e-6 || reasoned):
			t.Errorf("%s: lead %v, because %q; want %v ms", c.name, w.Lead, why, c.lead)
		}
	}
}
