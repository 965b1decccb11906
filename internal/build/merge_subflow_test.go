package build

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/stats"
)

// delays returns delays as the captures give them, ms.
func delays(ms ...int64) (d clock.Delays) {
	for _, v := range ms {
		d.Add(0, v*1e6, 1)
	}
	return d
}

func dist(values ...float64) (d stats.Dist) {
	for _, v := range values {
		d.Add(v)
	}
	return d
}

// span is a stat of two values.
func span(least, most float64) *report.Stat {
	d := dist(least, most)
	return new(fill.StatOf(&d, report.Matched))
}

// bothShow is what two captures show of a direction; each count is another number. The receiver's clock
// is 5 ms ahead, so 15 ms between the captures are a delay of 10 ms.
func bothShow() *pair.SubflowDir {
	return &pair.SubflowDir{
		OWD: delays(15, 17), AckOWD: delays(25, 29), IPDV: dist(-1, 2), Jitter: dist(3, 4), ReorderExtent: dist(5, 7),
		Sent: 70, Arrived: 60, MatchedPackets: 50, SentSegments: 96, FirstSent: 1e9, LastSent: 3e9,
		Lost: 3, LostBytes: 4321, NotCovered: 2, NotCaptured: 9, Duplicated: 11, Unsent: 13, Reordered: 8, Altered: 14, Split: 15, Merged: 16,
	}
}

// matchedSubflow merges what one capture and both captures show of the data that A sends.
func matchedSubflow(one *report.SubDir, both *pair.SubflowDir) *report.SubDir {
	m := merger{s: &Builder{}, clock: &clock.Estimate{OffsetMS: 5}}
	f := &pair.Subflow{
		Dirs:    [2]*pair.SubflowDir{both, {}},
		Changes: pair.Changes{Sequence: [2]bool{true, false}, Addresses: [2]bool{false, true}, MSS: [2]bool{true, false}},
	}
	m.matched(one, f, conn.A)
	return one
}

// TestMatched: what both captures show goes into the field of that name. Before the capture of the sender 4 segments
// were lost, so 3 + 4 of 96 + 4 are dropped, in 2 s.
func TestMatched(t *testing.T) {
	got := matchedSubflow(&report.SubDir{HoLWait: new(report.WaitStat{Clipped: 1}), Drops: &report.Drops{Count: 6, BeforeCapture: new(int64(4)), Unresolved: 5}}, bothShow())
	want := report.SubDir{
		HoLWait: new(report.WaitStat{Clipped: 1}),
		OWD:     span(10, 12), AckOWD: span(20, 24), IPDV: span(-1, 2), Jitter: span(3, 4),
		Drops: &report.Drops{Count: 3 + 4, BeforeCapture: new(int64(4)), Unresolved: 2, Percent: new(7.0), PerS: new(3.5), Evidence: report.Matched},
		Network: &report.Network{
			SentPackets: 70, ArrivedPackets: 60, MatchedPackets: 50, LostBytes: 4321, NotCovered: 2, NotCaptured: 9, NotCapturedAtSender: 13, Duplicated: 11,
			ReorderedPackets: 8, ReorderedPercent: new(16.0), ReorderExtent: span(5, 7), AlteredOptions: 14, Split: 15, Merged: 16,
			SequenceRewritten: true, MSSChanged: true,
		},
	}
	assert.Check(t, is.DeepEqual(got, &want, nearly))
	back := merger{s: &Builder{}, clock: &clock.Estimate{}}
	both := &pair.Subflow{Dirs: [2]*pair.SubflowDir{{}, bothShow()}, Changes: pair.Changes{Sequence: [2]bool{true, false}, Addresses: [2]bool{false, true}, MSS: [2]bool{true, false}}}
	n := back.network(&report.Reasons{}, both, both.Dirs[1], conn.B)
	assert.Check(t, !n.SequenceRewritten && n.AddressTranslated && !n.MSSChanged, "changes of what B sends: %+v", n)
}

