package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/live"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/schemas"
)

// liveOptions are the options of analyze for some captures.
func liveOptions(paths ...string) engine.Options {
	o := wholly(paths...)
	o.Detail = report.WithData
	return o
}

// livePiped returns them for a capture from a pipe.
func livePiped(file []byte) engine.Options {
	o := liveOptions("-")
	o.Stdin = bytes.NewReader(file)
	return o
}

// lived returns the intervals and the report of captures.
func lived(t testing.TB, o engine.Options, l engine.LiveOptions) ([]*live.Interval, *report.Document) {
	t.Helper()
	var all []*live.Interval
	l.Show = func(v *live.Interval) error {
		all = append(all, v)
		return nil
	}
	if l.Now == nil {
		l.Now = time.Now
	}
	s, left, err := engine.Live(context.Background(), o, l)
	if s == nil {
		t.Fatal(err)
	}
	defer s.Close()
	doc, failed := s.Document()
	if failed != nil || left > 0 && l.Keep > 1000 {
		t.Fatal(failed, left)
	}
	return all, doc
}

// sums are the totals over all intervals, of subflows and of connections.
type sums struct {
	bytes, segments, retransmitted, lost int64
}

// key names a direction of a subflow; of a connection with a negative subflow.
type sumKey struct {
	number, sub int
	direction   report.Direction
}

func sumUp(all []*live.Interval) (map[sumKey]sums, map[int]int) {
	out, ids := map[sumKey]sums{}, map[int]int{}
	add := func(k sumKey, x sums) {
		s := out[k]
		out[k] = sums{s.bytes + x.bytes, s.segments + x.segments, s.retransmitted + x.retransmitted, s.lost + x.lost}
	}
	for _, v := range all {
		for i := range v.Shown {
			c := &v.Shown[i]
			if c.Connection != nil {
				ids[*c.Connection] = c.Number
			}
			for d, x := range map[report.Direction]*live.ConnDir{report.A2B: &c.A2B, report.B2A: &c.B2A} {
				add(sumKey{c.Number, -1, d}, sums{bytes: report.Known(x.Bytes)})
			}
			for j := range c.Subflows {
				f := &c.Subflows[j]
				for d, x := range map[report.Direction]*live.SubDir{report.A2B: &f.A2B, report.B2A: &f.B2A} {
					add(sumKey{c.Number, f.Subflow, d}, sums{report.Known(x.Bytes), x.Segments, x.Retransmitted, report.Known(x.Lost)})
				}
			}
		}
	}
	return out, ids
}

// TestLiveAddsUp: for every capture, the intervals add up to the report, and the report equals that of
// analyze, whatever the length of the intervals and however often verdicts are computed. The verdicts that
// are valid at the end are those of the report. Every line validates against the schema.
func TestLiveAddsUp(t *testing.T) {
	arose, schema := 0, reporttest.Schema(t, schemas.Of("live"))
	for _, name := range realCaptures {
		want := analyzed(t, liveOptions(session(name)))
		for _, interval := range []time.Duration{20 * time.Millisecond, 300 * time.Millisecond, time.Second} {
			all, got := lived(t, liveOptions(session(name)), engine.LiveOptions{Interval: interval, Top: 1000, Keep: 1 << 20})
			assert.Check(t, is.DeepEqual(got, want), "%s: the report is not that of analyze", name)
			intervalsAddUp(t, name, all, want)
			for i := range want.Connections {
				c, verdicts := &want.Connections[i], map[string]bool{}
				for _, v := range report.Known(c.Verdicts) {
					verdicts[verdictKey(v.Code, v.Direction, v.Subflow)] = true
					arose++
				}
				assert.Check(t, is.DeepEqual(verdictsOf(all, c.ID), slices.Sorted(maps.Keys(verdicts))), "%s, %v: connection %d", name, interval, c.ID)
			}
			for _, v := range all[:min(len(all), 10)] {
				var line bytes.Buffer
				assert.NilError(t, live.Write(&line, v))
				assert.Check(t, schema.Validate(reporttest.JSON(t, line.Bytes())), "%s", name)
			}
		}
	}
	assert.Check(t, arose >= 30, "%d verdicts", arose)
}

