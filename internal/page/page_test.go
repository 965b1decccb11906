package page_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/overlay"
	"mpanalyze/internal/page"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// hostile is what a capture, a file name or a label might try.
const hostile = `</script><script>document.title="owned"</script><img src=x onerror="document.title='owned'">"'` + "`{{.}}\u2028\x1b[31m"

// session returns a document of two connections, the second with strings that
// try to become markup, and its series: a chunk of 1000 bytes every 10 ms for
// a second, in turn on two paths.
func session(t *testing.T) (*report.Document, *timeline.Store) {
	t.Helper()
	store := timeline.New(page.Config())
	paths := []string{"wifi", hostile}
	for i := range int64(100) {
		sub := int(i % 2)
		cell := report.Cell{Connection: 1, Direction: report.A2B, Subflow: sub, Path: paths[sub]}
		at := i * 10e6
		chunks := []report.ChunkRow{{
			Cell: &cell, Packet: i, DSN: 1 + 1000*i, SSN: 1 + 500*i, Length: 1000, Kind: report.ChunkFirst,
			Sent: at, Acked: at + 20e6, DataAcked: at + 30e6, Arrived: report.NoTime, Delivered: report.NoTime,
		}}
		assert.NilError(t, store.Chunks(chunks))
		for _, metric := range []string{"throughput", "path_delay", "srtt"} {
			put(t, store, cell, metric, [2]float64{float64(i) / 100, float64(20 + i%7)})
		}
	}
	packet, when, sub, dir := int64(42), 0.5, 1, report.A2B
	second := report.Connection{
		ID: 1, Version: new(1), DurationS: 1, State: report.ConnClosed, Fallback: new(hostile), VantageEvidence: hostile,
		Subflows: report.List[report.Subflow]{{ID: 0, Path: paths[0], A2B: &report.SubDir{}, B2A: &report.SubDir{}}, {ID: 1, Path: paths[1], A2B: &report.SubDir{}, B2A: &report.SubDir{}}},
		A2B:      &report.ConnDir{}, B2A: &report.ConnDir{},
		Events: report.List[report.Event]{{TS: 0.25, Packet: &packet, Subflow: &sub, Direction: &dir, Kind: report.EventReset, Detail: hostile}},
		Verdicts: &report.List[report.Verdict]{{
			Code: report.VerdictSinglePath, Severity: report.Major, Text: hostile,
			Evidence: report.List[report.Proof]{{What: hostile, Packet: &packet, TS: &when}},
		}},
	}
	second.A2B.Bytes = new(int64(100_000))
	second.Subflows[1].A2B.Unavailable.Set("srtt_ms", hostile)
	first := report.Connection{ID: 0, Version: new(1), DurationS: 2, State: report.ConnOpen, A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
	first.A2B.Bytes = new(int64(9_000))
	return &report.Document{
		Captures:    report.List[report.Capture]{{File: hostile, Damage: &report.Damage{Packet: 3, Message: hostile}}},
		Connections: report.List[report.Connection]{first, second},
		TCP: report.List[report.TCP]{{
			A: report.Endpoint{Addr: "192.0.2.1", Port: 4711}, State: report.SubflowClosed, A2B: &report.SubDir{}, B2A: &report.SubDir{},
			Verdicts: report.List[report.Verdict]{{Severity: report.Minor, Text: hostile}},
		}},
		Warnings: report.List[report.Warning]{{Code: "x", Message: hostile, Count: 2}},
	}, store
}

func render(t *testing.T) string {
	t.Helper()
	doc, store := session(t)
	return written(t, doc, store)
}

// written returns the page on a document.
func written(t *testing.T, doc *report.Document, store *timeline.Store, beside ...overlay.Series) string {
	t.Helper()
	var b strings.Builder
	assert.NilError(t, page.Write(&b, doc, store, beside...))
	return b.String()
}

// put enters values of a series of a cell into a store, each with its time in s.
func put(t *testing.T, store *timeline.Store, cell report.Cell, metric string, values ...[2]float64) {
	t.Helper()
	line := report.SeriesLine{Cell: &cell, Metric: metric}
	for _, v := range values {
		assert.NilError(t, store.Series([]report.SeriesRow{{SeriesLine: &line, T: int64(math.Round(v[0] * 1e9)), Value: v[1]}}))
	}
}

// holds says which texts a page lacks.
func holds(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		assert.Check(t, strings.Contains(text, want), "the page lacks %q", want)
	}
}

