package engine_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// recordsCase is a capture of host b, which has rows of ss with stamps of the same clock.
const recordsCase = cases + "records.pcap.zst"

// recordsText returns the rows of ss of host b.
func recordsText(t *testing.T) string {
	t.Helper()
	return string(unpacked(t, 1<<24, cases+"records.ss.zst"))
}

// recordOf writes rows of ss of a host into a file.
func recordOf(t *testing.T, end report.Side, text string) hosts.Source {
	t.Helper()
	return hosts.Source{End: end, Path: save(t, filepath.Join(t.TempDir(), "ss.txt"), []byte(text))}
}

// withRecords analyses the case with records.
func withRecords(t *testing.T, sources ...hosts.Source) *report.Document {
	t.Helper()
	o := wholly(recordsCase)
	o.Evidence = sources
	return analyzed(t, o)
}

// unrecorded returns a document without verdicts and anything that comes from records.
func unrecorded(doc *report.Document) *report.Document {
	for i := range doc.Connections {
		doc.Connections[i].Verdicts = nil
	}
	for i := range doc.TCP {
		doc.TCP[i].Verdicts = nil
	}
	return withoutRecords(doc)
}

// withoutRecords returns a document without what comes from records alone.
func withoutRecords(doc *report.Document) *report.Document {
	doc.Hosts, doc.MadeBy = nil, nil
	var kept report.List[report.Warning]
	for _, w := range doc.Warnings {
		if !strings.HasPrefix(w.Code, "evidence_") {
			kept = append(kept, w)
		}
	}
	doc.Warnings = kept
	for i := range doc.Connections {
		c := &doc.Connections[i]
		c.Kernel = nil
		c.Events = slices.DeleteFunc(c.Events, func(e report.Event) bool { return e.Evidence != nil })
		for j := range c.Subflows {
			c.Subflows[j].Kernel = nil
		}
	}
	for i := range doc.TCP {
		doc.TCP[i].Kernel = nil
	}
	return doc
}

// firstPath returns the rows of the first subflow in the text.
func firstPath(text string) []string {
	return regexp.MustCompile(`(?m)^\S+ +\d+ +\d+ +10\.2\.100\.2:5001 10\.2\.1\.1:48792.*\n.*tcp-ulp.*`).FindAllString(text, -1)
}

// numberIn returns the number behind a name in a row; 0 where it is not printed.
func numberIn(row, name string) float64 {
	m := regexp.MustCompile(`[ \t]` + name + `:([0-9.]+)`).FindStringSubmatch(row)
	if m == nil {
		return 0
	}
	v, _ := strconv.ParseFloat(m[1], 64)
	return v
}

// The values of the kernel are those of the rows, the packets' figures are those without records, and the
// rows agree with the packets.
func TestRecords(t *testing.T) {
	text := recordsText(t)
	rows := firstPath(text)
	assert.Assert(t, len(rows) >= 20, "%d rows", len(rows))
	sum := 0.0
	for _, r := range rows {
		sum += numberIn(r, "cwnd")
	}
	last := rows[len(rows)-1]
	doc := withRecords(t, recordOf(t, report.SideB, text))
	for _, w := range doc.Warnings {
		assert.Check(t, !strings.HasPrefix(w.Code, "evidence_"), "warning %s", w.Message)
	}
	assert.Check(t, reporttest.Check(doc))
	h := doc.Hosts[0]
	if off := h.Clock.OffsetMS; off == nil || *off < 0 || *off > 50 || h.Clock.Method != report.ClockCounters || *h.Host != report.SideB {
		t.Errorf("host %v, clock %+v", h.Host, h.Clock)
	}
	c := &doc.Connections[0]
	k := c.Subflows[0].Kernel.B
	assert.Assert(t, k != nil, "no row joined")
	if c.Kernel.B == nil || *c.Kernel.B.Token != *c.TokenB || c.Kernel.A != nil || c.Kernel.Unavailable[0].Why != "no record of host a" {
		t.Errorf("connection %+v", c.Kernel)
	}
	if got, want := k.Cwnd.Avg, sum/float64(len(rows)); k.Rows != int64(len(rows)) || math.Abs(got-want) > 1e-9*want {
		t.Errorf("%d rows with a mean window of %v, want %d with %v", k.Rows, got, len(rows), want)
	}
	if float64(*k.BytesSent) != numberIn(last, "bytes_sent") || float64(*k.BytesAcked) != numberIn(last, "bytes_acked") || *k.MinRTT != numberIn(last, "minrtt") {
		t.Errorf("sent %d, acknowledged %d, least round trip %v in the row %q", *k.BytesSent, *k.BytesAcked, *k.MinRTT, last)
	}
	assert.Check(t, is.DeepEqual(unrecorded(doc), unrecorded(withRecords(t))), "records change the packets' figures")
}

