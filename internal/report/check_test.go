package report_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// explain gives every null metric of a struct, and what is null within one, a reason.
func explain(v reflect.Value, reason string) {
	var reasons report.Reasons
	for _, name := range nulls(v, "") {
		reasons.Set(name, reason)
	}
	v.FieldByName("Unavailable").Set(reflect.ValueOf(reasons))
}

// nulls lists the paths of the fields of a struct that are null, except fields where null is a
// value.
func nulls(v reflect.Value, path string) (out []string) {
	for i := range v.NumField() {
		f, field := v.Type().Field(i), v.Field(i)
		name := path + report.JSONName(f)
		switch {
		case f.Anonymous:
			out = append(out, nulls(field, path)...)
		case f.Type.Kind() != reflect.Pointer:
		case !field.IsNil() && field.Elem().Kind() == reflect.Struct && field.Elem().FieldByName("Unavailable").IsValid(): // it says so itself
		case !field.IsNil() && field.Elem().Kind() == reflect.Struct:
			out = append(out, nulls(field.Elem(), name+".")...)
		case field.IsNil() && f.Tag.Get("null") == "":
			out = append(out, name)
		}
	}
	return out
}

// sample is a document with one of everything.
func sample() *report.Document {
	start := report.Time(1767323045_000000006) // 2026-01-02T03:04:05.000000006Z
	stat := report.Stat{Avg: 2, Min: 1, Max: 3, P50: 2, P95: 3, P99: 3, Stddev: 1, Samples: 3, Evidence: report.Observed}
	rtt := 20.5
	sub := report.Subflow{ID: 0, Path: "wifi", JoinHMAC: report.HMACNone, State: report.SubflowClosed, HandshakeRTT: &rtt, A2B: &report.SubDir{}, B2A: &report.SubDir{}}
	sub.A2B.RTT = &report.SpreadStat{Stat: stat, Variance: 1}
	sub.A2B.HoLWait = &report.WaitStat{Stat: stat, Clipped: 7}
	explain(reflect.ValueOf(&sub).Elem(), "no SYN of MP_JOIN")
	explain(reflect.ValueOf(sub.A2B).Elem(), "not measured")
	explain(reflect.ValueOf(sub.B2A).Elem(), "no data")
	conn := report.Connection{Version: new(1), Checksum: new(false), Vantage: report.VantageA, State: report.ConnClosed, Start: start, Subflows: []report.Subflow{sub}, A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
	conn.A2B.Goodput = &report.RateStat{Avg: 8.5, Evidence: report.Observed}
	conn.A2B.Handovers = &report.List[report.Handover]{{RecoveredS: new(2.5), FailbackMS: new(0.0)}, {FailbackMS: new(0.0)}}
	explain(reflect.ValueOf(conn.A2B).Elem(), "not measured")
	conn.A2B.Unavailable.Set("handovers[].recovered_s", "still dead")
	explain(reflect.ValueOf(conn.B2A).Elem(), "no data")
	explain(reflect.ValueOf(&conn).Elem(), "not judged")
	conn.Events = []report.Event{{TS: 1.5, Kind: report.EventAddAddr, Detail: "id 2"}}
	return &report.Document{
		Schema:      report.SchemaName,
		Captures:    []report.Capture{{File: "x.pcap", Format: "pcap", First: &start, Damage: &report.Damage{Packet: 3, Offset: 99, Message: "cut"}}},
		Connections: []report.Connection{conn},
		Warnings:    []report.Warning{{Code: "damaged", Message: "cut", Count: 1}},
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(*report.Document)
		expect string // in the error; empty for none
	}{
		{"sound", func(*report.Document) {}, ""},
		{"schema", func(d *report.Document) { d.Schema = "x" }, `schema is "x"`},
		{"not a number", func(d *report.Document) { d.Connections[0].DurationS = math.NaN() }, "connections[0].duration_s is NaN"},
		{"infinite, embedded", func(d *report.Document) { d.Connections[0].Subflows[0].A2B.RTT.Max = math.Inf(1) }, "connections[0].subflows[0].a2b.rtt_ms.max is +Inf"},
		{"no reason", func(d *report.Document) {
			r := &d.Connections[0].A2B.Unavailable
			*r = slices.DeleteFunc(*r, func(r report.Reason) bool { return r.Metric == "rwnd_bytes" })
		}, "connections[0].a2b.rwnd_bytes is null without a reason"},
		{"value and reason", func(d *report.Document) { d.Connections[0].A2B.Unavailable.Set("goodput_mbps", "why") }, "goodput_mbps has a value and a reason"},
		{"reason of nothing", func(d *report.Document) { d.Connections[0].A2B.Unavailable.Set("speed", "why") }, "a2b.unavailable names speed, of which nothing"},
		{"no reason of a part", func(d *report.Document) {
			r := &d.Connections[0].A2B.Unavailable
			*r = slices.DeleteFunc(*r, func(r report.Reason) bool { return r.Metric == "goodput_mbps.p95" })
		}, "connections[0].a2b.goodput_mbps.p95 is null without a reason"},
		{"part with value and reason", func(d *report.Document) { d.Connections[0].A2B.Goodput.P95 = new(1.0) }, "goodput_mbps.p95 has a value and a reason"},
		{"part of nothing", func(d *report.Document) { d.Connections[0].A2B.Unavailable.Set("overhead_percent_of_data.p95", "why") }, "names overhead_percent_of_data.p95, of which nothing"},
		{"item without a reason", func(d *report.Document) {
			d.Connections[0].Subflows[0].A2B.Unavailable.Set("rtt_ms.cov", "why")
			d.Connections[0].A2B.Paths = []report.PathShare{{Bytes: new(int64), FirstBytes: new(int64), ReinjectedBytes: new(int64)}}
		}, "a2b.paths[0].share_percent is null without a reason"},
		{"no item is null", func(d *report.Document) { report.Known(d.Connections[0].A2B.Handovers)[1].RecoveredS = new(3.5) }, "names handovers[].recovered_s, of which nothing"},
	} {
		d := sample()
		c.spoil(d)
		err := reporttest.Check(d)
		switch {
		case c.expect == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.expect != "" && (err == nil || !strings.Contains(err.Error(), c.expect)):
			t.Errorf("%s: got %v, want ... %s ...", c.name, err, c.expect)
		}
	}
}

// TestJSONRoundTrip reads back what was written: nothing of the document is
// lost in its JSON form.
func TestJSONRoundTrip(t *testing.T) {
	text, err := json.Marshal(sample())
	assert.NilError(t, err)
	var back report.Document
	assert.NilError(t, json.Unmarshal(text, &back))
	again, err := json.Marshal(&back)
	assert.NilError(t, err)
	assert.Check(t, is.DeepEqual(string(again), string(text)))
	for _, want := range []string{`"tcp":[]`, `"srtt_ms":null`, `"clipped":7`, `"start":"2026-01-02T03:04:05.000000006Z"`} {
		assert.Check(t, strings.Contains(string(text), want), "no %s in %s", want, text)
	}
}

func TestTimeRefusesNonsense(t *testing.T) {
	var v report.Time
	err := v.UnmarshalText([]byte("noon"))
	assert.Check(t, err != nil, "accepted")
	err = v.UnmarshalText([]byte("2026-01-02T04:04:05.000000006+01:00"))
	assert.Check(t, err == nil && v == 1767323045_000000006, "got %d, %v", v, err)
}
