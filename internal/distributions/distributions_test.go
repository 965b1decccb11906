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
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

const sessions = "../../testdata/sessions"

// figures are the values of a distribution, or what a report keeps of them.
type figures struct {
	n        int64
	sum, max float64
}

func (f *figures) add(v float64) {
	f.n++
	f.sum += v
	f.max = max(f.max, v)
}

// TestAgainstReport compares each distribution with the reports on the same captures: number, sum
// and largest value.
func TestAgainstReport(t *testing.T) {
	for _, name := range []string{"v1/k-short-bursts/client.pcap.zst", "v1/f-handover/client.pcap.zst", "v1/i-v6-v4/server.pcap.zst", "v0/upload/server.pcap.zst", "v1/l-lost-setup/client.pcap.zst"} {
		o := engine.Options{Paths: []string{filepath.Join(sessions, name)}, Connection: engine.AllConnections, Interval: 100 * time.Millisecond}
		c := distributions.New(nil)
		o.Modules = []conn.Module{c}
		doc, err := engine.Analyze(context.Background(), o)
		assert.NilError(t, err)
		want := reported(doc)
		for _, d := range c.Distributions() {
			key := d.Metric + d.Direction
			got := figures{d.Values.N(), d.Values.Mean() * float64(d.Values.N()), d.Values.Max()}
			if w := want[key]; got.n != w.n || !near(got.sum, w.sum) || !near(got.max, w.max) {
				t.Errorf("%s: %s has %+v, the reports %+v", name, key, got, w)
			}
		}
		checkShares(t, name, doc, c.Shares())
	}
}

// checkShares compares the bytes of all hours with those of the connections and, in a capture of
// one connection, the part of each path with its share.
func checkShares(t *testing.T, name string, doc *report.Document, list []distributions.Share) {
	t.Helper()
	want, got, paths := map[string]int64{}, map[string]int64{}, map[string]int64{}
	for i := range doc.Connections {
		for dir, d := range map[string]*report.ConnDir{"a2b": doc.Connections[i].A2B, "b2a": doc.Connections[i].B2A} {
			if *d.Bytes > 0 {
				want[dir] += *d.Bytes
			}
		}
	}
	for _, s := range list {
		got[s.Direction] += s.Bytes
		paths[s.Direction+s.Path] += s.Bytes
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("%s: bytes (-reports +hours)\n%s", name, diff)
	}
	if len(doc.Connections) != 1 {
		return
	}
	c := &doc.Connections[0]
	for i := range c.Subflows {
		s := &c.Subflows[i]
		for dir, d := range map[string]*report.SubDir{"a2b": s.A2B, "b2a": s.B2A} {
			if d.Share == nil {
				continue
			}
			if part := 100 * float64(paths[dir+s.A.Addr+"-"+s.B.Addr]) / float64(got[dir]); !near(part, *d.Share) {
				t.Errorf("%s: subflow %d %s has %v %% of the hours' bytes, the report says %v", name, s.ID, dir, part, *d.Share)
			}
		}
	}
}

