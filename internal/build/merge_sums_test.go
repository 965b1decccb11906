package build

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// carried is a direction of a subflow that carried bytes, of them unique ones, of these reinjected ones.
// The other counts are multiples of n, so that each is another number.
func carried(n, bytes, unique, reinjected int64) *report.SubDir {
	return &report.SubDir{
		Segments: n, RetransmittedSegments: 2 * n, RetransmittedBytes: 30 * n, ReinjectedSegments: new(4 * n), ReinjectedSameSubflowBytes: new(5 * n),
		Bytes: &bytes, BytesUnique: &unique, ReinjectedBytes: &reinjected,
	}
}

// threeSubflows is a connection with two subflows on path x and one on path y. A sends 800, 3000 and 200
// bytes first on them; B sends nothing.
func threeSubflows() *report.Connection {
	none := func() *report.SubDir { return carried(0, 0, 0, 0) }
	return &report.Connection{
		DurationS: 2, A2B: &report.ConnDir{Bytes: new(int64)}, B2A: &report.ConnDir{Bytes: new(int64)},
		Subflows: []report.Subflow{
			{ID: 0, Path: "x", EndS: 3, A2B: carried(1, 1300, 1000, 200), B2A: none()},
			{ID: 1, Path: "y", EndS: 7, A2B: carried(10, 4000, 3500, 500), B2A: none()},
			{ID: 2, Path: "x", EndS: 5, A2B: carried(100, 700, 200, 0), B2A: none()},
		},
	}
}

// TestSumUp: totals of a merged connection are the sums over its subflows; a path has those of its
// subflows; shares are parts of the 4000 bytes.
func TestSumUp(t *testing.T) {
	c := threeSubflows()
	new(Builder).sumUp(c)
	want := report.ConnDir{
		Segments: 111, RetransmittedSegments: 222, RetransmittedBytes: 3330, ReinjectedSegments: new(int64(444)), ReinjectedSameSubflowBytes: new(int64(555)),
		Bytes: new(int64(4000)), ReinjectedBytes: new(int64(700)), Overhead: new(100 * (3330 + 700) / 4000.0), AggregationBenefit: new(4000 / 3000.0),
		Paths: []report.PathShare{
			{Path: "x", Subflows: []int{0, 2}, Bytes: new(int64(2000)), FirstBytes: new(int64(1000)), Percent: new(25.0), RetransmittedBytes: 3030, ReinjectedBytes: new(int64(200))},
			{Path: "y", Subflows: []int{1}, Bytes: new(int64(4000)), FirstBytes: new(int64(3000)), Percent: new(75.0), RetransmittedBytes: 300, ReinjectedBytes: new(int64(500))},
		},
	}
	assert.Check(t, is.DeepEqual(c.A2B, &want), "A's data")
	for i, share := range []float64{20, 75, 5} {
		got := c.Subflows[i].A2B.Share
		assert.Check(t, got != nil && *got == share, "share of subflow %d: %v, want %v", i, got, share)
		why, _ := c.Subflows[i].B2A.Unavailable.Of("share_percent")
		assert.Check(t, why == fill.NoData && c.Subflows[i].B2A.Share == nil, "subflow %d: share of no data because %q", i, why)
	}
	assert.Check(t, c.DurationS == 7, "it takes %v s, but a subflow ends at 7 s", c.DurationS)
	for _, name := range []string{"paths[].share_percent", "overhead_percent_of_data", "aggregation_benefit"} {
		why, _ := c.B2A.Unavailable.Of(name)
		assert.Check(t, why == fill.NoData, "%s of no data: because %q", name, why)
	}
	d := c.B2A
	assert.Check(t, d.Overhead == nil && d.AggregationBenefit == nil && d.Paths[0].Percent == nil, "of no data: %+v", d)
}

// TestSumUpUnknown: where bytes of one subflow are not known, what follows from bytes stays as it was;
// numbers of segments are sums all the same.
func TestSumUpUnknown(t *testing.T) {
	for name, hide := range map[string]func(c *report.Connection){
		"the connection's bytes":      func(c *report.Connection) { c.A2B.Bytes = nil },
		"a subflow's unique bytes":    func(c *report.Connection) { c.Subflows[1].A2B.BytesUnique = nil },
		"a subflow's reinjected data": func(c *report.Connection) { c.Subflows[1].A2B.ReinjectedBytes = nil },
	} {
		c := threeSubflows()
		c.A2B.Overhead, c.A2B.Paths = new(7.0), []report.PathShare{{Path: "z"}}
		hide(c)
		bytes := c.A2B.Bytes
		new(Builder).sumUp(c)
		d := c.A2B
		assert.Check(t, d.Segments == 111 && *d.Overhead == 7 && len(d.Paths) == 1 && d.Bytes == bytes && c.Subflows[0].A2B.Share == nil, "without %s: %+v", name, d)
	}
}