// TestMatchedAbsent: what the captures do not show is null with its reason; drops are what one capture
// shows where the sender's captured nothing.
func TestMatchedAbsent(t *testing.T) {
	for name, c := range map[string]struct {
		edit  func(one *report.SubDir, d *pair.SubflowDir)
		drops *int64            // count
		why   map[string]string // reasons
	}{
		"all":                    {func(*report.SubDir, *pair.SubflowDir) {}, new(int64(3)), map[string]string{}},
		"no packet with payload": {func(_ *report.SubDir, d *pair.SubflowDir) { d.OWD = delays() }, new(int64(3)), map[string]string{}}, // then acknowledgments tell
		"no packet": {
			func(_ *report.SubDir, d *pair.SubflowDir) { d.OWD, d.AckOWD = delays(), delays() }, new(int64(3)),
			map[string]string{"owd_ms": noMatch, "ack_owd_ms": noMatch},
		},
		"no delay that can be": {func(_ *report.SubDir, d *pair.SubflowDir) { d.AckOWD = delays() }, new(int64(3)), map[string]string{"ack_owd_ms": noMatch}},
		"no order": {
			func(_ *report.SubDir, d *pair.SubflowDir) { d.IPDV, d.Jitter, d.ReorderExtent = dist(), dist(), dist() }, new(int64(3)),
			map[string]string{"ipdv_ms": "no two packets sent one after the other arrived", "jitter_ms": "fewer than two packets with payload are in both captures", "network.reorder_extent_ms": "no packet was overtaken"},
		},
		"none sent": {func(one *report.SubDir, d *pair.SubflowDir) {
			d.Sent, one.Drops = 0, &report.Drops{Count: 17}
		}, new(int64(17)), map[string]string{}},
		"none sent nor arrived": {
			func(_ *report.SubDir, d *pair.SubflowDir) {
				*d = pair.SubflowDir{OWD: d.OWD, AckOWD: d.AckOWD, IPDV: d.IPDV, Jitter: d.Jitter, ReorderExtent: d.ReorderExtent}
			}, new(int64(0)),
			map[string]string{"network.reordered_percent": noMatch, "drops.percent": fill.NoData, "drops.per_s": fill.OneMoment},
		},
		"none matched":           {func(_ *report.SubDir, d *pair.SubflowDir) { d.MatchedPackets = 0 }, nil, map[string]string{"network.reordered_percent": noMatch, "drops": noFit}},
		"none matched, all sent": {func(_ *report.SubDir, d *pair.SubflowDir) { d.MatchedPackets, d.Unsent = 0, 0 }, new(int64(3)), map[string]string{"network.reordered_percent": noMatch}},
		"one moment":             {func(_ *report.SubDir, d *pair.SubflowDir) { d.LastSent = d.FirstSent }, new(int64(3)), map[string]string{"drops.per_s": fill.OneMoment}},
	} {
		one, both := &report.SubDir{HoleFills: new(int64)}, bothShow()
		c.edit(one, both)
		got := matchedSubflow(one, both)
		assert.Check(t, (got.Drops == nil) == (c.drops == nil) && (c.drops == nil || got.Drops.Count == *c.drops), "%s: drops %+v", name, got.Drops)
		why := map[string]string{}
		for _, r := range got.Unavailable {
			why[r.Metric] = r.Why
		}
		assert.Check(t, is.DeepEqual(why, c.why), "%s: reasons", name)
	}
}

// TestDelaysWithoutClock: without a clock in common there is no delay; nor where too many delays would be
// below zero.
func TestDelaysWithoutClock(t *testing.T) {
	var w report.Reasons
	unknown := merger{s: &Builder{}, clock: &clock.Estimate{Unknown: true, Nothing: "no clock"}}
	d := delays(15)
	s := unknown.delays(&w, "owd_ms", &d)
	assert.Check(t, s == nil && w[0].Why == "no clock", "%+v because of %v", s, w)
}

