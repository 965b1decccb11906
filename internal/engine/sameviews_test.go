package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// A report depends on nothing but the capture: not on the number of processors or goroutines, nor on
// whether packets are processed connection by connection, nor on tables and modules beside it. With a
// module, which may refer to any connection, the table makes a connection of each SYN and of each
// fragment, and their memory is not used again.

// bystander is a module that sees every connection and follows none.
type bystander map[*conn.Conn]int

// Open implements [conn.Module].
func (b bystander) Open(c *conn.Conn) conn.Observer {
	b[c]++
	return nil
}

// way is how a report is made.
type way struct {
	name   string
	change func(o *engine.Options)
}

var (
	together = way{"one goroutine", func(o *engine.Options) { *o = o.Alone() }}
	tables   = way{"with tables", func(o *engine.Options) { o.Rows, o.Series = &rowCheck{}, func(string) bool { return true } }}
	module   = way{"with a module", func(o *engine.Options) { o.Modules = []conn.Module{bystander{}} }}
	stored   = way{"stored in a file", func(o *engine.Options) { *o = o.Storing(1) }}
	plainly  = way{"with all processors", func(*engine.Options) {}}
)

// sameReport compares the report on a capture, in the order of its packets, with those that are made in
// other ways. It returns the report.
func sameReport(t *testing.T, name string, file []byte, o engine.Options, ways ...way) string {
	t.Helper()
	want := jsonOf(t, o.InOrder(), file)
	for _, w := range ways {
		changed := o
		w.change(&changed)
		if got := jsonOf(t, changed, file); got != want {
			t.Fatalf("%s, %s: %s", name, w.name, firstDifference(got, want))
		}
		for _, m := range changed.Modules {
			if b, ok := m.(bystander); ok && slices.ContainsFunc(slices.Collect(maps.Values(b)), func(n int) bool { return n > 1 }) {
				t.Fatalf("%s: a connection lies where another did", name)
			}
		}
	}
	return want
}

// jsonOf returns the report on a capture, which may be damaged. Written record by record it has the same
// text. The count of connections that were given up early is left out: SYNs that wait take less room than
// connections.
func jsonOf(t *testing.T, o engine.Options, file []byte) string {
	t.Helper()
	o.Paths, o.Stdin, o.Connection, o.Decap = []string{"-"}, bytes.NewReader(file), engine.AllConnections, true
	s, err := engine.AnalyzeStored(t.Context(), o)
	if s == nil {
		t.Fatal(err)
	}
	defer s.Close()
	doc, err := s.Document()
	assert.NilError(t, err)
	written := func(r report.Source) string {
		var out strings.Builder
		assert.NilError(t, jsonreport.Write(&out, r))
		return out.String()
	}
	text := written(doc)
	if records := written(s); records != text {
		t.Fatal("record by record:", firstDifference(records, text))
	}
	n := len(doc.Warnings)
	doc.Warnings = slices.DeleteFunc(doc.Warnings, func(w report.Warning) bool { return w.Code == "half_open" })
	if len(doc.Warnings) < n {
		text = written(doc)
	}
	return text
}

// shortRecords counts the short records in a report.
func shortRecords(text string) int {
	return strings.Count(strings.ReplaceAll(text, " ", ""), `"short":true`)
}

// firstDifference returns the place where two texts begin to differ.
func firstDifference(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return "..." + got[max(0, at-300):min(len(got), at+200)] + "\nin the order of the capture:\n..." + want[max(0, at-300):min(len(want), at+200)]
}

func TestSameReportOfRealCaptures(t *testing.T) {
	for _, name := range realCaptures {
		sameReport(t, name, load(t, name, 4000/scale).file, wholly(), together, stored, tables)
	}
}

// Where one goroutine reads and tracks, batches are small, so that packets are soon processed connection
// by connection.
func TestSameReportOfAttacks(t *testing.T) {
	t.Parallel()
	for _, attack := range tracegen.Attacks() {
		sameReport(t, attack.Name, attacked(t, attack.Name, testrun.Cases(1200)), engine.Options{}, together)
	}
}

// Storms are played, and some of their packets are missing, altered, cut, repeated or shown later.
func TestSameReportOfStorms(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Cases(20 / scale)) {
		r := rand.New(rand.NewPCG(seed, 3))
		file := viewed(t, storm(r, 5+r.IntN(90), 1+int(seed%4)*40, time.Duration(1+r.IntN(300))*time.Second), tracegen.View(seed%3), tracegen.Format{})
		m := split(t, fmt.Sprintf("storm %d", seed), file)
		sameReport(t, m.name, m.file, wholly(), together, module)
		for _, often := range []int{1000, 100} {
			sameReport(t, fmt.Sprintf("%s, one in %d disturbed", m.name, often), disturbed(r, m, often), wholly(), together)
		}
	}
}

