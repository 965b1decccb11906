package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// A report depends on nothing but the capture: not on the number of processors, nor on tables and
// modules beside it. And all views name the same connections by the same IDs. The captures have
// more connections than the table holds of a kind, or more than may take the memory.
func TestReportBeyondBounds(t *testing.T) {
	for name, c := range map[string]struct {
		play     func(*tracegen.Network, *rand.Rand)
		maxState int64 // 0 for the default, which suffices
	}{
		"ended and joined again":         {play: endedAndJoined},
		"SYNs between":                   {play: synsBetween},
		"ended and joined, little space": {endedAndJoined, 6 << 20},
		"SYNs between, little space":     {synsBetween, 2 << 20},
		"all mixed, little space":        {mixed, 3 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			net := tracegen.NewNetwork(time.Time{})
			c.play(net, rand.New(rand.NewPCG(1, 2)))
			file, err := os.ReadFile(writeView(t, "beyond.pcap", net.Packets(tracegen.HostA), tracegen.Format{SnapLen: 128}, nil))
			if err != nil {
				t.Fatal(err)
			}
			want := jsonOf(t, engine.Options{MaxState: c.maxState}.InOrder(), file)
			if got := strings.Contains(want, "evicted_for_memory"); got != (c.maxState > 0) {
				t.Fatalf("connections were closed for their memory: %v", got)
			}
			before := runtime.GOMAXPROCS(0)
			defer runtime.GOMAXPROCS(before)
			for _, n := range []int{1, 2, 4, 8} {
				runtime.GOMAXPROCS(n)
				if got := jsonOf(t, engine.Options{MaxState: c.maxState}, file); got != want {
					t.Fatalf("%d processors: %s", n, firstDifference(got, want))
				}
			}
			runtime.GOMAXPROCS(before)
			tables := engine.Options{MaxState: c.maxState, Rows: noRows{}, Series: func(string) bool { return true }}
			if got := jsonOf(t, tables, file); got != want {
				t.Errorf("with tables: %s", firstDifference(got, want))
			}
			seen := idsOf{}
			if got := jsonOf(t, engine.Options{MaxState: c.maxState, Modules: []conn.Module{seen}}, file); got != want {
				t.Errorf("with a module: %s", firstDifference(got, want))
			}
			compareIDs(t, seen, file, c.maxState)
		})
	}
}

// What counts the first packets or connections up to a bound gets packets in the order of the capture.
func TestNeedsOrder(t *testing.T) {
	for name, o := range map[string]engine.Options{"rows": {Rows: noRows{}}, "a module": {Modules: []conn.Module{idsOf{}}}, "fairness": {Fairness: true}} {
		if !o.NeedsOrder() {
			t.Errorf("%s: packets may be taken in another order", name)
		}
	}
	if o := (engine.Options{Detail: report.WithData}); o.NeedsOrder() {
		t.Error("a report alone: packets are taken in the order of the capture")
	}
}