// TestBeforeCapture: how many segments were lost before the sender's capture is known where that capture
// tells drops, or where no copy fills a gap.
func TestBeforeCapture(t *testing.T) {
	reasons := func(name, why string) (r report.Reasons) { r.Set(name, why); return r }
	for name, c := range map[string]struct {
		dir  report.SubDir
		want *int64
		why  string
	}{
		"told":            {report.SubDir{Drops: &report.Drops{BeforeCapture: new(int64(4))}, HoleFills: new(int64)}, new(int64(4)), ""},
		"drops alone":     {report.SubDir{Drops: &report.Drops{}, Unavailable: reasons("drops.before_capture", "why")}, nil, "why"},
		"no gap":          {report.SubDir{HoleFills: new(int64), Unavailable: reasons("drops", "no SACK")}, new(int64), ""},
		"a gap":           {report.SubDir{HoleFills: new(int64(1)), Unavailable: reasons("drops", "no SACK")}, nil, "no SACK"},
		"nothing of both": {report.SubDir{Unavailable: reasons("drops", "no SACK")}, nil, "no SACK"},
	} {
		n, why := beforeCapture(&c.dir)
		assert.Check(t, why == c.why && cmp.Equal(n, c.want), "%s: %v because %q", name, n, why)
	}
}

// TestSubDir: which capture gives what of a direction. Numbers of the sender's capture are 1 and 2, those
// of the receiver's are 10 times that.
func TestSubDir(t *testing.T) {
	dir := func(n int64) *report.SubDir {
		return &report.SubDir{CapturedSegments: n, PureAcks: 2 * n, HoLWait: &report.WaitStat{Clipped: n}, InOrderWait: &report.Stat{Avg: float64(n)}, RTT: &report.SpreadStat{Variance: float64(n)}}
	}
	for name, c := range map[string]struct {
		at                    pair.End // whose host sends
		end                   report.Host
		edit                  func(here, there *report.SubDir)
		captured, wait, order int64
		rtt                   float64
	}{
		"the sender's host sends":        {pair.AtSender, "", func(_, _ *report.SubDir) {}, 1, 10, 10, 1},
		"the receiver's host sends":      {pair.AtReceiver, "", func(_, _ *report.SubDir) {}, 10, 1, 1, 10},
		"figures of the receiver":        {pair.AtSender, report.ReceiverHost, func(_, _ *report.SubDir) {}, 10, 10, 10, 10},
		"the sender captured nothing":    {pair.AtSender, "", func(here, _ *report.SubDir) { here.CapturedSegments = 0 }, 10, 10, 10, 10},
		"neither did":                    {pair.AtSender, "", func(here, there *report.SubDir) { here.CapturedSegments, there.CapturedSegments = 0, 0 }, 0, 10, 10, 1},
		"no wait at the receiver":        {pair.AtSender, "", func(_, there *report.SubDir) { there.HoLWait = nil }, 1, 1, 10, 1},
		"no wait where it is asked for":  {pair.AtSender, report.ReceiverHost, func(_, there *report.SubDir) { there.HoLWait = nil }, 10, -1, 10, 10},
		"the receiver's is not the same": {pair.AtSender, "", nil, 1, 1, 1, 1},
	} {
		m := merger{s: &Builder{End: c.end}, clock: &clock.Estimate{}, fromReceiver: fromReceiver(c.end)}
		here, there := dir(1), dir(10)
		if c.edit == nil {
			there = nil
		} else {
			c.edit(here, there)
		}
		m.subDir(here, there, &pair.Subflow{Sides: pair.Sides{At: [2]pair.End{c.at, 1 - c.at}}, Dirs: [2]*pair.SubflowDir{bothShow(), {}}}, conn.A)
		wait := int64(-1)
		if here.HoLWait != nil {
			wait = here.HoLWait.Clipped
		}
		got := [4]float64{float64(here.CapturedSegments), float64(wait), here.InOrderWait.Avg, here.RTT.Variance}
		assert.Check(t, is.Equal(got, [4]float64{float64(c.captured), float64(c.wait), float64(c.order), c.rtt}), "%s: packets, wait, order, round trip", name)
		assert.Check(t, here.Network != nil, "%s: no network", name)
	}
}
