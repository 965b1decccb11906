package build

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
)

// dataDir is a direction of a connection's data; n tells which one it is.
func dataDir(n int64) *report.ConnDir {
	return &report.ConnDir{Segments: n, Bytes: new(1000 * n), HoLDegree: &report.Stat{Avg: float64(n)}, ProtocolDelay: &report.Stat{Avg: float64(n)}}
}

// TestConnDir: which capture gives what of a direction of data. The sender's capture has the number 1, the
// receiver's 10. The round trip alone is taken from the sender's, the degree of blocking from the receiver's.
func TestConnDir(t *testing.T) {
	for name, c := range map[string]struct {
		at                      pair.End
		edit                    func(here, there *report.ConnDir)
		segments                int64
		blocking, delay         float64
		whyEndToEnd, whyLeadMS  string
		first, wasted, leftOver int64
	}{
		"the sender's host sends":   {pair.AtSender, func(_, _ *report.ConnDir) {}, 1, 10, 1, "", "", 11, 22, 33},
		"the receiver's host sends": {pair.AtReceiver, func(_, _ *report.ConnDir) {}, 10, 1, 10, "", "", 11, 22, 33},
		"the sender captured none":  {pair.AtSender, func(here, _ *report.ConnDir) { here.Segments = 0 }, 10, 10, 10, noFirst, "", -1, -1, -1},
		"neither did":               {pair.AtSender, func(here, there *report.ConnDir) { here.Segments, there.Segments = 0, 0 }, 0, 10, 1, "", "", 11, 22, 33},
		"cut here": {pair.AtSender, func(here, _ *report.ConnDir) {
			here.Bytes = nil
			here.Unavailable.Set("bytes", "cut here")
		}, 1, 10, 1, "cut here", "", -1, -1, -1},
		"cut there": {pair.AtSender, func(here, there *report.ConnDir) {
			here.ReinjectionWorth, there.Bytes = &report.ReinjectionWorth{FirstBytes: 5, WastedBytes: 6}, nil
			there.Unavailable.Set("bytes", "cut there")
		}, 1, 10, 1, "cut there", "cut there", 5, 6, -1},
	} {
		m := merger{s: &Builder{}, clock: &clock.Estimate{OffsetMS: 5}, fromReceiver: fromReceiver("")}
		here, there := dataDir(1), dataDir(10)
		c.edit(here, there)
		both := &pair.DataDir{Delivery: delays(45, 47), Unmatched: 33, ReinjectionFirst: 11, OriginalFirst: 22, Lead: dist(7, 9)}
		m.connDir(here, there, &pair.Conn{Sides: pair.Sides{At: [2]pair.End{c.at, 1 - c.at}}, Dirs: [2]*pair.DataDir{both, {}}}, conn.A)
		assert.Check(t, here.Segments == c.segments && here.HoLDegree.Avg == c.blocking && here.ProtocolDelay.Avg == c.delay,
			"%s: %d segments, blocking %v, delay %v; want %d, %v, %v", name, here.Segments, here.HoLDegree.Avg, here.ProtocolDelay.Avg, c.segments, c.blocking, c.delay)
		first, wasted, unmatched := int64(-1), int64(-1), int64(-1)
		if w := here.ReinjectionWorth; w != nil {
			first, wasted = w.FirstBytes, w.WastedBytes
		}
		if s := here.EndToEnd; s != nil {
			unmatched = s.Unmatched
			assert.Check(t, is.DeepEqual(s.Stat, *span(40, 42), nearly), "%s: 45 and 47 ms with a lead of 5 ms", name)
		}
		why, _ := here.Unavailable.Of("end_to_end_delay_ms")
		lead, _ := here.Unavailable.Of("reinjection_worth.lead_ms")
		assert.Check(t, first == c.first && wasted == c.wasted && unmatched == c.leftOver && why == c.whyEndToEnd && lead == c.whyLeadMS,
			"%s: reinjected %d and %d, %d unmatched, because %q, %q", name, first, wasted, unmatched, why, lead)
	}
}

