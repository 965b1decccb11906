package plot_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	goldenfile "gotest.tools/v3/golden"

	"mpanalyze/internal/plot"
)

func write(t *testing.T, f *plot.Figure, format string) []byte {
	t.Helper()
	return writeAs(t, f, format, plot.Layout{})
}

// writeAs writes a figure in the usual size with a layout.
func writeAs(t *testing.T, f *plot.Figure, format string, o plot.Layout) []byte {
	t.Helper()
	var b bytes.Buffer
	o.Size = plot.DefaultSize
	assert.NilError(t, f.Write(&b, format, o))
	return b.Bytes()
}

var (
	pathTag = regexp.MustCompile(`<path d="([^"]*)"[^>]*stroke:#0072B2`)
	fonts   = regexp.MustCompile(`(?s)<defs>.*?</defs>\n?`)
)

// TestGolden: the same figure makes the same file in each format, without the date of the day.
func TestGolden(t *testing.T) {
	for _, format := range plot.Formats() {
		if a, b := write(t, figure(t, "dsn"), format), write(t, figure(t, "dsn"), format); !bytes.Equal(a, b) || bytes.Contains(a, []byte(time.Now().UTC().Format("D:2006"))) {
			t.Errorf("the same figure gives another %s, or one with the date of today", format)
		}
	}
	golden(t, "dsn", figure(t, "dsn"))
}

// golden compares a figure with the file of that name. Words beside the file say what the figure
// shows.
func golden(t *testing.T, name string, f *plot.Figure) {
	t.Helper()
	svg := write(t, f, "svg")
	got := fonts.ReplaceAll(svg, nil)
	n := len(svg) - len(got)
	assert.Check(t, n >= 8_000 && n <= 50_000, "the SVG holds %d bytes of font; want one, with the glyphs that it needs", n)
	file := filepath.Join("testdata", name+".svg")
	if goldenfile.FlagUpdate() {
		assert.NilError(t, os.WriteFile(file, got, 0o644))
		t.Errorf("the golden figure %s was written anew", file)
		return
	}
	want, err := os.ReadFile(file)
	assert.NilError(t, err)
	assert.Check(t, bytes.Equal(want, got), "the figure differs from %s; look at it and run make golden", file)
	words, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	assert.Check(t, err == nil && len(words) >= 100, "no description of %s beside it: %v", file, err)
}

// TestEveryKind draws each kind in each format.
func TestEveryKind(t *testing.T) {
	begins := map[string]string{"svg": "<?xml", "png": "\x89PNG", "pdf": "%PDF"}
	for _, k := range plot.Kinds() {
		if k.Pair(nil) || slices.Contains([]string{"grid", "heat", "ranks"}, k.Name) {
			continue // takes two captures, cells or several scenarios: golden figures
		}
		names := map[string][]string{"series": {"path_delay", "srtt"}, "cdf": {"path_delay", "srtt"}, "box": {"goodput"}, "bars": {"goodput"}}[k.Name]
		f := figure(t, k.Name, names...)
		formats := plot.Formats()
		if testing.Short() {
			formats = formats[:1] // pixels take long under the race detector
		}
		for _, format := range formats {
			got := write(t, f, format)
			assert.Check(t, strings.HasPrefix(string(got), begins[format]), "%s as %s begins with %q", k.Name, format, got[:8])
		}
	}
}
