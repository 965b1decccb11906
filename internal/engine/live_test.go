package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/live"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// liveOptions are the options of analyze for some captures.
func liveOptions(paths ...string) engine.Options {
	return engine.Options{
		Paths: paths, Connection: engine.AllConnections, Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE, Detail: report.WithData,
	}
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
	bytes, payload, segments, retransmitted, lost int64
}

// key names a direction of a subflow; of a connection with a negative subflow.
type sumKey struct {
	number, sub int
	a2b         bool
}

func sumUp(all []*live.Interval) (map[sumKey]sums, map[int]int) {
	out, ids := map[sumKey]sums{}, map[int]int{}
	for _, v := range all {
		for i := range v.Shown {
			c := &v.Shown[i]
			if c.Connection != nil {
				ids[*c.Connection] = c.Number
			}
			for d, x := range map[bool]*live.ConnDir{true: &c.A2B, false: &c.B2A} {
				k := sumKey{c.Number, -1, d}
				s := out[k]
				s.bytes += report.Known(x.Bytes)
				s.payload += x.Payload
				out[k] = s
			}
			for j := range c.Subflows {
				f := &c.Subflows[j]
				for d, x := range map[bool]*live.SubDir{true: &f.A2B, false: &f.B2A} {
					k := sumKey{c.Number, f.Subflow, d}
					s := out[k]
					s.bytes += report.Known(x.Bytes)
					s.payload += x.Payload
					s.segments += x.Segments
					s.retransmitted += x.Retransmitted
					s.lost += report.Known(x.Lost)
					out[k] = s
				}
			}
		}
	}
	return out, ids
}

// TestLiveAddsUp: for every capture, the intervals add up to the report, and the report
// equals that of analyze, whatever the length of the intervals and however often verdicts
// are computed.
func TestLiveAddsUp(t *testing.T) {
	for _, name := range realCaptures {
		for _, interval := range []time.Duration{50 * time.Millisecond, time.Second} {
			path := filepath.Join(sessions, name)
			want, err := engine.Analyze(context.Background(), liveOptions(path))
			if want == nil {
				t.Fatal(err)
			}
			all, got := lived(t, liveOptions(path), engine.LiveOptions{Interval: interval, Top: 1000, Keep: 1 << 20})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: the report is not that of analyze (-want +got):\n%s", name, diff)
			}
			addsUp(t, name, all, want)
		}
	}
}

func addsUp(t *testing.T, name string, all []*live.Interval, want *report.Document) {
	t.Helper()
	told, ids := sumUp(all)
	for i := range want.Connections {
		c := &want.Connections[i]
		number, ok := ids[c.ID]
		if !ok && !c.Short {
			t.Errorf("%s: connection %d was not told of", name, c.ID)
		}
		if !ok || c.Short {
			continue
		}
		for d, x := range map[bool]*report.ConnDir{true: c.A2B, false: c.B2A} {
			if s := told[sumKey{number, -1, d}]; x.Bytes != nil && s.bytes != *x.Bytes {
				t.Errorf("%s: connection %d, a2b %v: %d bytes, want %d", name, c.ID, d, s.bytes, *x.Bytes)
			}
		}
		for j := range c.Subflows {
			f := &c.Subflows[j]
			for d, x := range map[bool]*report.SubDir{true: f.A2B, false: f.B2A} {
				s, w := told[sumKey{number, f.ID, d}], sums{segments: x.Segments, retransmitted: x.RetransmittedSegments, bytes: report.Known(x.Bytes)}
				s.payload = 0
				if x.Drops != nil {
					w.lost = x.Drops.Count
				}
				if s != w {
					t.Errorf("%s: connection %d, subflow %d, a2b %v: %+v, want %+v", name, c.ID, f.ID, d, s, w)
				}
			}
		}
	}
}

// TestLivePiped: data through a pipe, in pieces and with pauses, gives the same result.
func TestLivePiped(t *testing.T) {
	name := filepath.Join(sessions, "v1/l-single-loss/client.pcap.zst")
	want, report := lived(t, liveOptions(name), engine.LiveOptions{Interval: 100 * time.Millisecond, Top: 9, Keep: 99})
	o := liveOptions("-")
	o.Stdin = bytes.NewReader(unpacked(t, 1<<30, name))
	got, again := lived(t, o, engine.LiveOptions{Interval: 100 * time.Millisecond, Top: 9, Keep: 99})
	if !reflect.DeepEqual(got, want) {
		t.Error("the intervals are not the same")
	}
	report.Captures, again.Captures = nil, nil
	if !reflect.DeepEqual(again, report) {
		t.Error("the report is not the same")
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

// TestLiveVerdicts: the verdicts that are valid at the end are those of the report,
// whatever the intervals had before.
func TestLiveVerdicts(t *testing.T) {
	arose := 0
	for _, name := range realCaptures {
		for _, interval := range []time.Duration{20 * time.Millisecond, time.Second} {
			all, doc := lived(t, liveOptions(filepath.Join(sessions, name)), engine.LiveOptions{Interval: interval, Top: 1000, Keep: 1 << 20})
			for i := range doc.Connections {
				c := &doc.Connections[i]
				want := map[string]bool{}
				for _, v := range report.Items(c.Verdicts) {
					want[verdictKey(v.Code, v.Direction, v.Subflow)] = true
					arose++
				}
				if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), verdictsOf(all, c.ID)); diff != "" {
					t.Errorf("%s, %v: connection %d (-want +got):\n%s", name, interval, c.ID, diff)
				}
			}
		}
	}
	if arose < 30 {
		t.Errorf("%d verdicts", arose)
	}
}

// TestLiveSchema: every line validates against the schema.
func TestLiveSchema(t *testing.T) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(live.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("live.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("live.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range realCaptures {
		all, _ := lived(t, liveOptions(filepath.Join(sessions, name)), engine.LiveOptions{Interval: 300 * time.Millisecond, Top: 10, Keep: 10})
		for _, v := range all {
			var line bytes.Buffer
			if err := live.Write(&line, v); err != nil {
				t.Fatal(err)
			}
			got, err := jsonschema.UnmarshalJSON(&line)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(got); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
