package page_test

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// accounted returns the page of the session with an account: the first path is used (6) from 0
// to 0.5 s and is down (1) until 1 s; the second path is down from 0.2 to 1 s.
func accounted(t *testing.T) string {
	t.Helper()
	doc, store := session(t)
	c := &doc.Connections[1]
	x := &report.TimeAccount{DurationMS: 1000, Down: report.StateTime{MS: 500, Percent: 50}, Path: report.StateTime{MS: 500, Percent: 50}}
	c.A2B.TimeAccount = x
	for sub, changes := range [][][2]float64{{{0, 6}, {0.5, 1}, {1, 1}}, {{0.2, 1}, {1, 1}}} {
		c.Subflows[sub].A2B.TimeAccount = x
		cell := report.Cell{Connection: 1, Direction: report.A2B, Subflow: sub, Path: c.Subflows[sub].Path}
		put(t, store, cell, "time_account", changes...)
	}
	return written(t, doc, store)
}

// TestBandsOfPage reads the bands back: times in microseconds, each after the one before, and the
// row of each band.
func TestBandsOfPage(t *testing.T) {
	text := accounted(t)
	onlyOurs(t, text)
	var got []struct {
		Charts []struct {
			Rows   []struct{ Name string }
			Layers []struct {
				Name, Shape, Ink string
				Rows             []int
				X                []int64
			}
		}
	}
	dataOf(t, text, &got)
	first := got[1].Charts[0]
	assert.Assert(t, len(first.Rows) == 2 && first.Rows[0].Name == "wifi", "rows %v", first.Rows)
	found := 0
	for _, l := range first.Layers {
		want := map[string][]int64{"down": {500_000, 500_000, -800_000, 800_000}, "path": {0, 500_000}}[l.Name]
		rows := map[string][]int{"down": {0, 1}, "path": {0}}[l.Name]
		if l.Shape != "bands" {
			continue
		}
		found++
		assert.Check(t, slices.Equal(l.X, want) && slices.Equal(l.Rows, rows), "%s: times %v in rows %v, want %v in %v", l.Name, l.X, l.Rows, want, rows)
	}
	assert.Check(t, found == 2, "%d states, want 2", found)
}

// TestPageBeginsWithTime: the chart stands before all tables, and where there is no account, the
// reason.
func TestPageBeginsWithTime(t *testing.T) {
	text := accounted(t)
	chart, table := strings.Index(text, "<canvas"), strings.Index(text, "<table")
	assert.Check(t, chart >= 0 && chart <= table, "the first chart is at %d, the first table at %d", chart, table)
	holds(t, text, `aria-label="Chart. Where the time went: state and throughput of each path, a2b (Mbit/s). wifi: down 50%, path 50%.`)
	doc, store := session(t)
	doc.Connections[1].A2B.Unavailable.Set("time_account", "the moon was full")
	text = written(t, doc, store)
	want := "Not known where the time of a2b went: the moon was full."
	assert.Check(t, strings.Count(text, want) == 1, "no %s", want)
}

// timeShown: the chart at the top of the page has the colours of the states, and the
// section's says the state of each path at the pointer. In the middle of the section's chart,
// at 0.51 s, both paths are down.
func timeShown(t *testing.T, b *browser) {
	// The page draws in a later frame: look in each one until the colours are there.
	b.check("the states have their colours", `new Promise((done) => { const look = () => {
		const c = document.querySelector("#g1 canvas"), d = c.width > 0 ? c.getContext("2d").getImageData(0, 0, c.width, c.height).data : [];
		const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i+1] << 8 | d[i+2]);
		seen.has(0x5c0011) && seen.has(0x0060a8) ? done(true) : requestAnimationFrame(look); }; look(); })`, "true")
	b.eval(`document.querySelector("#c1 canvas").scrollIntoView({ block: "center" })`)
	b.settle()
	x, y := b.center("#c1 canvas")
	b.mouse("mouseMoved", x+40, y)
	b.settle()
	b.check("at the pointer", `document.querySelector("#c1 .readout").textContent.match(/wifi: down \(50% of the time\), [0-9.]+ Mbit\/s/) !== null`, "true")
}
