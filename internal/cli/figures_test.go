package cli_test

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/report"
)

// TestFiguresOfBundledSession runs the true engine: the highest data sequence
// number on the page is that of the last byte in the report, and an SVG shows
// the paths by name.
func TestFiguresOfBundledSession(t *testing.T) {
	capture := filepath.Join(sessions, "v1", "l-single-loss", "client.pcap.zst")
	program := func(args ...string) []byte {
		t.Helper()
		code, out, errs := trueProgram(args...)
		assert.Assert(t, code == cli.ExitOK, "%v: status %d, %s", args, code, errs)
		return out
	}
	var doc report.Document
	assert.NilError(t, json.Unmarshal(program("analyze", "--json", capture), &doc))
	c := doc.Connections[0]
	data := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindSubmatch(program("report", capture, "-o", "-"))
	var got []struct {
		Charts []struct {
			Y      string
			Layers []struct{ Lo, H []float64 }
		}
	}
	assert.NilError(t, json.Unmarshal(data[1], &got))
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
	end := float64(max(*c.A2B.Bytes, *c.B2A.Bytes)+1) / 1e3
	assert.Check(t, math.Abs(highest-end) <= 1e-6, "data ends at %v kB, want %v", highest, end)
	svg := program("plot", capture, "--kind", "dsn", "-o", "-", "--format", "svg")
	for _, s := range c.Subflows {
		assert.Check(t, bytes.Contains(svg, []byte(s.Path)), "no path %s in the figure", s.Path)
	}
}
