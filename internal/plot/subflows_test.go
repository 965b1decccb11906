package plot_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// many is how many subflows Linux allows.
const many = 64

// manySubflows is a run whose connection has so many subflows: each joins, sends two chunks and has values.
func manySubflows(t *testing.T, k *plot.Kind) *plot.Run {
	t.Helper()
	c := report.Connection{A2B: &report.ConnDir{Bytes: new(int64(2000 * many))}, B2A: &report.ConnDir{}}
	r := &plot.Run{Document: &report.Document{}, Store: timeline.New(k.Config(nil, 0, 0)), Connection: plot.AllConnections}
	for i := range many {
		path, start := fmt.Sprintf("10.2.1.%d-192.0.2.20", 21+i), float64(i)/many
		c.Subflows = append(c.Subflows, report.Subflow{ID: i, Path: path, A2B: &report.SubDir{}, B2A: &report.SubDir{}})
		c.A2B.Paths = append(c.A2B.Paths, report.PathShare{Path: path, Bytes: new(int64(2000)), Percent: new(100.0 / many)})
		c.Events = append(c.Events, report.Event{TS: start, Kind: report.EventJoin, Subflow: new(i)})
		cell := &report.Cell{Direction: report.A2B, Subflow: i, Path: path}
		for n := range int64(2) {
			at := int64(1e9*start) + 500e6*n
			assert.NilError(t, r.Store.Chunks([]report.ChunkRow{{
				Cell: cell, DSN: 1 + 1000*(int64(i)+many*n), SSN: 1 + 1000*n, Length: 1000, Kind: report.ChunkFirst,
				Sent: at, Acked: at + 20e6, DataAcked: at + 30e6, Arrived: report.NoTime, Delivered: report.NoTime,
			}}))
			for _, metric := range []string{"srtt", "throughput", "path_delay"} {
				line := &report.SeriesLine{Cell: cell, Metric: metric}
				assert.NilError(t, r.Store.Series([]report.SeriesRow{{SeriesLine: line, T: at, Value: float64(i + 1)}}))
			}
		}
	}
	r.Document.Connections = report.List[report.Connection]{c}
	assert.NilError(t, r.Resolve())
	return r
}

// TestManySubflows: a figure of 64 subflows can be drawn in each size. The legend has at most two fifths of the figure; it names or counts each subflow, and explains the events.
func TestManySubflows(t *testing.T) {
	rest := regexp.MustCompile(`and (\d+) more$`)
	layouts := map[string]plot.Layout{"default": {Size: plot.DefaultSize}}
	for _, use := range plot.Uses() {
		o, err := plot.LayoutFor(use)
		assert.NilError(t, err)
		layouts[use] = o
	}
	for kind, want := range map[string]struct {
		named  int
		events bool
	}{"dsn": {many, true}, "ssn": {many, true}, "series": {many, true}, "shares": {8, false}, "time_account": {8, true}} {
		k := kindNamed(t, kind)
		f := drawnBy(t, &k, nil, manySubflows(t, &k))
		for use, o := range layouts {
			d := look(t, f, o)
			named, joins := 0, false
			for _, text := range d.texts {
				joins = joins || text == "join"
				if strings.HasPrefix(text, "10.2.1.") {
					named++
				}
				if n := rest.FindStringSubmatch(text); n != nil {
					named += int(number(t, n[1]))
				}
			}
			assert.Check(t, named == want.named && joins == want.events, "%s, %s: %d subflows are named or counted, want %d: %q", kind, use, named, want.named, d.texts)
			o.Legend = plot.NoLegend
			without := look(t, f, o).height
			assert.Check(t, d.height-without <= 0.4*d.height, "%s, %s: %.1f cm of %.1f are the legend", kind, use, (d.height-without)/cm, d.height/cm)
		}
	}
}