// reported sums up what reports say.
func reported(doc *report.Document) map[string]*figures {
	out := map[string]*figures{}
	for _, key := range []string{"join_delay", "burst_bytesa2b", "burst_bytesb2a", "burst_durationa2b", "burst_durationb2a", "connection_bytesa2b", "connection_bytesb2a", "connection_duration", "subflows"} {
		out[key] = &figures{}
	}
	for i := range doc.Connections {
		c := &doc.Connections[i]
		out["connection_duration"].add(c.DurationS)
		out["subflows"].add(float64(len(c.Subflows)))
		out["connection_bytesa2b"].add(float64(*c.A2B.Bytes))
		out["connection_bytesb2a"].add(float64(*c.B2A.Bytes))
		for j := range c.Subflows {
			s := &c.Subflows[j]
			if s.JoinDelay != nil {
				out["join_delay"].add(*s.JoinDelay)
			}
			for dir, d := range map[string]*report.SubDir{"a2b": s.A2B, "b2a": s.B2A} {
				if d.Bursts == nil {
					continue
				}
				for key, stat := range map[string]*report.Stat{"burst_bytes": d.Bursts.Bytes, "burst_duration": d.Bursts.DurationMS} {
					f := out[key+dir]
					f.n += d.Bursts.Count
					f.sum += stat.Avg * float64(d.Bursts.Count)
					f.max = max(f.max, stat.Max)
				}
			}
		}
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-5*max(1, math.Abs(a), math.Abs(b)) }

// session is a connection over two paths whose figures are arithmetic: bursts of 2000,
// 500 and 1000 bytes; the second path joins after 100 ms.
func session(at time.Duration) *tracegen.Session {
	const ms = time.Millisecond
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	addr := netip.MustParseAddrPort
	fast := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80")})
	slow := s.Subflow(tracegen.Path{A: addr("10.0.2.1:40001"), B: addr("10.0.1.1:80"), Nonce: [2]uint32{1, 2}})
	fast.Open(at)
	slow.Open(at + 100*ms)
	fast.Data(tracegen.A2B, at+1000*ms, 0, 1000)
	fast.Data(tracegen.A2B, at+1003*ms, 1000, 1000)
	slow.Data(tracegen.A2B, at+1005*ms, 2000, 500)
	fast.Data(tracegen.A2B, at+1007*ms, 2500, 1000)
	return s
}

// TestArithmetic: figures of a session made for it, in each form.
func TestArithmetic(t *testing.T) {
	c := distributions.New(func(a, _ netip.Addr) string {
		if a == netip.MustParseAddr("10.0.2.1") {
			return "lte"
		}
		return ""
	})
	conntest.Play(t, session(0), tracegen.HostA, c)
	var out, cdf, hours, table bytes.Buffer
	list := c.Distributions()
	for _, err := range []error{distributions.WriteCSV(&out, list), distributions.WriteCDF(&cdf, list), distributions.WriteHours(&hours, c.Shares()), distributions.WriteTable(&table, 1, list, c.Shares())} {
		assert.NilError(t, err)
	}
	for _, want := range []string{
		"metric,unit,direction,values,mean,min,p5,p25,p50,p75,p95,p99,max,exact\n",
		"\njoin_delay,ms,,1,100,100,100,100,100,100,100,100,100,true\n",
		"\nburst_bytes,bytes,a2b,3,1166.666667,500,550,750,1000,1500,1900,1980,2000,true\n", // type 7 of 500, 1000, 2000
		"\nburst_bytes,bytes,b2a,0,,,,,,,,,,\n",
		"\nburst_duration,ms,a2b,3,1,0,0,0,0,1.5,2.7,2.94,3,true\n",
		"\nconnection_bytes,bytes,a2b,1,3500,",
		"\nsubflows,,,1,2,",
	} {
		assert.Check(t, strings.Contains(out.String(), want), "no %q in\n%s", want, &out)
	}
	if want := "burst_bytes,bytes,a2b,500,33.333333\nburst_bytes,bytes,a2b,1000,66.666667\nburst_bytes,bytes,a2b,2000,100\n"; !strings.Contains(cdf.String(), want) {
		t.Errorf("no %q in\n%s", want, &cdf)
	}
	rows, err := csv.NewReader(&hours).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	for i, want := range [][]string{{"a2b", "10.0.0.1-10.0.1.1", "3000", "85.714286"}, {"a2b", "lte", "500", "14.285714"}} {
		if diff := cmp.Diff(want, rows[i+1][1:]); diff != "" || !strings.HasSuffix(rows[i+1][0], ":00:00Z") {
			t.Errorf("hours: %v", rows[i+1])
		}
	}
	if !strings.HasPrefix(table.String(), "1 connection\n") || !strings.Contains(table.String(), "join_delay") || !strings.Contains(table.String(), "lte") {
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
	assert.NilError(t, distributions.WriteCDF(&out, []distributions.Distribution{{Metric: "x", Values: &d}}))
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

// TestPlain: plain TCP is no connection of Multipath TCP.
func TestPlain(t *testing.T) {
	c := distributions.New(nil)
	o := engine.Options{Paths: []string{filepath.Join(sessions, "v1/j-plain-server/client.pcap.zst")}, Modules: []conn.Module{c}}
	if _, err := engine.Track(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if n, _ := c.Connections(); n != 0 || len(c.Shares()) != 0 || slices.ContainsFunc(c.Distributions(), func(d distributions.Distribution) bool { return d.Values.N() > 0 }) {
		t.Errorf("%d connections", n)
	}
}