// Four transfers at once are processed at the same time. The packets fill ten batches, because the
// connections must be open for several batches before that begins.
func TestSameReportOfTransfers(t *testing.T) {
	t.Parallel()
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("on one processor no packets are processed at the same time")
	}
	all := transfersOfTwo(4, 7000, tracegen.HostA)
	assert.Assert(t, len(all) >= 40_000, "%d packets", len(all))
	sameReport(t, "transfers", written(t, all), engine.Options{}, plainly)
}

// written returns the file of packets, of which 128 bytes each are captured.
func written(t *testing.T, all []tracegen.Packet) []byte {
	t.Helper()
	file, err := os.ReadFile(writeView(t, "x.pcap", all, tracegen.Format{SnapLen: 128}, nil))
	assert.NilError(t, err)
	return file
}

// TestFragments: captures of fragments of connections.
func TestFragments(t *testing.T) {
	short := 0
	for round := range testrun.Cases(60) {
		n := tracegen.NewNetwork(tracegen.Start)
		playFragments(n, rand.New(rand.NewPCG(1, uint64(round))))
		text := sameReport(t, fmt.Sprint("round ", round), viewed(t, n, tracegen.HostA, nanoseconds), liveOptions(), module)
		short += strings.Count(text, report.OnlyFew)
	}
	assert.Check(t, short >= 10, "%d fragments", short)
}

// TestLoneSYNs: SYNs of all kinds, some of which another packet follows.
func TestLoneSYNs(t *testing.T) {
	short := 0
	for seed := range uint64(testrun.Cases(400)) {
		var file bytes.Buffer
		r := rand.New(rand.NewPCG(seed, 1))
		snap := 0
		if seed%7 == 6 {
			snap = 56
		}
		k := newKnocks(t, &file, seed, oneOf(r, tracegen.LinkEthernet, tracegen.LinkSLL), snap)
		for range 1 + r.IntN(300) {
			k.step()
		}
		o := wholly()
		o.Detail = oneOf(r, report.WithData, report.WithData, report.Summary, report.NoTCP, report.Lines, report.Full)
		o.Vantage = oneOf[report.Vantage](r, "", "", report.VantageA, report.VantageB)
		o.Several, o.Labels = true, oneOf(r, nil, []engine.Label{{Prefix: netip.MustParsePrefix("10.0.0.2/32"), Name: "lte"}})
		short += shortRecords(sameReport(t, fmt.Sprintf("seed %d, %v", seed, o.Detail), k.file(&file), o, module))
	}
	assert.Check(t, short != 0, "no short record at all")
}

// TestReportBeyondBounds: the captures have more connections than the table holds of a kind, or more than
// may take the memory. All views name the same connections by the same IDs.
func TestReportBeyondBounds(t *testing.T) {
	for name, c := range map[string]struct {
		play     func(*tracegen.Network, *rand.Rand)
		maxState int64 // 0 for the default, which suffices
		ways     []way // besides those with a module and with several processors
	}{
		"ended and joined again":     {play: endedAndJoined}, // its reports are the longest, so that each way takes long
		"SYNs between, little space": {synsBetween, 2 << 20, []way{together, tables}},
		"all mixed, little space":    {mixed, 3 << 20, []way{together, tables}},
	} {
		t.Run(name, func(t *testing.T) {
			net, seen := tracegen.NewNetwork(time.Time{}), idsOf{}
			c.play(net, rand.New(rand.NewPCG(1, 2)))
			file := written(t, net.Packets(tracegen.HostA))
			follows := way{"with a module that follows", func(o *engine.Options) { o.Modules = []conn.Module{seen} }}
			several := way{"4 processors", func(*engine.Options) { runtime.GOMAXPROCS(4) }}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
			text := sameReport(t, name, file, engine.Options{MaxState: c.maxState, Detail: report.WithData}, append(c.ways, follows, several)...)
			if got := strings.Contains(text, "evicted_for_memory"); got != (c.maxState > 0) {
				t.Fatalf("connections were closed for their memory: %v", got)
			}
			compareIDs(t, seen, file, c.maxState)
		})
	}
}

// TestReaderOfRows: on one processor the goroutine that writes rows also reads; on more, another one
// reads. Tables must be the same bytes.
func TestReaderOfRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, name := range realCaptures {
		file := load(t, name, 4000/scale).file
		var of [2]map[string]string
		for i := range of {
			runtime.GOMAXPROCS(i + 1)
			of[i] = tablesOf(t, file)
		}
		for table := range of[0] {
			assert.Check(t, of[0][table] == of[1][table], "%s: %s of two processors is not that of one", name, table)
		}
		if len(of[0]) != len(of[1]) || len(of[0]) == 0 {
			t.Errorf("%s: %d files on two processors, %d on one", name, len(of[1]), len(of[0]))
		}
	}
}

// tablesOf returns the tables of a capture by the names of their files.
func tablesOf(t *testing.T, file []byte) map[string]string {
	t.Helper()
	dir := t.TempDir()
	tables, err := csvtables.New(dir, csvtables.Options{Series: true, Chunks: true})
	assert.NilError(t, err)
	o := everything(bytes.NewReader(file))
	o.Rows, o.Changes = tables, true
	doc := analyzed(t, o)
	assert.NilError(t, cmp.Or(tables.Document(doc), tables.Close()))
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	assert.NilError(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		assert.NilError(t, err)
		out[e.Name()] = string(text)
	}
	return out
}

