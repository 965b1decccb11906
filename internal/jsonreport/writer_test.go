package jsonreport_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/jsontext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// standard is what encoding/json makes of v, without white space.
func standard(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	assert.NilError(t, enc.Encode(v))
	return strings.TrimSuffix(b.String(), "\n")
}

// compact is what is written of d, without white space.
func compact(t testing.TB, d *report.Document) string {
	t.Helper()
	var b bytes.Buffer
	assert.NilError(t, json.Compact(&b, []byte(written(t, d))))
	return b.String()
}

func written(t testing.TB, d *report.Document) string {
	t.Helper()
	var b bytes.Buffer
	assert.NilError(t, jsonreport.Write(&b, d))
	return b.String()
}

// nasty are texts in which every rule of escaping comes to bear.
var nasty = []string{
	"", "plain", "<&>", "say \"no\" \\ yes", "\x00\x01\b\f\n\r\t\x1f\x7f", "\xff\xc3(", "é € 𝄞 \ufffd", "\u2028 \u2029 \u202e", "\xe2\x80",
}

// edges are numbers at which the form of floats changes.
var edges = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.1, 1e-6, 9.99999e-7, 1e-7, -1e-9, 1.5e-10, 1e-100, 5e-324, 1e20, 1e21, -1e21, 1.5e22, 1e100, math.MaxFloat64,
	1 << 53, 1<<53 - 1, 1<<53 + 2, -(1 << 53), 1 << 62, 1 << 63, 123456789.000001, 1.0 / 3,
}

// fill gives v and all below it arbitrary values: pointers are nil, and lists
// empty, a third of the time.
func fill(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> r.IntN(64))
	case reflect.Float64:
		v.SetFloat(edges[r.IntN(len(edges))])
		if f := math.Float64frombits(r.Uint64()); r.IntN(2) == 0 && f-f == 0 {
			v.SetFloat(f)
		}
	case reflect.String:
		v.SetString(nasty[r.IntN(len(nasty))] + nasty[r.IntN(len(nasty))])
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.Slice:
		if reasons, ok := v.Addr().Interface().(*report.Reasons); ok {
			for range r.IntN(4) {
				reasons.Set(nasty[r.IntN(len(nasty))], nasty[r.IntN(len(nasty))])
			}
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 4))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Map:
		counts := report.Counts{}
		for range r.IntN(4) {
			counts[nasty[r.IntN(len(nasty))]] = int64(r.Uint64())
		}
		v.Set(reflect.ValueOf(counts))
	case reflect.Struct:
		for f, field := range v.Fields() {
			if report.JSONName(f) != report.NoJSON {
				fill(r, field)
			}
		}
	}
}

// TestJSONIsStandard compares with encoding/json on documents in which every
// field takes many values.
func TestJSONIsStandard(t *testing.T) {
	docs := map[string]*report.Document{"fixture": reporttest.Everything(), "crowd": reporttest.Crowd(100), "empty": {}}
	for seed := range uint64(100) {
		d := new(report.Document)
		fill(rand.New(rand.NewPCG(seed, 0)), reflect.ValueOf(d).Elem())
		docs[fmt.Sprintf("filled, seed %d", seed)] = d
	}
	for name, d := range docs {
		assert.Check(t, is.DeepEqual(compact(t, d), standard(t, d)), "%s (-encoding/json +written)", name)
	}
}

// TestJSONLayout: each value stands on a line of its own, indented by a space a level; an
// object that can hold no other and no list stands on one line, the reasons do not.
func TestJSONLayout(t *testing.T) {
	stat := &report.Stat{Avg: 1.5, Min: 1, Max: 2, Samples: 2, Evidence: report.Observed}
	c := report.Connection{
		A2B:      &report.ConnDir{RwndBytes: stat, Paths: []report.PathShare{{Path: "p", Subflows: []int{0, 1}}}},
		Subflows: []report.Subflow{{A: report.Endpoint{Addr: "::1", Port: 5}, A2B: &report.SubDir{Bursts: &report.Bursts{Count: 1, Bytes: stat}}}},
		Capable:  report.Capable{RequestedFlags: &report.CapableFlags{H: true}},
	}
	c.A2B.Unavailable.Set("goodput_mbps", "why")
	text := written(t, &report.Document{Connections: []report.Connection{c}})
	const line = `{"avg": 1.5, "min": 1, "max": 2, "p50": 0, "p95": 0, "p99": 0, "stddev": 0, "samples": 2, "evidence": "observed"}`
	for _, want := range []string{
		"{\n \"schema\": \"\",\n \"made_by\": null,\n \"captures\": [],\n \"connections\": [\n  {\n   \"id\": 0,\n",
		"\n   \"requested_flags\": {\"a\": false, \"b\": false, \"c\": false, \"d\": false, \"e\": false, \"f\": false, \"g\": false, \"h\": true},\n",
		"\n     \"a\": {\"addr\": \"::1\", \"port\": 5},\n     \"b\": {\"addr\": \"\", \"port\": 0},\n",
		"\n      \"bursts\": {\n       \"count\": 1,\n       \"bytes\": " + line + ",\n       \"duration_ms\": null\n      },\n",
		"\n    \"rwnd_bytes\": " + line + ",\n",
		"\n      \"subflows\": [\n       0,\n       1\n      ],\n",
		"\n    \"unavailable\": {\n     \"goodput_mbps\": \"why\"\n    }\n",
	} {
		assert.Check(t, strings.Contains(text, want), "no %s in\n%s", want, text)
	}
}

