package plot_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"mpanalyze/internal/plot"
)

// TestWindowEdge: the DATA_ACK of chunk i comes at 100(i+1)+30 ms and stands
// at 1001+1000i; the edge is 4000 above it. The axis counts kB.
func TestWindowEdge(t *testing.T) {
	f := figure(t, "dsn")
	if want := "Data sequence number (kB)"; f.Panels[0].Y != want {
		t.Errorf("axis %q, want %q", f.Panels[0].Y, want)
	}
	for name, above := range map[string]float64{"DATA_ACK": 0, "window edge": 4} {
		got := layerNamed(t, f, name)
		if len(got) != 5 {
			t.Fatalf("%s has %d points, want 5", name, len(got))
		}
		for i, c := range got {
			x, y := 0.1*float64(i+1)+0.03, 1.001+float64(i)+above
			if math.Abs(c.X-x) > 1e-9 || math.Abs(c.Lo-y) > 1e-9 {
				t.Errorf("%s %d at (%v s, %v kB), want (%v, %v)", name, i, c.X, c.Lo, x, y)
			}
		}
	}
	if got := layerNamed(t, f, "reinjection"); len(got) != 1 || got[0] != (plot.Coord{X: 0.6, Lo: 4.001, Hi: 5.001}) {
		t.Errorf("reinjection at %v, want 0.6 s, 4.001 to 5.001 kB", got)
	}
}

// TestCDF: of the values 10, 20, 30, 40, 50 the median is 30 and a quarter is
// at 20 (type 7).
func TestCDF(t *testing.T) {
	got := layerNamed(t, figure(t, "cdf", "srtt"), "wifi")
	for share, want := range map[float64]float64{0: 10, 25: 20, 50: 30, 75: 40, 100: 50} {
		for _, c := range got {
			if c.Lo == share && math.Abs(c.X-want) > 1e-9 {
				t.Errorf("%v %% of the values reach %v ms, want %v", share, c.X, want)
			}
		}
	}
	if first, last := got[0], got[len(got)-1]; first.Lo != 0 || last.Lo != 100 {
		t.Errorf("the curve goes from %v to %v %%, want 0 to 100", first.Lo, last.Lo)
	}
}

func TestShares(t *testing.T) {
	f := figure(t, "shares")
	if p := f.Panels[0]; p.Names[0] != "wifi" || p.Layers[0].XY[0] != (plot.Coord{X: 0, Hi: 5}) {
		t.Errorf("%s carried %v kB, want 5 on wifi", p.Names[0], p.Layers[0].XY[0].Hi)
	}
	if got := f.Panels[1].Layers[3].XY[0]; got.Hi != 1000 {
		t.Errorf("%v bytes reinjected onto lte, want 1000", got.Hi)
	}
}

// TestBox has three runs: a box over 12.5 with each run a dot.
func TestBox(t *testing.T) {
	k, err := plot.KindNamed("box")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"goodput"}
	var runs []*plot.Run
	for range 3 {
		r := session(t, &k, names)
		r.Scenario = "lia"
		runs = append(runs, r)
	}
	f, err := k.Make(runs, names)
	if err != nil {
		t.Fatal(err)
	}
	dots := f.Panels[0].Layers[1].XY
	if len(dots) != 3 || dots[2].Lo != 12.5 {
		t.Errorf("dots %v, want three at 12.5 Mbit/s", dots)
	}
}

func TestNothingToDraw(t *testing.T) {
	k, err := plot.KindNamed("series")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"hol_degree"}
	r := session(t, &k, names)
	d := r.Document.Connections[0].A2B
	d.Unavailable.Set("hol_degree_ms", "the moon was full")
	if _, err = k.Make([]*plot.Run{r}, names); !errors.Is(err, plot.ErrEmpty) || !strings.Contains(err.Error(), "no hol_degree in connection 0, a2b: the moon was full") {
		t.Errorf("error %v, want one that says what is missing and why", err)
	}
	r.Connection = 7
	if err := r.Resolve(); !errors.Is(err, plot.ErrEmpty) || !strings.Contains(err.Error(), "no connection 7") {
		t.Errorf("error %v, want one that names the connection", err)
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct{ kind, metric, want string }{
		{"dsn", "srtt", "takes no metric"},
		{"series", "srt", "did you mean srtt"},
		{"series", "bytes", "has no series"},
		{"series", "srtt", ""},
		{"box", "bytes", ""},
	} {
		k, err := plot.KindNamed(tt.kind)
		if err != nil {
			t.Fatal(err)
		}
		err = k.Check([]string{tt.metric})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s %s: error %v, want %q", tt.kind, tt.metric, err, tt.want)
		}
	}
	if _, err := plot.KindNamed("pie"); err == nil || !strings.Contains(err.Error(), "dsn") {
		t.Errorf("error %v, want one that lists the kinds", err)
	}
}