// dataOf reads what the charts of a page show.
func dataOf(t *testing.T, text string, into any) {
	t.Helper()
	m := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(text)
	assert.Assert(t, m != nil, "no data")
	assert.NilError(t, json.Unmarshal([]byte(m[1]), into))
}

// TestHostileStrings: the text is shown, and is text.
func TestHostileStrings(t *testing.T) { onlyOurs(t, render(t)) }

// onlyOurs parses a page as a browser does: whatever a capture says, the
// elements are those of the page.
func onlyOurs(t *testing.T, text string) {
	t.Helper()
	scripts, z := 0, html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			assert.Assert(t, z.Err() == io.EOF, "%v", z.Err())
			break
		}
		tok := z.Token()
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		switch tok.Data {
		case "script":
			scripts++
		case "img", "iframe", "object", "link", "base", "form":
			t.Errorf("element %s", tok)
		}
		for _, a := range tok.Attr {
			assert.Check(t, !strings.HasPrefix(a.Key, "on") && a.Key != "src" && (a.Key != "href" || strings.HasPrefix(a.Val, "#")), "attribute in %s", tok)
		}
	}
	assert.Check(t, scripts == 2, "%d script elements, want 2: the data and the program", scripts)
	assert.Check(t, !strings.Contains(text, "\x1b"), "a control character came through")
	holds(t, text, "&lt;/script&gt;") // the hostile text
	assert.Check(t, is.Equal(regexp.MustCompile(`https?://|url\(|@import`).FindString(text), ""), "addresses in the page, which must need nothing besides itself")
}

// TestData reads the charts back: 50 chunks of 1000 bytes on either path, at 0,
// 20, 40 ... ms on the first, and the DATA_ACK 30 ms after each.
func TestData(t *testing.T) {
	var got []struct {
		ID     int
		Charts []struct {
			Y      string
			Layers []struct {
				Name, Shape, Ink string
				X                []int64
				Lo, H            []float64
			}
		}
	}
	dataOf(t, render(t), &got)
	assert.Assert(t, len(got) == 2 && got[1].ID == 1 && len(got[1].Charts) == 4, "want connection 1 with 4 charts (sequence, throughput, delay, SRTT), got %+v", got)
	l := got[1].Charts[0].Layers
	assert.Check(t, l[0].Name == "DATA_ACK" && l[0].X[0] == 30_000 && l[0].Lo[99] == 100.001,
		"DATA_ACK begins at %d us and ends at %v kB; want 30000 and 100.001", l[0].X[0], l[0].Lo[99])
	l = l[1:]
	assert.Assert(t, l[0].Name == "wifi" && l[0].Ink == "#0072b2" && l[1].Name == plaintext.Clean(hostile) && len(l[0].X) == 50,
		"layers %q %s %q, %d points", l[0].Name, l[0].Ink, l[1].Name, len(l[0].X))
	for i := range l[0].X {
		step := int64(20_000) // microseconds after the one before
		if i == 0 {
			step = 0
		}
		if want := (1 + 2000*float64(i)) / 1000; l[0].X[i] != step || l[0].Lo[i] != want || l[0].H[i] != 1 {
			t.Fatalf("chunk %d: +%d us, %v kB, %v kB long; want +%d, %v, 1", i, l[0].X[i], l[0].Lo[i], l[0].H[i], step, want)
		}
	}
}

