package plot_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// Numbers of states in the series time_account.
const (
	down, recovery, slowStart, path = 1, 2, 5, 6
)

// change is the state of a subflow from a time on, ms.
type change struct {
	at    int64
	state float64
}

// accounted returns a run of the synthetic session whose paths have these states.
func accounted(t *testing.T, from, to int64, wifi, lte []change) (*plot.Kind, *plot.Run) {
	t.Helper()
	k := kindNamed(t, "time_account")
	r := session(t, &k, nil)
	r.From, r.To = from*1e6, to*1e6
	r.Store = timeline.New(k.Config(nil, r.From, r.To))
	for sub, list := range [][]change{wifi, lte} {
		for _, c := range list {
			put(t, r.Store, "time_account", sub, [2]float64{float64(c.at) / 1e3, c.state})
			put(t, r.Store, "throughput", sub, [2]float64{float64(c.at) / 1e3, 3 + float64(sub)})
		}
	}
	return &k, r
}

// band is a state of a path in a figure, ms.
type band struct {
	from, to int64
	state    int
}

// bandsOf returns the bands of a row of n, in order of time. Rows are 1 high, the first is on top.
func bandsOf(p *plot.Panel, row, n int) (out []band) {
	for _, l := range p.Layers {
		state := slices.Index(stateNames(), l.Name)
		for i := 0; l.Shape == plot.Bands && i < len(l.XY); i += 2 {
			if from, to := l.XY[i], l.XY[i+1]; int(from.Lo) == n-1-row && from.Lo == to.Lo && from.Hi == to.Hi {
				out = append(out, band{int64(math.Round(from.X * 1e3)), int64(math.Round(to.X * 1e3)), state})
			}
		}
	}
	slices.SortFunc(out, func(a, b band) int { return int(a.from - b.from) })
	return out
}

func stateNames() (names []string) {
	for _, s := range new(report.TimeAccount).States() {
		names = append(names, s.Name)
	}
	return names
}

// TestBands: the bands of each path are the values of its series, each from its time to the next
// one's, and the last value ends the band. Equal values one after the other are one band.
func TestBands(t *testing.T) {
	wifi := []change{{100, slowStart}, {200, path}, {250, path}, {400, down}, {900, down}}
	lte := []change{{150, path}, {500, recovery}, {700, recovery}, {800, recovery}}
	for name, tt := range map[string]struct {
		from, to  int64
		wifi, lte []band
	}{
		"all": {
			0, 0,
			[]band{{100, 200, slowStart}, {200, 400, path}, {400, 900, down}},
			[]band{{150, 500, path}, {500, 800, recovery}},
		},
		"the time of --from and --to alone": {
			300, 600,
			[]band{{300, 400, path}, {400, 600, down}},
			[]band{{300, 500, path}, {500, 600, recovery}},
		},
	} {
		k, r := accounted(t, tt.from, tt.to, wifi, lte)
		f := drawnBy(t, k, nil, r)
		p := &f.Panels[0]
		assert.Assert(t, len(p.Rows) == 2 && p.Rows[0].Name == "wifi" && p.Rows[1].Name == "lte", "%s: rows %v, want wifi and lte", name, p.Rows)
		for row, want := range [][]band{tt.wifi, tt.lte} {
			assert.Check(t, is.DeepEqual(bandsOf(p, row, 2), want, cmp.AllowUnexported(band{})), "%s, row %d", name, row)
		}
		for _, l := range p.Layers {
			if at := slices.Index(stateNames(), l.Name); l.Shape == plot.Bands && (l.Colour != palette.OfState(at).Colour || l.Dash != palette.OfState(at).Stripes) {
				t.Errorf("%s: %s has colour %v and stripes %d", name, l.Name, l.Colour, l.Dash)
			}
		}
	}
}

// TestThroughputOverBands: the curves have one scale, that of the quicker path, 4 Mbit/s, and
// each is drawn in its row, above the band.
func TestThroughputOverBands(t *testing.T) {
	k, r := accounted(t, 0, 0, []change{{100, path}, {200, path}}, []change{{100, path}, {200, path}})
	f := drawnBy(t, k, nil, r)
	for i, l := range f.Panels[0].Layers[:2] {
		value := 3 + float64(i)
		at := l.Shift + l.Scale*value
		part := at - float64(1-i) // of the row, which is 1 high
		assert.Check(t, l.Name == "throughput" && l.XY[0].Lo == value && f.Panels[0].Rows[i].Full == 4 && part >= 0.3 && part <= 0.8,
			"row %d: %s %v Mbit/s of %v at %v of the row", i, l.Name, l.XY[0].Lo, f.Panels[0].Rows[i].Full, part)
	}
}

