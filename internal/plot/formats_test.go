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
)

var update = flag.Bool("update", false, "write the golden figures anew; the run fails all the same, so that they are looked at")

func write(t *testing.T, f *plot.Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, format, plot.Layout{Size: plot.DefaultSize}); err != nil {
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
	golden(t, "dsn", figure(t, "dsn"))
}

// golden compares a figure with the file of that name. Words beside the file say what the figure
// shows.
func golden(t *testing.T, name string, f *plot.Figure) {
	t.Helper()
	svg := write(t, f, "svg")
	got := fonts.ReplaceAll(svg, nil)
	if n := len(svg) - len(got); n < 20_000 || n > 100_000 {
		t.Errorf("the SVG holds %d bytes of font; want one, with the glyphs that it needs", n)
	}
	file := filepath.Join("testdata", name+".svg")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Errorf("the golden figure %s was written anew", file)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("the figure differs from %s; look at it and run make golden", file)
	}
	if words, err := os.ReadFile(filepath.Join("testdata", name+".txt")); err != nil || len(words) < 100 {
		t.Errorf("no description of %s beside it: %v", file, err)
	}
}

// TestEveryKind draws each kind in each format.
func TestEveryKind(t *testing.T) {
	begins := map[string]string{"svg": "<?xml", "png": "\x89PNG", "pdf": "%PDF"}
	for _, k := range plot.Kinds() {
		if k.Pair {
			continue // takes two captures: TestOneWayDelay, TestBothHosts
		}
		var names []string
		switch k.Name {
		case "series", "cdf":
			names = []string{"path_delay", "srtt"}
		case "box", "bars":
			names = []string{"goodput"}
		case "grid":
			continue // takes cells: TestGrid
		case "heat", "ranks":
			continue // take several scenarios: TestHeat, TestRanks
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