// TestStructure looks for what readers without a mouse or without eyes need.
func TestStructure(t *testing.T) {
	text := strings.ReplaceAll(render(t), "&#39;", "'")
	holds(t, text,
		`<html lang="en">`, `<a class="skip"`, `<main>`, `<caption>`, `<th scope="col"`, `<th scope="row"`,
		`aria-live="polite"`, `role="toolbar"`, `tabindex="0" role="img" aria-label="Chart. Data sequence numbers, a2b`,
		`prefers-color-scheme: dark`, `@media print`, `default-src 'none'`, `<button type="button" data-t="0.5">packet 42</button>`,
		"100\u202f000", "<td>192.0.2.1 port 4711</td>",
	)
	n, m := strings.Count(text, "<table"), strings.Count(text, "<caption>")
	assert.Check(t, n == m, "%d tables and %d captions", n, m)
}

// plain returns n plain TCP connections without any figure.
func plain(n int) (list report.List[report.TCP]) {
	for range n {
		list = append(list, report.TCP{A2B: &report.SubDir{}, B2A: &report.SubDir{}})
	}
	return list
}

// TestNothingOfMultipath: a page on nothing, or on plain TCP alone, says so in place of an empty table. For a
// plain connection whose SYN was cut before its options, the page has a reason in place of an answer.
func TestNothingOfMultipath(t *testing.T) {
	for n, want := range [][]string{
		{"no Multipath TCP connection and 0 plain TCP connections."},
		{"no Multipath TCP connection and 1 plain TCP connection.", "<td>not asked for</td>"},
		{"<td>not asked for</td>", `<td title="its SYN is behind the moon">not known</td>`},
	} {
		doc := &report.Document{TCP: plain(n)}
		if n == 2 {
			doc.TCP[1].Unavailable.Set("mptcp", "its SYN is behind the moon")
		}
		text := written(t, doc, timeline.New(page.Config()))
		if holds(t, text, want...); strings.Contains(text, `id="table-connections"`) || strings.Count(text, "<td>not asked for</td>") != min(n, 1) {
			t.Errorf("%d plain TCP connections: want no table of others, and one that did not ask at most", n)
		}
	}
}

// TestGlance: the first part of the page names both ends with their ports, the paths with their
// shares (the largest first), what the data waited for, and the most severe verdict with its
// remedy.
func TestGlance(t *testing.T) {
	share := func(path string, bytes int64, percent float64) report.PathShare {
		return report.PathShare{Path: path, Bytes: &bytes, Percent: &percent}
	}
	end := func(addr string, port int) report.Endpoint { return report.Endpoint{Addr: addr, Port: port} }
	c := report.Connection{
		DurationS: 8, Subflows: report.List[report.Subflow]{{A: end("10.0.0.1", 40000), B: end("10.9.9.9", 5001), Path: "wifi", A2B: &report.SubDir{}, B2A: &report.SubDir{}}},
		A2B: &report.ConnDir{}, B2A: &report.ConnDir{Paths: report.List[report.PathShare]{share("lte", 2000, 20), share("wifi", 8000, 80)}},
		Verdicts: &report.List[report.Verdict]{{Code: report.VerdictWindowClosed, Severity: "warning", Text: "the window was closed"}},
	}
	c.B2A.Bytes, c.B2A.Goodput = new(int64(10000)), &report.RateStat{Avg: 0.01}
	c.B2A.ProtocolDelay, c.B2A.HoLBlocking = &report.Stat{Avg: 73, Max: 123}, &report.Stat{Avg: 5.5, Max: 68}
	doc := &report.Document{Connections: report.List[report.Connection]{c}}
	text := written(t, doc, timeline.New(page.Config()))
	holds(t, text,
		"<dt>A</dt><dd>10.0.0.1 port 40000</dd>", "<dt>B</dt><dd>10.9.9.9 port 5001</dd>",
		"10000 bytes b2a in 8 s, 0.01 Mbit/s", "wifi carried 80 %, lte carried 20 %",
		"protocol delay 73 ms on average, 123 ms at most; head-of-line blocking 5.5 ms on average, 68 ms at most",
		"the window was closed", "<dt>To do</dt><dd>Raise the receive buffer",
	)
	assert.Check(t, strings.Index(text, `id="glance"`) <= strings.Index(text, `id="captures"`), "the key figures do not stand first")
}