// TestAccountMoments: the figure marks the handover, the return of the path, the end of the data
// and the first packet that proves the first verdict, in the time that it shows.
func TestAccountMoments(t *testing.T) {
	k, r := accounted(t, 0, 0, []change{{100, path}, {900, path}}, nil)
	c := &r.Document.Connections[0]
	to, away := report.A2B, report.B2A
	c.Events = report.List[report.Event]{
		{TS: 0.2, Subflow: new(0), Direction: &to, Kind: report.EventHandover},
		{TS: 0.3, Subflow: new(0), Direction: &away, Kind: report.EventFin},
		{TS: 0.8, Direction: &to, Kind: report.EventDataFin},
		{TS: 3, Direction: &to, Kind: report.EventFin},
	}
	c.A2B.Handovers = &report.List[report.Handover]{{RecoveredS: new(0.5)}}
	c.Verdicts = &report.List[report.Verdict]{{Code: "path_died", Text: "wifi made no progress for 0.3 s: nothing came; look", Evidence: report.List[report.Proof]{{Value: new(1.0)}, {TS: new(0.21)}}}}
	f := drawnBy(t, k, nil, r)
	var got []string
	for _, e := range f.Panels[0].Moments {
		got = append(got, e.Letter+" "+e.Name)
	}
	assert.Check(t, is.DeepEqual(got, []string{"H handover", "V verdict path_died", "B path back", "E end of data"}))
	assert.Check(t, is.Equal(f.Panels[0].Head, "path_died: wifi made no progress for 0.3 s"), "the head")
}

// TestAccountTexts: the longest states stand behind a path's name, and those of the connection in the
// title. Without an account the figure has the throughput, and says why in place of the bands.
func TestAccountTexts(t *testing.T) {
	k, r := accounted(t, 0, 0, []change{{100, path}, {900, path}}, nil)
	x := &report.TimeAccount{Path: report.StateTime{MS: 700, Percent: 70}, Down: report.StateTime{MS: 296, Percent: 29.6}, Idle: report.StateTime{MS: 4, Percent: 0.4}}
	c := &r.Document.Connections[0]
	c.A2B.TimeAccount, c.Subflows[0].A2B.TimeAccount = x, x
	f := drawnBy(t, k, nil, r)
	got, want := f.Panels[0].Rows[0].Words, []string{"path 70%", "down 30%"}
	assert.Check(t, slices.Equal(got, want) && f.Caption == "shares of the time: path 70%, down 30%", "%q with the caption %q, want %q", got, f.Caption, want)
	r.Store = timeline.New(timeline.Config{Series: []string{"throughput"}})
	put(t, r.Store, "throughput", 0, [2]float64{0.1, 3}, [2]float64{0.9, 3})
	c.Subflows[0].A2B.Unavailable.Set("time_account", "the moon was full")
	assert.Check(t, is.Equal(drawnBy(t, k, nil, r).Panels[0].Rows[0].Note, "no time_account: the moon was full"), "what stands in place of the band")
}

// TestSharesOfSeveralRuns: of four runs of lia the path is used for 60, 70, 80 and 90 %, 75 % in the
// mean, and down in the rest; olia's, captured at the receiver, is idle for 40 %; balia has no account.
// The bars of a scenario stand on each other and reach 100 %. Runs of lia alone have a bar each.
func TestSharesOfSeveralRuns(t *testing.T) {
	var runs []*plot.Run
	k := kindNamed(t, "time_account")
	share := func(v float64) report.StateTime { return report.StateTime{Percent: v} }
	for i, scenario := range []string{"lia", "lia", "lia", "lia", "olia", "balia"} {
		r, used := session(t, &k, nil), float64(60+10*i)
		r.Scenario = scenario
		x := &report.TimeAccount{Path: share(used), Down: share(100 - used)}
		if i == 4 {
			x = &report.TimeAccount{SeenAt: report.SeenAtReceiver, Idle: share(40), Undetermined: share(60)}
		}
		if r.Document.Connections[0].A2B.TimeAccount = x; i == 5 {
			r.Document.Connections[0].A2B = &report.ConnDir{Unavailable: report.Reasons{{Metric: "time_account", Why: "the moon was full"}}}
		}
		runs = append(runs, r)
	}
	f := drawnBy(t, &k, nil, runs...)
	shows(t, &f.Panels[0], map[string][]plot.Coord{
		"down": {{X: 0, Lo: 0, Hi: 25}}, "path": {{X: 0, Lo: 25, Hi: 100}}, "undetermined": {{X: 1, Lo: 0, Hi: 60}}, "idle": {{X: 1, Lo: 60, Hi: 100}}, "": {{X: 2}},
	})
	assert.Check(t, is.DeepEqual(f.Panels[0].Names, []string{"lia", "olia", "balia"}))
	assert.Check(t, is.DeepEqual(f.Panels[0].Layers[len(f.Panels[0].Layers)-1].Labels, []string{"no time_account"}))
	assert.Check(t, is.DeepEqual(f.Missing, []string{"balia: 1 of 1 runs: no time_account in connection 0, a2b: the moon was full"}))
	assert.Check(t, is.DeepEqual(f.Notes, []string{"runs captured at the receiver do not show all states; the rest of their time is undetermined"}))

	f = drawnBy(t, &k, nil, runs[:2]...)
	shows(t, &f.Panels[0], map[string][]plot.Coord{"down": {{X: 0, Hi: 40}, {X: 1, Hi: 30}}, "path": {{X: 0, Lo: 40, Hi: 100}, {X: 1, Lo: 30, Hi: 100}}})
	assert.Check(t, is.DeepEqual(f.Panels[0].Names, []string{"lia run 1", "lia run 2"}))
	runs[0].From = 1
	_, err := k.Make(runs[:2], nil)
	assert.Check(t, is.ErrorContains(err, "leave out --from and --to"))
}
