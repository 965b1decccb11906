package plot_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/plot"
	"mpanalyze/internal/testrun"
)

// inFile writes a figure to a file, and returns its name.
func inFile(t *testing.T, f *plot.Figure, format string, o plot.Layout) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "figure."+format)
	assert.NilError(t, os.WriteFile(name, writeAs(t, f, format, o), 0o600))
	return name
}

// needs skips a test where a program is not installed.
func needs(t *testing.T, program, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("no %s: install the package %s to run this test", program, pkg)
	}
}

// TestTextsOfFigures: what a title says is in the PDF and in the SVG, as text.
func TestTextsOfFigures(t *testing.T) {
	needs(t, "pdftotext", "poppler-utils")
	const title = `Kämpfe → Łódź: β ≥ 2 µs – 3 € · (Mbit/s)² “x” <&>`
	f := figure(t, "dsn")
	f.Title = title
	text, err := testrun.Command(t, "pdftotext", "-layout", inFile(t, f, "pdf", plot.Layout{}), "-").Output()
	assert.NilError(t, err)
	assert.Check(t, is.Contains(string(text), title))
	svg := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&#34;", `"`).Replace(string(write(t, f, "svg")))
	assert.Check(t, is.Contains(svg, ">"+title+"<"))
	assert.Check(t, is.Len(f.Undrawable(plot.Layout{}), 0))
	f.Title = "日本 日"
	assert.Check(t, is.Equal(string(f.Undrawable(plot.Layout{})), "日本"))
	assert.Check(t, is.Len(f.Undrawable(plot.Layout{Title: new("another title")}), 0))
}

// zigzag is a figure of a line that turns 400 times, ever more sharply.
func zigzag() *plot.Figure {
	l := plot.Layer{Name: "zigzag", Shape: plot.Line, Colour: color.NRGBA{A: 0xff}}
	for i := range 400 {
		y := 20 + float64(i%2*i)/200
		l.XY = append(l.XY, plot.Coord{X: float64(i), Lo: y, Hi: y})
	}
	l.XY = append(l.XY, plot.Coord{X: 400, Lo: 40, Hi: 40})
	return &plot.Figure{Panels: []plot.Panel{{X: "x", Y: "y", Layers: []plot.Layer{l}}}}
}

// TestLinesKeepToTheirData: no format has ink where a PNG, whose joins are round, has none. A mitred join leaves the data where a line
// turns sharply. So it is on logarithmic axes, and where limits cut the line off.
func TestLinesKeepToTheirData(t *testing.T) {
	for name, o := range map[string]plot.Layout{
		"linear": {}, "log": {X: plot.Scale{Log: true}, Y: plot.Scale{Log: true}}, "limits": {X: plot.Scale{Low: new(100.0), High: new(300.0)}, Y: plot.Scale{High: new(20.7)}},
	} {
		o.DPI = 200
		t.Run(name, func(t *testing.T) { keepToTheirData(t, o) })
	}
}

func keepToTheirData(t *testing.T, o plot.Layout) {
	t.Helper()
	needs(t, "pdftoppm", "poppler-utils")
	want, err := png.Decode(bytes.NewReader(writeAs(t, zigzag(), "png", o)))
	assert.NilError(t, err)
	size := want.Bounds().Size()
	for format, raster := range map[string]func(file string) []byte{
		"pdf": func(file string) []byte {
			out, err := testrun.Command(t, "pdftoppm", "-r", "200", "-singlefile", "-png", file).Output()
			assert.NilError(t, err)
			return out
		},
		"svg": func(file string) []byte {
			needs(t, "chromium", "chromium")
			shot := file + ".png"
			dots := strconv.FormatFloat(200./96, 'f', -1, 64)
			window := strconv.Itoa(size.X*96/200+1) + "," + strconv.Itoa(size.Y*96/200+100)
			out, err := testrun.Command(t, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor="+dots,
				"--window-size="+window, "--user-data-dir="+t.TempDir(), "--screenshot="+shot, "file://"+file).CombinedOutput()
			assert.NilError(t, err, "%s", out)
			data, err := os.ReadFile(shot)
			assert.NilError(t, err)
			return data
		},
	} {
		t.Run(format, func(t *testing.T) {
			got, err := png.Decode(bytes.NewReader(raster(inFile(t, zigzag(), format, o))))
			assert.NilError(t, err)
			stray := 0
			for y := range min(size.Y, got.Bounds().Dy()) {
				for x := range min(size.X, got.Bounds().Dx()) {
					if dark(got, x, y) && !near(want, x, y) {
						stray++
					}
				}
			}
			assert.Check(t, got.Bounds().Dx() >= size.X && got.Bounds().Dy() >= size.Y && stray <= 5, "%d dots have ink that the PNG does not have near them", stray)
		})
	}
}

// dark reports whether a dot has ink.
func dark(m image.Image, x, y int) bool {
	return color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y < 128
}

// near reports whether a dot or one at most two dots away from it has ink.
func near(m image.Image, x, y int) bool {
	for dy := -2; dy <= 2; dy++ {
		for dx := -2; dx <= 2; dx++ {
			if image.Pt(x+dx, y+dy).In(m.Bounds()) && dark(m, x+dx, y+dy) {
				return true
			}
		}
	}
	return false
}