// jsonOf returns the report on a capture.
func jsonOf(t *testing.T, o engine.Options, file []byte) string {
	t.Helper()
	o.Paths, o.Stdin, o.Connection, o.Detail = []string{"-"}, bytes.NewReader(file), engine.AllConnections, report.WithData
	doc, err := engine.Analyze(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := jsonreport.Write(&out, doc); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// noRows takes rows and keeps none.
type noRows struct{}

func (noRows) Series([]report.SeriesRow) error    { return nil }
func (noRows) Chunks([]report.ChunkRow) error     { return nil }
func (noRows) Mappings([]report.MappingRow) error { return nil }
func (noRows) Event(*report.EventRow) error       { return nil }

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
	if err := lines.Flush(); err != nil {
		t.Fatal(err)
	}
	got := idsOf{}
	for d := json.NewDecoder(&out); d.More(); {
		var line struct {
			Connection, Subflow *int
			Direction, From, To string
		}
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Connection == nil || *line.Subflow > 0 {
			continue
		}
		if line.Direction == string(report.B2A) {
			line.From, line.To = line.To, line.From
		}
		got[*line.Connection] = line.From + " " + line.To
	}
	if !maps.Equal(got, want) {
		t.Errorf("packets has %d connections, or others than the %d of analyze", len(got), len(want))
	}
	doc, err := engine.Analyze(t.Context(), engine.Options{Paths: []string{"-"}, Stdin: bytes.NewReader(file), MaxState: maxState, Connection: engine.AllConnections, Detail: report.Lines})
	if err != nil {
		t.Fatal(err)
	}
	got = idsOf{}
	for _, c := range doc.Connections {
		s := c.Subflows[0]
		got[c.ID] = fmt.Sprintf("%s:%d %s:%d", s.A.Addr, s.A.Port, s.B.Addr, s.B.Port)
	}
	if !maps.Equal(got, want) {
		t.Errorf("connections has %d connections, or others than the %d of analyze", len(got), len(want))
	}
}

// endedAndJoined plays connections that lose their subflow in another order than that in which they
// began. Then a host joins each of them again. More wait for that than the table holds. Others send
// data meanwhile.
func endedAndJoined(net *tracegen.Network, r *rand.Rand) {
	const n, others = 1150, 40
	for i := range n + others {
		s, f, at := beginning(net, r, i)
		rounds := 4
		if i >= n {
			rounds = 150
		}
		for k := range rounds {
			f.Data(tracegen.A2B, at+time.Duration(k*20+r.IntN(20))*time.Millisecond, int64(100*k), 100)
		}
		if i >= n {
			continue
		}
		f.RST(tracegen.B2A, time.Second+time.Duration(n-i)*time.Millisecond)
		again := subflowOf(s, r, 1, i)
		h := again.Open(2500*time.Millisecond + time.Duration(i)*100*time.Microsecond)
		again.Data(tracegen.A2B, h.Established()+time.Millisecond, 400, 500)
	}
}

// synsBetween plays connections whose handshakes take long. Many SYNs that nobody answers come
// meanwhile.
func synsBetween(net *tracegen.Network, r *rand.Rand) {
	for i := range 60 {
		_, f, at := beginning(net, r, i)
		for k := range 40 {
			f.Data(tracegen.A2B, at+time.Duration(k)*time.Millisecond, int64(100*k), 100)
		}
	}
	for i := range 3000 {
		s := net.Session(tracegen.Config{Version: 1, Keys: [2]uint64{r.Uint64(), r.Uint64()}})
		subflowOf(s, r, 2, i).SYN(time.Duration(i) * 20 * time.Microsecond)
	}
}

// mixed plays short and long connections of one or two subflows, whose data comes at any time, and
// SYNs that nobody answers.
func mixed(net *tracegen.Network, r *rand.Rand) {
	for i := range 400 {
		s, f, at := beginning(net, r, i)
		paths := []*tracegen.Subflow{f}
		if i%3 == 0 {
			again := subflowOf(s, r, 1, i)
			paths = append(paths, again)
			h := again.Open(at + time.Millisecond)
			at = h.Established()
		}
		for k := range 5 + r.IntN(60) {
			at += time.Duration(r.IntN(3000)) * time.Microsecond
			paths[k%len(paths)].Data(tracegen.A2B, at, int64(100*k), 100)
		}
	}
	for i := range 1500 {
		s := net.Session(tracegen.Config{Version: 1, Keys: [2]uint64{r.Uint64(), r.Uint64()}})
		subflowOf(s, r, 2, i).SYN(time.Duration(i) * 40 * time.Microsecond)
	}
}

// beginning opens the i-th connection, and returns when it is established.
func beginning(net *tracegen.Network, r *rand.Rand, i int) (*tracegen.Session, *tracegen.Subflow, time.Duration) {
	s := net.Session(tracegen.Config{Version: 1, Keys: [2]uint64{r.Uint64(), r.Uint64()}, AckEvery: 1})
	f := subflowOf(s, r, 0, i)
	h := f.Open(time.Duration(i) * 20 * time.Microsecond)
	return s, f, h.Established() + time.Millisecond
}

// subflowOf returns a subflow of the i-th connection over one of the paths.
func subflowOf(s *tracegen.Session, r *rand.Rand, path, i int) *tracegen.Subflow {
	delay := time.Duration(5+r.IntN(20)) * time.Millisecond
	return s.Subflow(tracegen.Path{
		A:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(path), byte(i >> 8), byte(i)}), uint16(1024+i)),
		B:     netip.MustParseAddrPort("198.51.100.1:443"),
		ISN:   [2]seq.Wire{seq.Wire(r.Uint32()), seq.Wire(r.Uint32())},
		Nonce: [2]uint32{r.Uint32(), r.Uint32()}, ID: [2]uint8{uint8(path), 0},
		Delay: [2]time.Duration{delay, delay},
	})
}