// manySubflows is a page on a connection of 64 subflows, each with a line.
func manySubflows(t *testing.T) string {
	t.Helper()
	store, c := timeline.New(page.Config()), report.Connection{A2B: &report.ConnDir{Bytes: new(int64(64000))}, B2A: &report.ConnDir{}}
	for i := range 64 {
		path := fmt.Sprintf("10.2.1.%d-192.0.2.20", 21+i)
		c.Subflows = append(c.Subflows, report.Subflow{ID: i, Path: path, A2B: &report.SubDir{}, B2A: &report.SubDir{}})
		c.A2B.Paths = append(c.A2B.Paths, report.PathShare{Path: path, Bytes: new(int64(1000)), Percent: new(100.0 / 64)})
		put(t, store, report.Cell{Direction: report.A2B, Subflow: i, Path: path}, "srtt", [2]float64{0, float64(i)}, [2]float64{1, float64(i)})
	}
	return written(t, &report.Document{Connections: report.List[report.Connection]{c}}, store)
}

// TestManySubflows: of 64 paths a glance names eight, and no two lines of a chart look the same.
func TestManySubflows(t *testing.T) {
	text := manySubflows(t)
	holds(t, text, "10.2.1.28-192.0.2.20 carried 1.56 %, and 56 more</dd>")
	var got []struct {
		Charts []struct {
			Layers []struct {
				Ink  string
				Dash int
			}
		}
	}
	dataOf(t, text, &got)
	seen := map[string]bool{}
	for _, l := range got[0].Charts[0].Layers {
		seen[fmt.Sprint(l)] = true
	}
	assert.Check(t, len(seen) == 64, "%d looks of 64 lines", len(seen))
}