func intervalsAddUp(t *testing.T, name string, all []*live.Interval, want *report.Document) {
	t.Helper()
	told, ids := sumUp(all)
	for i := range want.Connections {
		c := &want.Connections[i]
		number, ok := ids[c.ID]
		assert.Check(t, ok || c.Short, "%s: connection %d was not told of", name, c.ID)
		if !ok || c.Short {
			continue
		}
		for _, d := range report.Directions {
			if s, x := told[sumKey{number, -1, d}], c.Dir(d); x.Bytes != nil && s.bytes != *x.Bytes {
				t.Errorf("%s: connection %d, %s: %d bytes, want %d", name, c.ID, d, s.bytes, *x.Bytes)
			}
			for j := range c.Subflows {
				f := &c.Subflows[j]
				x := f.Dir(d)
				s, w := told[sumKey{number, f.ID, d}], sums{report.Known(x.Bytes), x.Segments, x.RetransmittedSegments, 0}
				if x.Drops != nil {
					w.lost = x.Drops.Count
				}
				assert.Check(t, s == w, "%s: connection %d, subflow %d, %s: %+v, want %+v", name, c.ID, f.ID, d, s, w)
			}
		}
	}
}

// verdictsOf returns the verdicts on a connection that are valid after all intervals.
func verdictsOf(all []*live.Interval, id int) []string {
	standing := map[string]bool{}
	for _, v := range all {
		for i := range v.Verdicts {
			x := &v.Verdicts[i]
			if x.Connection == nil || *x.Connection != id {
				continue
			}
			if key := verdictKey(x.Code, x.Direction, x.Subflow); x.Change == live.Arose {
				standing[key] = true
			} else {
				delete(standing, key)
			}
		}
	}
	return slices.Sorted(maps.Keys(standing))
}

func verdictKey(code report.VerdictCode, d *report.Direction, sub *int) string {
	key := string(code)
	if d != nil {
		key += " " + string(*d)
	}
	if sub != nil {
		key += fmt.Sprintf(" %d", *sub)
	}
	return key
}

// TestLiveAccount: the counters of the states of each path add up to the time_account of the subflows in the report.
func TestLiveAccount(t *testing.T) {
	states := 0
	for _, name := range []string{"v1/f-handover/client.pcap.zst", "v1/b-lte-cubic/client.pcap.zst", "v1/k-short-bursts/client.pcap.zst"} {
		all, got := lived(t, liveOptions(session(name)), engine.LiveOptions{Interval: 300 * time.Millisecond, Top: 1000, Keep: 1 << 20})
		x := live.NewExposition("")
		for _, v := range all {
			x.Add(v)
		}
		var text bytes.Buffer
		assert.NilError(t, x.Write(&text))
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(&text)
		assert.NilError(t, err)
		told, want := map[string]float64{}, map[string]float64{}
		for _, m := range families["mpanalyze_path_account_seconds_total"].GetMetric() {
			l := m.GetLabel() // in the order of their names
			told[l[1].GetValue()+" "+l[0].GetValue()+" "+l[2].GetValue()] = math.Round(m.GetCounter().GetValue() * 1e3)
		}
		for i := range got.Connections {
			for _, s := range got.Connections[i].Subflows {
				for _, d := range report.Directions {
					if x := s.Dir(d); x != nil && x.TimeAccount != nil {
						for _, of := range x.TimeAccount.States() {
							want[s.Path+" "+string(d)+" "+of.Name] += of.MS
						}
					}
				}
			}
		}
		for of, ms := range want {
			if want[of] = math.Round(ms); ms == 0 {
				delete(want, of)
			}
		}
		states += len(want)
		assert.Check(t, is.DeepEqual(told, want), "%s", name)
	}
	assert.Check(t, states >= 20, "%d states", states)
}