// TestJSONFractions compares decimals of few digits, which the writer does not
// leave to strconv, and their neighbours, which it must.
func TestJSONFractions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 20_000 {
		n := float64(r.Uint64() >> (12 + r.IntN(52)))
		for _, unit := range []float64{1, 1e3, 1e6, 1e9, 1e10} {
			for _, v := range []float64{n / unit, -n / unit, math.Nextafter(n/unit, math.Inf(1)), math.Nextafter(n/unit, 0)} {
				want, err := json.Marshal(v)
				assert.NilError(t, err)
				if got := jsontext.AppendFloat(nil, v); string(got) != string(want) {
					t.Fatalf("%b: %s, want %s", v, got, want)
				}
			}
		}
	}
}

// TestJSONNotFinite expects the path of the number.
func TestJSONNotFinite(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(*report.Document)
	}{
		{"connections[1].duration_s is NaN, which JSON cannot say", func(d *report.Document) { d.Connections[1].DurationS = math.NaN() }},
		{"connections[0].subflows[1].b2a.srtt_ms.max is +Inf,", func(d *report.Document) { d.Connections[0].Subflows[1].B2A.SRTT.Max = math.Inf(1) }},
		{"tcp[0].b2a.throughput_mbps.cov is -Inf,", func(d *report.Document) { d.TCP[0].B2A.Throughput.COV = new(math.Inf(-1)) }},
		{"connections[0].b2a.out_of_order.n_reordering_percent[2] is NaN,", func(d *report.Document) {
			d.Connections[0].B2A.OutOfOrder.NReordering = []float64{1, 2, math.NaN()}
		}},
	} {
		d := reporttest.Everything()
		c.spoil(d)
		err := jsonreport.Write(io.Discard, d)
		if err == nil || !strings.Contains(err.Error(), ": "+c.want) {
			t.Errorf("got %v, want ... %s", err, c.want)
		}
	}
}

// meter is a writer that measures what it is given, and breaks after some of it.
type meter struct {
	calls, bytes, largest int
	until                 int // bytes that it takes; 0 for all
}

var errBroken = errors.New("broken")

func (m *meter) Write(b []byte) (int, error) {
	if m.until > 0 && m.bytes+len(b) > m.until {
		return 0, errBroken
	}
	m.calls, m.bytes, m.largest = m.calls+1, m.bytes+len(b), max(m.largest, len(b))
	return len(b), nil
}

// TestJSONStreams holds the writer to its buffer: a text of many times its size
// comes in pieces no larger, and the memory does not grow with the text.
func TestJSONStreams(t *testing.T) {
	const buffer = 64 << 10
	allocations := func(n int) float64 {
		d, m := reporttest.Crowd(n), new(meter)
		per := testing.AllocsPerRun(5, func() {
			*m = meter{}
			assert.NilError(t, jsonreport.Write(m, d))
		})
		assert.Check(t, m.bytes >= n*1000 && m.largest <= buffer, "%d connections: %d bytes in %d pieces up to %d", n, m.bytes, m.calls, m.largest)
		return per
	}
	if few, many := allocations(10), allocations(2000); many != few {
		t.Errorf("%v allocations for 2000 connections, %v for 10", many, few)
	}
}

// TestJSONStopsWhereTheReaderLeft expects the writer's own error, and no
// further writes after it.
func TestJSONStopsWhereTheReaderLeft(t *testing.T) {
	d := reporttest.Crowd(2000)
	m := &meter{until: 200_000}
	if err := jsonreport.Write(m, d); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
	assert.Check(t, m.bytes != 0 && m.bytes <= m.until, "%d bytes written", m.bytes)
}

// TestJSONOfSharedReasons: reasons that share their memory stand at two depths,
// and as many as their owner sees of them.
func TestJSONOfSharedReasons(t *testing.T) {
	var all report.Reasons
	for _, metric := range nasty {
		all.Set(metric, "why "+metric)
	}
	d := &report.Document{Connections: make([]report.Connection, 3)}
	for i := range d.Connections {
		c := &d.Connections[i]
		c.A2B, c.B2A = &report.ConnDir{Unavailable: all}, &report.ConnDir{Unavailable: all[:1+i]}
		c.Subflows = []report.Subflow{{Unavailable: all}, {A2B: &report.SubDir{Unavailable: all[i:]}}}
	}
	assert.Check(t, is.DeepEqual(compact(t, d), standard(t, d)), "(-encoding/json +written)")
	other := slices.Clone(all) // the next document's, in memory that the one before may have had
	other[0].Why = "not that"
	d.Connections[0].A2B.Unavailable = other
	if got := compact(t, d); got != standard(t, d) || !strings.Contains(got, "not that") {
		t.Error("the text of another document's reasons was written")
	}
}