// manyConnections is a page on 200 connections, each with a chart; of the last one the data was
// played.
func manyConnections(t *testing.T) string {
	t.Helper()
	doc, store := &report.Document{Fairness: &report.Fairness{}}, timeline.New(page.Config())
	for i := range 200 {
		c := report.Connection{ID: i, A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
		c.A2B.Bytes = new(int64(1000 + i))
		for sub := range 3 {
			c.Subflows = append(c.Subflows, report.Subflow{ID: sub, Path: "p", A2B: &report.SubDir{}, B2A: &report.SubDir{}})
			cell := report.Cell{Connection: i, Direction: report.A2B, Subflow: sub, Path: "p"}
			values := 3
			if i >= 160 { // one with a section
				values = 3000
			}
			for k := range values {
				put(t, store, cell, "srtt", [2]float64{3.7 * float64(k) / float64(values), float64(k*7919%1000) * 1.2345678})
			}
		}
		doc.Connections = append(doc.Connections, c)
	}
	played := doc.Connections[199].A2B
	played.Streaming = &report.Streaming{Bitrate: 4, Startup: 250, Stalls: 2, Stalled: 300, LongestStall: 200}
	played.SchedulerRegret = &report.SchedulerRegret{Chunks: 7, WorsePercent: 25}
	return written(t, doc, store)
}

// manyEvents is the page of the session with 29 events, the most that are unfolded, of some lines each.
func manyEvents(t *testing.T) string {
	t.Helper()
	doc, store := session(t)
	c := &doc.Connections[1]
	c.Events = nil
	for i := range 29 {
		c.Events = append(c.Events, report.Event{TS: float64(i) / 29, Kind: report.EventJoin, Detail: fmt.Sprintf("subflow %d joined; ", i) + strings.Repeat("what is known of it ", 40)})
	}
	return written(t, doc, store)
}

// longNames is the page of the session read from a file in a deep folder, with paths of long names.
func longNames(t *testing.T) string {
	t.Helper()
	doc, store := session(t)
	long := strings.Repeat("folder_without_a_place_to_break/", 4) + "client.pcap.zst"
	doc.Captures[0].File = long
	doc.Connections[1].VantageEvidence, (*doc.Connections[1].Verdicts)[0].Text = long, long
	doc.Warnings[0].Message = long
	return written(t, doc, store)
}

// TestManyConnections: for 200 connections, the table scrolls in a box of its own, and only the
// sections of the three with the most data are unfolded. The metrics that the user requested come
// first. With full series the page stays below 10 MB.
func TestManyConnections(t *testing.T) {
	text := manyConnections(t)
	holds(t, text, `class="wide tall"`, "160 connections with less data have no section") // the box of the table
	assert.Check(t, len(text) <= 10_000_000, "%d bytes", len(text))
	all, open := strings.Count(text, `class="whole"`), strings.Count(text, `class="whole" open`)
	assert.Check(t, all == 40 && open == 3, "%d sections, %d unfolded; want 40 and 3", all, open)
	for _, want := range []string{
		"<dd>a2b played at 4.00 Mbit/s: starts after 250 ms, 2 stalls of 300 ms", "7 chunks on a worse path", "<li>no Multipath TCP and plain TCP of 100 kB or more",
	} {
		at := strings.Index(text, want)
		assert.Check(t, at >= 0 && at <= strings.Index(text, `id="captures"`), "no %q before the captures", want)
	}
}

// TestOneDirection: a direction that the capture lacks has a dash in the list, with the reason.
func TestOneDirection(t *testing.T) {
	const why = "only the packets of a are in the capture"
	doc, store := session(t)
	doc.Connections[0].LeaveOut(report.B2A, why)
	for i := range doc.Connections[0].Subflows {
		doc.Connections[0].Subflows[i].LeaveOut(report.B2A, why)
	}
	doc.TCP = plain(1)
	doc.TCP[0].LeaveOut(report.A2B, "only the packets of b are in the capture")
	text := written(t, doc, store)
	holds(t, text, `title="`+why+`">–`, `title="only the packets of b are in the capture">–`)
}

// TestKernelLines: what a record proves stands beside the packets' evidence, with file and line; a
// verdict without a cause has what is still possible. Texts of files are shown as texts.
func TestKernelLines(t *testing.T) {
	doc, store := session(t)
	list := *doc.Connections[1].Verdicts
	host, when, value, unit := report.SideB, 0.25, 1315.0, "count"
	list[0].Kernel = report.List[report.KernelLine]{{Host: host, File: "<b>tc.txt</b>", Line: 17, TS: &when, Field: "overlimits", Value: &value, Unit: &unit, Text: "a queue"}}
	list[0].Alternatives = report.List[report.Cause]{{Code: report.CauseReceiveBuffer, Host: &host}, {Code: report.CauseNetwork}}
	text := written(t, doc, store)
	holds(t, text,
		"kernel of b: a queue; overlimits 1\u202f315 <small>(&lt;b&gt;tc.txt&lt;/b&gt;, line 17, ", `<button type="button" data-t="0.25">0.250 s</button>`,
		"Still possible: receive buffer on b, network.",
	)
	assert.Check(t, !strings.Contains(render(t), "kernel of"), "a page without records has lines of a kernel")
	onlyOurs(t, text)
}

// TestKernelInCharts: samples of a kernel are a line of the chart of the same quantity.
func TestKernelInCharts(t *testing.T) {
	doc, store := session(t)
	put(t, store, report.Cell{Connection: 1, Direction: report.A2B, Path: doc.Connections[1].Subflows[0].Path}, "kernel_srtt_ms", [2]float64{0.1, 21}, [2]float64{0.3, 23})
	text := written(t, doc, store)
	assert.Check(t, is.Equal(strings.Count(text, `{"name":"kernel (ss) `), 2), "layers of the kernel: a line and its marks")
}

// TestOverlay: a series of a file is a chart of each connection in whose time it has values; the
// others say why they have none. Connection 0 lasts 2 s, connection 1 lasts 1 s.
func TestOverlay(t *testing.T) {
	doc, store := session(t)
	set, err := overlay.Parse(strings.NewReader("time,value,name,unit\n0,-70,<b>signal</b>,dBm\n0.5,-71,<b>signal</b>,dBm\n1.5,3,cell,\n"))
	assert.NilError(t, err)
	text := written(t, doc, store, set.Series...)
	for want, n := range map[string]int{
		"<figcaption>Beside the capture: &lt;b&gt;signal&lt;/b&gt; (dBm)</figcaption>":                   2,
		"<figcaption>Beside the capture: cell</figcaption>":                                              1,
		"Not drawn: no cell in the time shown, 0.000 to 1.000 s: the file has it from 1.500 to 1.500 s.": 1,
		`"x":[0,500000],"lo":[-70,-71]`:                                                                  4, // line and marks of each connection
	} {
		assert.Check(t, is.Equal(strings.Count(text, want), n), "how often there is %q", want)
	}
	onlyOurs(t, text)
}

// TestNoAnswerIsNotYes: a pointer to false is true in a template. So no condition of a page is a field
// that points to a truth value.
func TestNoAnswerIsNotYes(t *testing.T) {
	pointers := map[string]bool{}
	truthPointers(pointers, reflect.TypeFor[report.Document](), map[reflect.Type]bool{})
	truthPointers(pointers, reflect.TypeFor[campaign.Result](), map[reflect.Type]bool{})
	assert.Assert(t, pointers["Checksum"] && !pointers["Handshake"], "fields that point to truth values: %v", pointers)
	conditions := 0
	for _, name := range []string{"page.html", "campaign.html"} {
		text, err := os.ReadFile(name)
		assert.NilError(t, err)
		for _, found := range regexp.MustCompile(`{{(?:- )?(?:if|with|else if|else with) ([^}]*)}}`).FindAllStringSubmatch(string(text), -1) {
			conditions++
			for _, field := range regexp.MustCompile(`\.(\w+)\b`).FindAllStringSubmatch(found[1], -1) {
				assert.Check(t, !pointers[field[1]], "%s asks whether there is a %s, not whether it is true: %s", name, field[1], found[0])
			}
		}
	}
	assert.Check(t, conditions > 60, "only %d conditions", conditions)
}

// truthPointers enters the names of the fields below a type that point to truth values.
func truthPointers(into map[string]bool, of reflect.Type, seen map[reflect.Type]bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map || of.Kind() == reflect.Array {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || seen[of] {
		return
	}
	seen[of] = true
	for _, f := range reflect.VisibleFields(of) {
		if f.Type == reflect.TypeFor[*bool]() {
			into[f.Name] = true
		}
		truthPointers(into, f.Type, seen)
	}
}

// TestOnceAndFine: what was seen once is told so, and a connection where nothing is wrong has no severe verdict.
func TestOnceAndFine(t *testing.T) {
	doc, store := session(t)
	doc.Warnings = report.List[report.Warning]{{Message: "odd", Count: 1, Packet: new(int64(7))}, {Message: "strange", Count: 2, Packet: new(int64(8))}}
	doc.TCP[0].Verdicts = report.List[report.Verdict]{{Severity: report.Fine, Code: "aggregating"}}
	doc.Connections[1].Verdicts = &doc.TCP[0].Verdicts
	text := written(t, doc, store)
	holds(t, text, "odd (once, in packet 7)", "strange (2 times, first in packet 8)")
	got := strings.Count(text, "<td>none</td></tr>")
	assert.Check(t, got == len(doc.Connections)+len(doc.TCP), "%d connections without a severe verdict", got)
}
