package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

var sessions = filepath.Join("..", "..", "testdata", "sessions")

// trueProgram runs the program with the true engine.
func trueProgram(args ...string) (code cli.ExitCode, out []byte, errs string) {
	var o, e bytes.Buffer
	s := cli.Streams{Out: &o, Err: &e, Getenv: os.Getenv}
	code = cli.Main(args, s, cli.Engine{Analyze: engine.Analyze, Stored: engine.AnalyzeStored, Follow: engine.Follow}, "v0-test")
	return code, o.Bytes(), e.String()
}

// TestFiguresOfBundledSession runs the true engine: the highest data sequence
// number on the page is that of the last byte in the report, and an SVG shows
// the paths by name.
func TestFiguresOfBundledSession(t *testing.T) {
	capture := filepath.Join(sessions, "v1", "l-single-loss", "client.pcap.zst")
	program := func(args ...string) []byte {
		t.Helper()
		code, out, errs := trueProgram(args...)
		if code != cli.ExitOK {
			t.Fatalf("%v: status %d, %s", args, code, errs)
		}
		return out
	}
	var doc report.Document
	if err := json.Unmarshal(program("analyze", "--json", capture), &doc); err != nil {
		t.Fatal(err)
	}
	c := doc.Connections[0]
	data := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindSubmatch(program("report", capture, "-o", "-"))
	var got []struct {
		Charts []struct {
			Y      string
			Layers []struct{ Lo, H []float64 }
		}
	}
	if err := json.Unmarshal(data[1], &got); err != nil {
		t.Fatal(err)
	}
	highest := 0.0 // kB, the unit of less than 2 MB
	for _, c := range got[0].Charts {
		if !strings.HasPrefix(c.Y, "Data sequence number") {
			continue
		}
		for _, l := range c.Layers {
			for i, h := range l.H { // spans of data alone have a height
				highest = max(highest, l.Lo[i]+h)
			}
		}
	}
	if end := float64(max(*c.A2B.Bytes, *c.B2A.Bytes)+1) / 1e3; math.Abs(highest-end) > 1e-6 {
		t.Errorf("data ends at %v kB, want %v", highest, end)
	}
	svg := program("plot", capture, "--kind", "dsn", "-o", "-", "--format", "svg")
	for _, s := range c.Subflows {
		if !bytes.Contains(svg, []byte(s.Path)) {
			t.Errorf("no path %s in the figure", s.Path)
		}
	}
}

// TestPlotFindsRuns: a pattern, a manifest and names on the command line find the same
// runs and draw the same figure; captures of both hosts make a figure of one-way delays;
// a run without a capture is named, left out and counted.
func TestPlotFindsRuns(t *testing.T) {
	dir := t.TempDir()
	var manifest strings.Builder
	manifest.WriteString("scenario,run,files\n")
	var named []string
	for i, scenario := range []string{"s1", "s2"} {
		for _, host := range []string{"client", "server"} {
			text, err := os.ReadFile(filepath.Join(sessions, "v1", "l-single-loss", host+".pcap.zst"))
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, scenario, "run1", host+".pcap.zst")
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, text, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		client := filepath.Join(dir, scenario, "run1", "client.pcap.zst")
		manifest.WriteString(fmt.Sprintf("%s,%d,%s\n", scenario, i, client))
		named = append(named, scenario+"="+client)
	}
	list := filepath.Join(dir, "runs.csv")
	if err := os.WriteFile(list, []byte(manifest.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	draw := func(want cli.ExitCode, args ...string) (string, string) {
		t.Helper()
		code, out, errs := trueProgram(append([]string{"plot", "-o", "-", "--format", "svg", "--label", "10.2.1.0/24=wifi"}, args...)...)
		if code != want {
			t.Fatalf("%v: status %d, want %d: %s", args, code, want, errs)
		}
		return string(out), errs
	}
	figure, _ := draw(cli.ExitOK, append(named, "--kind", "box", "--metric", "srtt")...)
	for _, text := range []string{">s1<", ">s2<", ">wifi<"} {
		if !strings.Contains(figure, text) {
			t.Errorf("no %s in the figure", text)
		}
	}
	if again, _ := draw(cli.ExitOK, "--kind", "box", "--metric", "srtt", "--pattern", dir+"/{scenario}/run{run}/client.pcap"); again != figure {
		t.Error("the pattern gives another figure")
	}
	if again, _ := draw(cli.ExitOK, "--kind", "box", "--metric", "srtt", "--manifest", list); again != figure {
		t.Error("the manifest gives another figure")
	}
	if figure, _ := draw(cli.ExitOK, "--kind", "owd", "--pattern", dir+"/{scenario}/run{run}/{host}.pcap"); !strings.Contains(figure, "One-way delay (ms)") {
		t.Error("no one-way delays of captures of both hosts")
	}
	if err := os.Remove(filepath.Join(dir, "s2", "run1", "server.pcap.zst")); err != nil {
		t.Fatal(err)
	}
	if _, errs := draw(cli.ExitDamaged, "--kind", "owd", "--pattern", dir+"/{scenario}/run{run}/{host}.pcap"); !strings.Contains(errs, "skipped 1 of 2 runs") || !strings.Contains(errs, "s2, run 1") {
		t.Errorf("errors %q, want the run without its second capture named and counted", errs)
	}
	if _, errs := draw(cli.ExitFailed, "--kind", "box", "--pattern", dir+"/{scenario}/nothing.pcap"); !strings.Contains(errs, "no file has such a name") {
		t.Errorf("errors %q, want what the pattern lacks", errs)
	}
}

// TestPlotTakesReports: a report has the figures of boxes and shares, and no series.
func TestPlotTakesReports(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.json")
	capture := filepath.Join(sessions, "v1", "l-single-loss", "client.pcap.zst")
	if code, _, errs := trueProgram("analyze", capture, "--json="+file); code != cli.ExitOK {
		t.Fatal(errs)
	}
	for _, kind := range []string{"box", "shares"} {
		_, want, _ := trueProgram("plot", capture, "--kind", kind, "-o", "-", "--format", "svg")
		if code, got, errs := trueProgram("plot", file, "--kind", kind, "-o", "-", "--format", "svg"); code != cli.ExitOK || !bytes.Equal(got, want) {
			t.Errorf("%s: status %d, %s; want the figure of the capture", kind, code, errs)
		}
	}
	if code, _, errs := trueProgram("plot", file, "--kind", "dsn", "-o", "-", "--format", "svg"); code != cli.ExitFailed || !strings.Contains(errs, "a report holds no series") {
		t.Errorf("status %d, %q", code, errs)
	}
}