// TestReaderOfPair: a pair is the same report if one goroutine reads and tracks, for whole captures and
// for damaged ones.
func TestReaderOfPair(t *testing.T) {
	s := transferOfTwo(0, 4000)
	receiver := written(t, s.Packets(tracegen.HostB))
	o := wholly(writeView(t, "sender.pcap", s.Packets(tracegen.HostA), tracegen.Format{SnapLen: 128}, nil))
	for _, cut := range []int{0, 50_001} {
		o.Receiver = []string{save(t, filepath.Join(t.TempDir(), "receiver.pcap"), receiver[:len(receiver)-cut])}
		var texts [2][]byte
		for i, o := range [2]engine.Options{o, o.Alone()} {
			doc, err := engine.Analyze(context.Background(), o)
			if damaged := engine.Damaged(err); damaged != (cut > 0) || err != nil && !damaged {
				t.Fatalf("cut by %d bytes: error %v", cut, err)
			}
			if texts[i], err = json.Marshal(doc); err != nil {
				t.Fatal(err)
			}
		}
		assert.Check(t, bytes.Equal(texts[0], texts[1]), "cut by %d bytes: the report of one goroutine is not that of several", cut)
	}
}

// The number of goroutines depends on the work.
func TestTogether(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	alone, rows := engine.Options{}, engine.Options{Rows: new(csvtables.Writer)}
	for _, c := range []struct {
		what       string
		o          engine.Options
		processors int
		want       bool
	}{
		{"a report on one processor", alone, 1, true},
		{"a report on two", alone, 2, false},
		{"a report while other runs are analysed", alone.Alone(), 8, true},
		{"rows on two", rows, 2, false},
	} {
		runtime.GOMAXPROCS(c.processors)
		if got := c.o.Together(); got != c.want {
			t.Errorf("%s: together %v, want %v", c.what, got, c.want)
		}
	}
}

// What counts the first packets or connections up to a bound gets packets in the order of the capture.
func TestNeedsOrder(t *testing.T) {
	for name, o := range map[string]engine.Options{"rows": {Rows: &rowCheck{}}, "a module": {Modules: []conn.Module{idsOf{}}}, "fairness": {Fairness: true}} {
		assert.Check(t, o.NeedsOrder(), "%s: packets may be taken in another order", name)
	}
	if o := (engine.Options{Detail: report.WithData}); o.NeedsOrder() {
		t.Error("a report alone: packets are taken in the order of the capture")
	}
}

// idsOf is a module that notes the first 4-tuple of each connection by its ID.
type idsOf map[int]string

// Open implements [conn.Module].
func (x idsOf) Open(c *conn.Conn) conn.Observer { return &idOf{x: x, c: c} }

type idOf struct {
	conn.Nop
	x idsOf
	c *conn.Conn
}

func (o *idOf) Close(int64) {
	if o.c.ID >= 0 {
		ends := o.c.Subflows[0].Ends
		o.x[o.c.ID] = fmt.Sprint(ends[conn.A].AddrPort(), " ", ends[conn.B].AddrPort())
	}
}

// compareIDs compares the IDs that a module got with those of the lines for packets and of the list
// of connections.
func compareIDs(t *testing.T, want idsOf, file []byte, maxState int64) {
	t.Helper()
	var out bytes.Buffer
	lines := packets.New(&out, packets.Options{Connection: packets.AllConnections, JSON: true})
	if _, err := engine.Track(t.Context(), engine.Options{Paths: []string{"-"}, Stdin: bytes.NewReader(file), MaxState: maxState, Modules: []conn.Module{lines}}); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, lines.Flush())
	got := idsOf{}
	for d := json.NewDecoder(&out); d.More(); {
		var line struct {
			Connection, Subflow *int
			Direction, From, To string
		}
		assert.NilError(t, d.Decode(&line))
		if line.Connection == nil || *line.Subflow > 0 {
			continue
		}
		if line.Direction == string(report.B2A) {
			line.From, line.To = line.To, line.From
		}
		got[*line.Connection] = line.From + " " + line.To
	}
	assert.Check(t, maps.Equal(got, want), "packets has %d connections, or others than the %d of analyze", len(got), len(want))
	doc := analyzed(t, engine.Options{Paths: []string{"-"}, Stdin: bytes.NewReader(file), MaxState: maxState, Connection: engine.AllConnections, Detail: report.Lines})
	got = idsOf{}
	for _, c := range doc.Connections {
		s := c.Subflows[0]
		got[c.ID] = fmt.Sprintf("%s:%d %s:%d", s.A.Addr, s.A.Port, s.B.Addr, s.B.Port)
	}
	assert.Check(t, maps.Equal(got, want), "connections has %d connections, or others than the %d of analyze", len(got), len(want))
}