// Records of another connection, of the other host, and damaged ones are said to be so.
func TestBadRecords(t *testing.T) {
	text := recordsText(t)
	for _, c := range []struct {
		name, text string
		end        report.Side
		code       string
		joins      bool
	}{
		{"other ports", strings.NewReplacer("48792", "48793", "39985", "39986", "token:", "token:1").Replace(text), report.SideB, evidence.WarnOther, false},
		{"other counters of the same ends", regexp.MustCompile(`(bytes_\w+|segs_out|data_segs_out):\d`).ReplaceAllString(text, "${1}:77"), report.SideB, "", false},
		{"the other host", text, report.SideA, evidence.WarnHost, true},
		{"cut", text[:len(text)*6/10-30], report.SideB, evidence.WarnCut, true},
	} {
		doc := withRecords(t, recordOf(t, c.end, c.text))
		var codes strings.Builder
		for _, w := range doc.Warnings {
			codes.WriteString(w.Code + " ")
		}
		assert.Check(t, strings.Contains(codes.String(), c.code), "%s: warnings %s, want %s", c.name, codes.String(), c.code)
		if got := doc.Connections[0].Subflows[0].Kernel.B != nil; got != c.joins {
			t.Errorf("%s: joins %v", c.name, got)
		}
	}
	o := wholly(recordsCase)
	o.Evidence = []hosts.Source{recordOf(t, report.SideB, text[:len(text)*6/10-30])}
	_, err := engine.Analyze(context.Background(), o)
	if !engine.Damaged(err) {
		t.Errorf("a row that ends too early: %v", err)
	}
}

// kernelRows keeps the rows of one series.
type kernelRows struct {
	report.NopRows
	rows []report.SeriesRow
}

func (k *kernelRows) Series(rows []report.SeriesRow) error {
	for _, r := range rows {
		if r.Metric == "kernel_cwnd_segments" && r.Subflow == 0 {
			k.rows = append(k.rows, r)
		}
	}
	return nil
}

// The series of a subflow has a value for each row, in the order of the rows.
func TestRecordSeries(t *testing.T) {
	sink := &kernelRows{}
	o := wholly(recordsCase)
	o.Evidence = []hosts.Source{{End: report.SideB, Path: cases + "records.ss.zst"}}
	o.Rows, o.Series = sink, func(string) bool { return true }
	analyzed(t, o)
	rows := firstPath(recordsText(t))
	assert.Assert(t, len(sink.rows) == len(rows), "%d values, want %d", len(sink.rows), len(rows))
	for i, r := range sink.rows {
		if r.Value != numberIn(rows[i], "cwnd") || r.Direction != report.B2A {
			t.Errorf("value %d is %v (%s), the row says %v", i, r.Value, r.Direction, numberIn(rows[i], "cwnd"))
		}
		assert.Check(t, i <= 0 || r.T > sink.rows[i-1].T, "value %d is not later than the one before", i)
	}
}

// The window is closed because the application on a reads too slowly: rows of a prove it, and
// rows of b alone do not. The line is the first row of a's connection with at least half of its buffer unread.
func TestCauseOfReceiver(t *testing.T) {
	verdict := func(sources ...hosts.Source) *report.Verdict {
		doc := withRecords(t, sources...)
		for i := range *doc.Connections[0].Verdicts {
			if v := &(*doc.Connections[0].Verdicts)[i]; v.Code == report.VerdictWindowClosed {
				return v
			}
		}
		t.Fatal("no verdict on the window")
		return nil
	}
	b := hosts.Source{End: report.SideB, Path: cases + "records.ss.zst"}
	a := hosts.Source{End: report.SideA, Path: cases + "records-peer.ss.zst"}
	for _, sources := range [][]hosts.Source{nil, {b}} {
		if v := verdict(sources...); v.Cause != nil || len(v.Kernel) > 0 {
			t.Errorf("%v: cause %v", sources, v.Cause)
		}
	}
	for _, sources := range [][]hosts.Source{{a}, {a, b}, {b, a}, {{Path: a.Path}}} {
		v := verdict(sources...)
		if v.Cause == nil || v.Cause.Code != report.CauseApplication || *v.Cause.Host != report.SideA || len(v.Kernel) == 0 {
			t.Errorf("%v: cause %v", sources, v.Cause)
			continue
		}
		k := v.Kernel[0]
		assert.Check(t, k.File == a.Path && k.Host == report.SideA && *k.Value >= 131072/2 && *k.Value <= 131072, "%+v", k)
		if !strings.Contains(v.Text, "because the application on a reads too slowly") || strings.Contains(v.Text, " or ") && strings.Contains(v.Text, "Possible") {
			t.Errorf("%s", v.Text)
		}
	}
}

// An event of the monitor has local time, here of a zone an hour ahead. It joins by token and
// ends, and its time is that of the capture: 100 ms after the SYN of the second subflow.
func TestRecordEvents(t *testing.T) {
	c := &withRecords(t).Connections[0]
	syn := int64(c.Start) + int64(c.Subflows[1].StartS*1e9)
	stamp := strings.TrimSuffix(report.Time(syn+100e6+3600e9).String(), "000Z")
	text := fmt.Sprintf("[%s] [SF_ESTABLISHED] token=%s remid=2 locid=0 saddr4=10.2.100.2 daddr4=10.2.2.1 sport=5001 dport=39985 backup=0\n", stamp, (*c.TokenB)[2:])
	other := strings.Replace(text, "token=", "token=1", 1)
	doc := withRecords(t, recordOf(t, report.SideB, text+other))
	var found []report.Event
	for _, e := range doc.Connections[0].Events {
		if e.Evidence != nil {
			found = append(found, e)
		}
	}
	if len(found) != 1 || found[0].Kind != report.EventPMEstablished || found[0].Subflow == nil || *found[0].Subflow != 1 {
		t.Fatalf("%+v", found)
	}
	if got, want := found[0].TS, c.Subflows[1].StartS+0.1; math.Abs(got-want) > 1e-5 {
		t.Errorf("at %v s, want %v", got, want)
	}
}
