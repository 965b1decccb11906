package plot_test

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

var update = flag.Bool("update", false, "write the golden figures anew; the run fails all the same, so that they are looked at")

// chunk is data of the synthetic session: 1 ms = 1e6 ns.
func chunk(sub int, dsn, ssn, length, sentMS int64, kind report.ChunkKind) report.ChunkRow {
	r := report.ChunkRow{
		Cell: report.Cell{Direction: report.A2B, Subflow: sub, Path: []string{"wifi", "lte"}[sub]},
		DSN:  dsn, SSN: ssn, Length: length, Kind: kind, Sent: sentMS * 1e6,
		Acked: (sentMS + 20) * 1e6, DataAcked: report.NoTime, Arrived: report.NoTime, Delivered: report.NoTime,
	}
	if kind == report.ChunkFirst {
		r.DataAcked = (sentMS + 30) * 1e6
	}
	return r
}

// session has 5 chunks of 1000 bytes on wifi every 100 ms from 100 ms on, and
// a reinjection of the last one onto lte at 600 ms.
func session(t *testing.T, k *plot.Kind, names []string) *plot.Run {
	t.Helper()
	s := timeline.New(k.Config(names, 0, 0))
	var err error
	for i := range int64(5) {
		c := chunk(0, 1+1000*i, 1+1000*i, 1000, 100*(i+1), report.ChunkFirst)
		err = errors.Join(err, s.Chunk(&c))
		for name, v := range map[string]float64{"rwnd": 4000, "srtt": float64(10 * (i + 1)), "path_delay": 30, "throughput": float64(i)} {
			if s.Wants(name) {
				row := report.SeriesRow{Cell: c.Cell, Metric: name, T: c.Sent + 30e6, Value: v}
				if name == "rwnd" {
					row.Subflow, row.Path = report.NoSubflow, ""
				}
				err = errors.Join(err, s.Series(&row))
			}
		}
	}
	c := chunk(1, 4001, 1, 1000, 600, report.ChunkReinjection)
	if err = errors.Join(err, s.Chunk(&c)); err != nil {
		t.Fatal(err)
	}
	conn := report.Connection{Subflows: report.List[report.Subflow]{{ID: 0, Path: "wifi"}, {ID: 1, Path: "lte"}}}
	conn.A2B.Bytes = 5000
	conn.A2B.Paths = report.List[report.PathShare]{{Path: "wifi", Bytes: 5000}, {Path: "lte", Bytes: 1000, ReinjectedBytes: 1000}}
	conn.A2B.Goodput = &report.RateStat{Avg: 12.5}
	r := &plot.Run{Document: &report.Document{Connections: report.List[report.Connection]{conn}}, Store: s, Connection: plot.AllConnections}
	if err := r.Resolve(); err != nil {
		t.Fatal(err)
	}
	return r
}

func figure(t *testing.T, kind string, names ...string) *plot.Figure {
	t.Helper()
	k, err := plot.KindNamed(kind)
	if err != nil {
		t.Fatal(err)
	}
	f, err := k.Make([]*plot.Run{session(t, &k, names)}, names)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(t *testing.T, f *plot.Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, format, plot.DefaultSize); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var (
	pathTag = regexp.MustCompile(`<path d="([^"]*)"[^>]*stroke:#0072B2`)
	corner  = regexp.MustCompile(`([ML])(-?[0-9.]+),(-?[0-9.]+)`)
	fonts   = regexp.MustCompile(`(?s)<defs>.*?</defs>\n?`)
)

// TestSVG reads the bars of wifi's chunks out of the file. Chunk i was sent at
// 100(i+1) ms and reaches from DSN 1+1000i to 1001+1000i, so the bars stand at
// equal distances, and each begins where the one before ends.
func TestSVG(t *testing.T) {
	svg := string(write(t, figure(t, "dsn"), "svg"))
	var found [][]float64
	for _, tag := range pathTag.FindAllStringSubmatch(svg, -1) {
		if c := corner.FindAllStringSubmatch(tag[1], -1); len(c) == 10 { // from and to of five bars
			for _, m := range c {
				x, errX := strconv.ParseFloat(m[2], 64)
				y, errY := strconv.ParseFloat(m[3], 64)
				if err := errors.Join(errX, errY); err != nil {
					t.Fatal(err)
				}
				found = append(found, []float64{x, y})
			}
		}
	}
	if len(found) != 10 {
		t.Fatalf("%d ends of bars in blue, want 10", len(found))
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 0.02 { // of a point; coordinates have five digits
			t.Errorf("%s: %.3f pt, want %.3f", what, got, want)
		}
	}
	stepX, stepY := (found[8][0]-found[0][0])/4, (found[8][1]-found[0][1])/4
	if stepX < 10 || stepY < 10 {
		t.Fatalf("the bars are %.1f and %.1f pt apart: want a figure", stepX, stepY)
	}
	for i := range 5 {
		lo, hi := found[2*i], found[2*i+1]
		near("time of chunk "+strconv.Itoa(i), lo[0], found[0][0]+float64(i)*stepX)
		near("chunk is upright", hi[0], lo[0])
		near("lower end", lo[1], found[0][1]+float64(i)*stepY)
		near("upper end", hi[1], found[0][1]+float64(i+1)*stepY)
	}
}

func TestGolden(t *testing.T) {
	svg := write(t, figure(t, "dsn"), "svg")
	if again := write(t, figure(t, "dsn"), "svg"); !bytes.Equal(svg, again) {
		t.Error("the same figure gives another SVG")
	}
	if a, b := write(t, figure(t, "dsn"), "png"), write(t, figure(t, "dsn"), "png"); !bytes.Equal(a, b) {
		t.Error("the same figure gives another PNG")
	}
	if a, b := write(t, figure(t, "dsn"), "pdf"), write(t, figure(t, "dsn"), "pdf"); !bytes.Equal(a, b) || bytes.Contains(a, []byte(time.Now().UTC().Format("D:2006"))) {
		t.Error("the same figure gives another PDF, or one with today's date")
	}
	got := fonts.ReplaceAll(svg, nil)
	if n := len(svg) - len(got); n < 20_000 || n > 100_000 {
		t.Errorf("the SVG holds %d octets of font; want one, with the glyphs that it needs", n)
	}
	name := filepath.Join("testdata", "dsn.svg")
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatal("the golden figure was written anew")
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("the figure differs from %s; look at it and run make golden", name)
	}
}

