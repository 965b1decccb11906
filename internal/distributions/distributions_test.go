package distributions_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"net/netip"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/distributions"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

const sessions = "../../testdata/sessions"

// session is a connection over two paths whose figures are arithmetic: bursts of 2000,
// 500 and 1000 bytes, and one of 700 bytes back; the second path joins after 100 ms. The last packet
// comes at 1100 ms.
func session(at time.Duration) *tracegen.Session {
	const ms = time.Millisecond
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	addr := netip.MustParseAddrPort
	fast := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80")})
	slow := s.Subflow(tracegen.Path{A: addr("10.0.2.1:40001"), B: addr("10.0.1.1:80"), Nonce: [2]uint32{1, 2}})
	fast.Open(at)
	slow.Open(at + 100*ms)
	first := fast.Data(tracegen.A2B, at+1000*ms, 0, 1000)
	fast.Data(tracegen.A2B, at+1003*ms, 1000, 1000)
	slow.Data(tracegen.A2B, at+1005*ms, 2000, 500)
	first.Again(at + 1006*ms) // neither a burst nor a part of one
	fast.Data(tracegen.A2B, at+1007*ms, 2500, 1000)
	slow.Data(tracegen.B2A, at+1090*ms, 0, 700) // takes 10 ms
	return s
}

// TestArithmetic: figures of a session made for it, in each form.
func TestArithmetic(t *testing.T) {
	c := distributions.New(func(a, _ netip.Addr) string {
		if a == netip.MustParseAddr("10.0.2.1") {
			return "=lte"
		}
		return ""
	})
	conntest.Play(t, session(0), tracegen.HostA, c)
	var out, cdf, hours, table bytes.Buffer
	list := c.Distributions()
	rows := distributions.Rows(list)
	for _, err := range []error{distributions.WriteCSV(&out, rows), distributions.WriteCSV(&cdf, distributions.CDF(list)), distributions.WriteCSV(&hours, c.Hours()), distributions.WriteTable(&table, 1, rows)} {
		assert.NilError(t, err)
	}
	for _, want := range []string{
		"metric,unit,direction,values,mean,min,p5,p25,p50,p75,p95,p99,max,exact\n",
		"\njoin_delay,ms,,1,100,100,100,100,100,100,100,100,100,true\n",
		"\nburst_bytes,bytes,a2b,3,1166.666667,500,550,750,1000,1500,1900,1980,2000,true\n", // type 7 of 500, 1000, 2000
		"\nburst_bytes,bytes,b2a,1,700,700,",
		"\nburst_duration,ms,a2b,3,1,0,0,0,0,1.5,2.7,2.94,3,true\n",
		"\nburst_duration,ms,b2a,1,0,0,",
		"\nconnection_bytes,bytes,a2b,1,3500,",
		"\nconnection_bytes,bytes,b2a,1,700,",
		"\nconnection_duration,s,,1,1.1,",
		"\nsubflows,,,1,2,",
	} {
		assert.Check(t, strings.Contains(out.String(), want), "no %q in\n%s", want, &out)
	}
	if want := "burst_bytes,bytes,a2b,500,33.333333\nburst_bytes,bytes,a2b,1000,66.666667\nburst_bytes,bytes,a2b,2000,100\n"; !strings.Contains(cdf.String(), want) {
		t.Errorf("no %q in\n%s", want, &cdf)
	}
	rows, err := csv.NewReader(&hours).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatal(rows, err)
	}
	for i, want := range [][]string{{"a2b", "10.0.0.1-10.0.1.1", "3000", "85.714286"}, {"a2b", "'=lte", "500", "14.285714"}, {"b2a", "'=lte", "700", "100"}} {
		if diff := cmp.Diff(want, rows[i+1][1:]); diff != "" || !strings.HasSuffix(rows[i+1][0], ":00:00Z") {
			t.Errorf("hours: %v", rows[i+1])
		}
	}
	if !strings.HasPrefix(table.String(), "1 connection\n") || !strings.Contains(strings.Join(strings.Fields(table.String()), " "), " join_delay ms - 1 100 100 ") {
		t.Errorf("table:\n%s", &table)
	}
}

// TestManyValues: of many values the CDF has 201 points within the error that the table
// states, and it ascends.
func TestManyValues(t *testing.T) {
	var d stats.Dist
	const n = 100_000
	for i := range n {
		d.Add(float64((i*7919)%n + 1)) // 1 to n, each once: 7919 is prime
	}
	var out bytes.Buffer
	assert.NilError(t, distributions.WriteCSV(&out, distributions.CDF([]distributions.Distribution{{Metric: "x", Values: &d}})))
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) > 202 || len(rows) < 190 { // a heading, and a row for each half percent that has a value of its own
		t.Fatal(len(rows), err)
	}
	before, part := 0.0, -1.0
	for _, r := range rows[1:] {
		v, _ := strconv.ParseFloat(r[3], 64)
		p, _ := strconv.ParseFloat(r[4], 64)
		if want := 1 + p/100*(n-1); math.Abs(v-want) > want/stats.ErrorPart+1 || p <= part || v <= before {
			t.Errorf("at %v %% the value is %v, want %v", p, v, want)
		}
		before, part = v, p
	}
	assert.Check(t, !d.Exact(), "exact")
}

// TestMemory: memory does not grow with the connections.
func TestMemory(t *testing.T) {
	c := distributions.New(nil)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	s := session(0)
	for range 1500 {
		conntest.Play(t, s, tracegen.HostA, c)
	}
	before := heap()
	for range 3000 {
		conntest.Play(t, s, tracegen.HostA, c)
	}
	if grown := int64(heap()) - int64(before); grown > 1<<20 {
		t.Errorf("3000 connections more take %d bytes", grown)
	}
	if n, timeless := c.Connections(); n != 4500 || timeless != 0 {
		t.Errorf("%d connections, %d without times", n, timeless)
	}
	for _, d := range c.Distributions() {
		if d.Metric == "connection_bytes" && d.Values.N() != 4500 {
			t.Errorf("%d values", d.Values.N())
		}
	}
}

// TestNothing: a connection without data has no distribution of bursts. Plain TCP is no connection of
// Multipath TCP.
func TestNothing(t *testing.T) {
	c := distributions.New(nil)
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")}).Open(0)
	conntest.Play(t, s, tracegen.HostA, c)
	var out bytes.Buffer
	assert.NilError(t, distributions.WriteCSV(&out, distributions.Rows(c.Distributions())))
	assert.Check(t, strings.Contains(out.String(), "\nburst_bytes,bytes,b2a,0,,,,,,,,,,\n"), "%s", &out)
	c = distributions.New(nil)
	o := engine.Options{Paths: []string{filepath.Join(sessions, "v1/j-plain-server/client.pcap.zst")}, Modules: []conn.Module{c}}
	if _, err := engine.Track(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if n, _ := c.Connections(); n != 0 || len(c.Hours()) != 1 || slices.ContainsFunc(c.Distributions(), func(d distributions.Distribution) bool { return d.Values.N() > 0 }) {
		t.Errorf("%d connections", n)
	}
}