// TestAddShares: where only a part of the time was looked at, a path of several subflows has the sum of
// their shares, none where one of them has none, and then that one's reason.
func TestAddShares(t *testing.T) {
	const reason = "a reason of the subflow's"
	for name, c := range map[string]struct {
		shares []*float64 // of the subflows
		want   [2]*float64
		why    string
	}{
		"all": {[]*float64{new(30.0), new(50.0), new(20.0)}, [2]*float64{new(50.0), new(50.0)}, ""},
		"one": {[]*float64{nil, new(50.0), new(20.0)}, [2]*float64{nil, new(50.0)}, reason},
	} {
		k := threeSubflows()
		k.A2B.Unavailable.Set("paths[].share_percent", "what one capture said")
		k.A2B.Overhead = new(7.0)
		for i, share := range c.shares {
			s := k.Subflows[i].A2B
			if s.Share = share; share == nil {
				s.Unavailable.Set("share_percent", reason)
			}
		}
		(&Builder{part: true}).sumUp(k)
		for i, want := range c.want {
			assert.Check(t, is.DeepEqual(k.A2B.Paths[i].Percent, want), "%s: share of path %s", name, k.A2B.Paths[i].Path)
		}
		if why, missing := k.A2B.Unavailable.Of("paths[].share_percent"); why != c.why || missing != (c.why != "") || *k.A2B.Overhead != 7 {
			t.Errorf("%s: the reason is %q, want %q; overhead %v of the part stays", name, why, c.why, *k.A2B.Overhead)
		}
	}
}

// TestAdvance: when a connection begins 0.25 s earlier, every time that counts from its start grows by
// that, and no length of time does.
func TestAdvance(t *testing.T) {
	at := func(by float64) *report.Connection {
		dir := func(s float64) *report.ConnDir {
			return &report.ConnDir{Handovers: &report.List[report.Handover]{
				{TS: s + by, GapMS: 8, BlockedMS: 9, RecoveredS: new(s + 1 + by), FailbackMS: new(10.0)},
				{TS: s + 2 + by},
			}}
		}
		return &report.Connection{
			Start: report.Time(5e9 - by*1e9), DurationS: 40 + by, A2B: dir(11), B2A: dir(21),
			Subflows: []report.Subflow{{StartS: 1 + by, EndS: 2 + by, JoinDelay: new(3.0)}, {StartS: 4 + by, EndS: 5 + by}},
			Events:   []report.Event{{TS: 6 + by}, {TS: 7 + by}},
			Verdicts: &report.List[report.Verdict]{{}, {Evidence: []report.Proof{{Value: new(2.0)}, {TS: new(3 + by)}, {TS: new(4 + by)}}}},
		}
	}
	got := at(0)
	advance(got, 0.25)
	assert.Check(t, is.DeepEqual(got, at(0.25)))
}

// TestWhole: both captures show the same connection only if no subflow with data belongs to another one
// in one of them.
func TestWhole(t *testing.T) {
	flow := func(here, there int, d pair.SubflowDir) pair.Subflow {
		return pair.Subflow{ID: [2]pair.SubflowID{{Conn: here}, {Conn: there}}, Dirs: [2]*pair.SubflowDir{{}, &d}}
	}
	sent, arrived, nothing := pair.SubflowDir{Sent: 1}, pair.SubflowDir{Arrived: 1}, pair.SubflowDir{}
	for name, c := range map[string]struct {
		flows []pair.Subflow
		want  bool
	}{
		"one subflow":                     {[]pair.Subflow{flow(1, 2, sent)}, true},
		"two":                             {[]pair.Subflow{flow(1, 2, sent), flow(1, 2, arrived)}, true},
		"parts in the receiver's capture": {[]pair.Subflow{flow(1, 2, sent), flow(1, 3, arrived)}, false},
		"parts in the sender's capture":   {[]pair.Subflow{flow(1, 2, sent), flow(4, 2, arrived)}, false},
		"a part without data":             {[]pair.Subflow{flow(1, 2, sent), flow(1, 3, nothing)}, true},
		"parts that come back":            {[]pair.Subflow{flow(1, 3, sent), flow(1, 2, sent)}, false},
		"no data":                         {[]pair.Subflow{flow(1, 3, nothing)}, true},
		"another connection's":            {[]pair.Subflow{flow(1, 2, sent), flow(5, 6, sent), flow(5, 7, sent)}, true},
	} {
		assert.Check(t, is.Equal(whole(c.flows)(&pair.Conn{ID: [2]int{1, 2}}), c.want), "%s: whole", name)
	}
}