// TestDelivery: what both captures show of the data of a direction, and why there is nothing of it.
func TestDelivery(t *testing.T) {
	for name, c := range map[string]struct {
		both       pair.DataDir
		worth      *report.ReinjectionWorth
		delay, led string // reasons
	}{
		"all": {
			pair.DataDir{Delivery: delays(45), ReinjectionFirst: 11, OriginalFirst: 22, Lead: dist(7, 9)},
			&report.ReinjectionWorth{FirstBytes: 11, WastedBytes: 22, Lead: span(7, 9), Evidence: report.Matched}, "", "",
		},
		"all copies first":  {pair.DataDir{Delivery: delays(45), ReinjectionFirst: 11}, &report.ReinjectionWorth{FirstBytes: 11, Evidence: report.Matched}, "", noLead},
		"no copy first":     {pair.DataDir{Delivery: delays(45), OriginalFirst: 22}, &report.ReinjectionWorth{WastedBytes: 22, Evidence: report.Matched}, "", noLead},
		"no reinjection":    {pair.DataDir{Delivery: delays(45)}, nil, "", metrics.TwoCaptures},
		"no data":           {pair.DataDir{}, nil, noMatch, metrics.TwoCaptures},
		"no first sendings": {pair.DataDir{Unmatched: 1}, nil, noFirst, metrics.TwoCaptures},
	} {
		m, d := merger{s: &Builder{}, clock: &clock.Estimate{}}, dataDir(1)
		d.Unavailable.Set("reinjection_worth.lead_ms", metrics.TwoCaptures)
		m.delivery(d, dataDir(10), &c.both)
		delay, _ := d.Unavailable.Of("end_to_end_delay_ms")
		led, _ := d.Unavailable.Of("reinjection_worth.lead_ms")
		diff := cmp.Diff(c.worth, d.ReinjectionWorth)
		assert.Check(t, diff == "" && delay == c.delay && led == c.led, "%s: because %q, %q; worth (-want +got):\n%s", name, delay, led, diff)
	}
}

// TestRename: numbers and paths of subflows in the receiver's capture become those of the sender's;
// subflows that only the receiver has keep theirs.
func TestRename(t *testing.T) {
	m := merger{subs: map[[2]int]*report.Subflow{{7, 0}: {ID: 4, Path: "wifi"}, {7, 1}: {ID: 5, Path: "lte"}, {8, 2}: {ID: 9}}}
	dir := func(a, b int, one, two string) *report.ConnDir {
		return &report.ConnDir{
			Paths:       []report.PathShare{{Path: one, Subflows: []int{a}}, {Path: two, Subflows: []int{b}}, {Path: "z", Subflows: []int{2}}},
			Handovers:   &report.List[report.Handover]{{From: a, To: b}, {From: b, To: 2}},
			RecPathList: &report.RecPathList{Without: []report.RecPath{{Subflow: b, Path: two}, {Subflow: 2, Path: "z"}}},
		}
	}
	d := dir(0, 1, "x", "y")
	m.rename(d, 7)
	assert.Check(t, is.DeepEqual(d, dir(4, 5, "wifi", "lte")))
	m.rename(&report.ConnDir{}, 7)
}

// TestCertify: delays of a direction are matched evidence where both captures show every byte; those of
// the other direction, and the HoL degree, are not.
func TestCertify(t *testing.T) {
	stat := func() *report.Stat { return &report.Stat{Evidence: report.Observed} }
	sub := func() *report.SubDir {
		return &report.SubDir{PathDelay: stat(), WaitingTime: stat(), InOrderWait: stat(), HoLWait: &report.WaitStat{Stat: *stat()}, OWD: stat()}
	}
	c := &report.Connection{Subflows: []report.Subflow{{A2B: sub(), B2A: sub()}, {A2B: sub(), B2A: &report.SubDir{}}}}
	d := &report.ConnDir{ProtocolDelay: stat(), HoLQueueBytes: stat(), HoLQueueSegments: stat(), HoLDegree: stat()}
	certify(c, d, conn.A)
	for i, s := range []*report.SubDir{c.Subflows[0].A2B, c.Subflows[1].A2B} {
		for k, x := range []*report.Stat{s.PathDelay, s.WaitingTime, s.InOrderWait, &s.HoLWait.Stat, d.ProtocolDelay, d.HoLQueueBytes, d.HoLQueueSegments} {
			assert.Check(t, x.Evidence == report.Matched, "subflow %d, delay %d is %s", i, k, x.Evidence)
		}
	}
	assert.Check(t, d.HoLDegree.Evidence == report.Observed && c.Subflows[0].B2A.PathDelay.Evidence == report.Observed && c.Subflows[0].A2B.OWD.Evidence == report.Observed,
		"more than these is marked")
	certify(c, &report.ConnDir{}, conn.B)
	assert.Check(t, c.Subflows[0].B2A.PathDelay.Evidence == report.Matched, "the data that B sends is not marked")
}
