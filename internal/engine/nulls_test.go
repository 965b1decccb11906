package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// nullWalker reads the JSON of reports along the schema, as users of the schema do, and
// checks each null. Either the schema says what null means there, or the nearest object
// around it with "unavailable" has a reason for it.
type nullWalker struct {
	t         *testing.T
	defs      map[string]any
	report    string         // the current report
	ordinary  map[string]int // nulls that the schema explains, by the name in the report's object
	explained map[string]int // nulls that reports explain
}

func newNullWalker(t *testing.T) *nullWalker {
	w := &nullWalker{t: t, ordinary: map[string]int{}, explained: map[string]int{}}
	w.defs = w.schema()["$defs"].(map[string]any)
	return w
}

func (w *nullWalker) schema() (root map[string]any) {
	if err := json.Unmarshal(report.Schema(), &root); err != nil {
		w.t.Fatal(err)
	}
	return root
}

// analyze checks a report.
func (w *nullWalker) analyze(name string, o engine.Options) {
	w.report = name
	var text bytes.Buffer
	if err := jsonreport.Write(&text, analyzed(w.t, o)); err != nil {
		w.t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text.Bytes(), &doc); err != nil {
		w.t.Fatal(err)
	}
	w.object(w.schema(), doc, nullAccount{})
}

// nullAccount has the reasons for nulls of an object, and the current place in it.
type nullAccount struct {
	why  map[string]any
	used map[string]bool
	at   string
}

// object checks the fields of an object.
func (w *nullWalker) object(schema, v map[string]any, in nullAccount) {
	why, explains := v["unavailable"].(map[string]any)
	if explains {
		in = nullAccount{why: why, used: map[string]bool{}}
	}
	properties := schema["properties"].(map[string]any)
	for name, field := range v {
		next := in
		next.at = strings.TrimPrefix(in.at+"."+name, ".")
		property := properties[name].(map[string]any)
		if field != nil {
			w.value(property, field, next)
			continue
		}
		meaning, _ := property["description"].(string)
		switch text, ok := in.why[next.at].(string); {
		case ok && text != "":
			in.used[next.at] = true
			w.explained[next.at]++
		case strings.Contains(meaning, "null"):
			w.ordinary[next.at]++
		default:
			w.t.Errorf("%s: %s is null, and nothing says why", w.report, next.at)
		}
	}
	if explains && len(in.used) != len(why) {
		w.t.Errorf("%s: reasons of what is not null: %v, used %v", w.report, why, in.used)
	}
}

// value checks a value that is not null.
func (w *nullWalker) value(schema map[string]any, v any, in nullAccount) {
	if options, ok := schema["anyOf"].([]any); ok {
		schema = options[0].(map[string]any) // the other one is null
	}
	if ref, ok := schema["$ref"].(string); ok {
		schema = w.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	switch v := v.(type) {
	case map[string]any:
		if schema["properties"] != nil { // else the reasons themselves
			w.object(schema, v, in)
		}
	case []any:
		in.at += "[]"
		for _, item := range v {
			if item != nil {
				w.value(schema["items"].(map[string]any), item, in)
			}
		}
	}
}

// userOptions are options of users that decide which figures are known.
func userOptions(t *testing.T) map[string]func(*engine.Options) {
	out := map[string]func(*engine.Options){
		"all": func(*engine.Options) {}, "beyond the end": func(o *engine.Options) { o.Skip = time.Hour },
		"the start": func(o *engine.Options) { o.Until = 50 * time.Millisecond },
		"one way":   func(o *engine.Options) { o.Direction = report.B2A }, "long cells": func(o *engine.Options) { o.Interval = time.Minute },
		"by event": func(o *engine.Options) { o.Interval = 0 },
	}
	for _, v := range []report.Vantage{report.VantageA, report.VantageB, report.VantageMiddle} {
		out["vantage "+string(v)] = func(o *engine.Options) { o.Vantage = v }
	}
	for _, list := range familyLists {
		omit := asked(t, list)
		out[list] = func(o *engine.Options) { o.Omit = omit }
	}
	return out
}

// someOptions are those that are tried on the i-th capture: all if all cases are asked
// for, else everything and a part that differs from capture to capture.
func someOptions(t *testing.T, i int) map[string]func(*engine.Options) {
	out := userOptions(t)
	names := slices.Sorted(maps.Keys(out))
	share := len(names) / testrun.Cases(len(names))
	for j, name := range names {
		if (i+j)%share != 0 && name != "all" {
			delete(out, name)
		}
	}
	return out
}

func TestEveryNullIsExplained(t *testing.T) {
	t.Parallel()
	w := newNullWalker(t)
	for i, name := range append(slices.Clone(realCaptures), "v1/f-handover/client.pcap.zst") {
		file := load(t, name, 4000/scale).file
		for option, choose := range someOptions(t, i) {
			o := engine.Options{Paths: []string{"-"}, Stdin: bytes.NewReader(file), Connection: engine.AllConnections, Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE}
			choose(&o)
			w.analyze(fmt.Sprintf("%s, %s", name, option), o)
		}
	}
	w.met("drops.percent", "drops.per_s", "out_of_order.extent_ms", "throughput_mbps.min", "goodput_mbps.cov",
		"cwnd_decisions.next_mss", "hol_wait_ms")
}

func TestEveryNullOfPairsIsExplained(t *testing.T) {
	t.Parallel()
	w := newNullWalker(t)
	for i, name := range []string{"v1/i-v6-v4", "v1/p-abort", "v1/j-plain-server", "v1/l-single-loss"} {
		var files [2]string
		for e, end := range []string{"client", "server"} {
			m := load(t, filepath.Join(name, end+".pcap.zst"), 4000/scale)
			files[e] = save(t, filepath.Join(t.TempDir(), end+".pcap"), m.file)
		}
		for option, choose := range someOptions(t, i) {
			for _, mode := range []clock.Mode{clock.Auto, clock.None} {
				o := engine.Options{
					Paths: files[:1], Receiver: files[1:], Swap: true, Clock: mode, Connection: engine.AllConnections,
					Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE,
				}
				choose(&o)
				w.analyze(fmt.Sprintf("%s, %s, clocks %d", name, option, mode), o)
			}
		}
	}
	w.met("bound_ms", "drift_uncertainty_ppm", "step_ms", "network.reordered_percent", "network.reorder_extent_ms")
}

// met checks that the reports had these reasons.
func (w *nullWalker) met(names ...string) {
	for _, name := range names {
		if w.explained[name] == 0 {
			w.t.Errorf("no report explains %s", name)
		}
	}
	if w.ordinary["fallback"] == 0 && !w.t.Failed() {
		w.t.Error("no null was looked at that needs no reason")
	}
}