// layerNamed returns the coordinates of a layer.
func layerNamed(t *testing.T, f *plot.Figure, name string) []plot.Coord {
	t.Helper()
	var names []string
	for _, p := range f.Panels {
		for _, l := range p.Layers {
			if l.Name == name {
				return l.XY
			}
			names = append(names, l.Name)
		}
	}
	t.Fatalf("no layer %q among %q", name, names)
	return nil
}

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
	if got := layerNamed(t, f, "wifi"); got[0].Hi != 5 {
		t.Errorf("wifi carried %v kB, want 5", got[0].Hi)
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

// TestEveryKind draws each kind in each format.
func TestEveryKind(t *testing.T) {
	begins := map[string]string{"svg": "<?xml", "png": "\x89PNG", "pdf": "%PDF"}
	for _, k := range plot.Kinds() {
		var names []string
		switch k.Name {
		case "series", "cdf":
			names = []string{"path_delay", "srtt"}
		case "box":
			names = []string{"goodput"}
		case "owd":
			continue // takes two captures: TestOneWayDelay
		}
		f := figure(t, k.Name, names...)
		formats := plot.Formats()
		if testing.Short() {
			formats = formats[:1] // pixels take long under the race detector
		}
		for _, format := range formats {
			if got := write(t, f, format); !strings.HasPrefix(string(got), begins[format]) {
				t.Errorf("%s as %s begins with %q", k.Name, format, got[:8])
			}
		}
	}
}

// TestOneWayDelay: the second capture's clock is 300 ms ahead and gains 100 ppm,
// so 0.1 ms in a second. Data from the first capture's host that is sent at 1 s
// and stamped 1.32 s takes 1320 - 1000 - 300.1 = 19.9 ms; data from the other
// host, stamped 1.3 s there and 1.02 s here, left at 1.3 - 0.30013 = 0.99987 s
// and took 1020 - 999.87 = 20.13 ms.
func TestOneWayDelay(t *testing.T) {
	k, err := plot.KindNamed("owd")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		direction        report.Direction
		sent, arrived    int64
		wantAt, wantTook float64
	}{
		{report.A2B, 1000e6, 1320e6, 1, 19.9},
		{report.B2A, 1300e6, 1020e6, 0.99987, 20.13},
	} {
		s := timeline.New(k.Config(nil, 0, 0))
		cell := report.Cell{Direction: tt.direction, Path: "wifi"}
		if err := s.Packet(&report.PacketRow{Cell: cell, Fate: "arrived", Sent: tt.sent, Arrived: tt.arrived}); err != nil {
			t.Fatal(err)
		}
		start := report.Time(1e18)
		doc := &report.Document{
			Captures:    report.List[report.Capture]{{First: &start}},
			Connections: report.List[report.Connection]{{Start: start, Vantage: report.VantageA}},
			Clock:       &report.Clock{Offset: 300, Drift: 100},
		}
		r := &plot.Run{Document: doc, Store: s, Direction: tt.direction}
		f, err := k.Make([]*plot.Run{r}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := layerNamed(t, f, "wifi")[0]
		if math.Abs(got.X-tt.wantAt) > 1e-9 || math.Abs(got.Lo-tt.wantTook) > 1e-6 {
			t.Errorf("%s: %v ms at %v s, want %v at %v", tt.direction, got.Lo, got.X, tt.wantTook, tt.wantAt)
		}
		// Of the 0.5 ms before and behind, a store gets those packets.
		r.From, r.To = int64(tt.wantAt*1e9)-500e3, int64(tt.wantAt*1e9)+500e3
		if from, to := r.Sending(); math.Abs(float64(from-tt.sent+500e3)) > 100 || math.Abs(float64(to-tt.sent-500e3)) > 100 {
			t.Errorf("%s: sent from %d to %d, want %d and 0.5 ms around it", tt.direction, from, to, tt.sent)
		}
		if _, err := k.Make([]*plot.Run{r}, nil); err != nil {
			t.Errorf("%s: the packet is not in its time: %v", tt.direction, err)
		}
		r.From, r.To = 0, 0.5e9
		if _, err := k.Make([]*plot.Run{r}, nil); !errors.Is(err, plot.ErrEmpty) {
			t.Errorf("%s: a packet of 1 s is drawn before 0.5 s: %v", tt.direction, err)
		}
		doc.Clock = nil
		if _, err := k.Make([]*plot.Run{r}, nil); !errors.Is(err, plot.ErrEmpty) {
			t.Errorf("%s: drawn from one capture: %v", tt.direction, err)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	k, err := plot.KindNamed("series")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"hol_degree"}
	r := session(t, &k, names)
	d := &r.Document.Connections[0].A2B
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
