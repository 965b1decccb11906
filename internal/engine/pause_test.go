package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// The pause that is put into a session: by the clock of the capture, and by the TCP timestamps,
// which Linux counts in milliseconds.
const (
	pauseSeconds = 7
	pauseTicks   = 1000 * pauseSeconds
)

// pauseCell is the length of cells. With short ones, many pauses are between two cells.
const pauseCell = time.Millisecond

// mostPlaces is how many pauses are put into a capture, one at a time.
const mostPlaces = 4

// ofTime are the figures that a pause changes: durations, times since the begin, rates, shares of
// time, and what is defined over rounds or cells of time. Away from the sender nothing shows that
// it has nothing outstanding, so the pause may lie in a round.
var ofTime = regexp.MustCompile(`duration|_s$|_s\.|\.t$|\.at$|start|throughput|goodput|rate|percent|idle|Mbit|cell|samples|jain|fairness|warnings|text|events|evidence|verdicts|captures|unavailable|bitrate|cov|made_by|dsr_mbps|rec_path|hol_queue|join_delay|cwnd|rb2loc.total|time_account`)

// TestPauseChangesNothing puts a pause into each bundled session where nothing is outstanding: all
// data that was sent is acknowledged, on the subflows and at the data level. No figure changes
// but those of time, and no verdict comes but that the application offers little.
func TestPauseChangesNothing(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob(sessions + "/v1/*/*.pcap.zst")
	if err != nil || len(found) < 20 {
		t.Fatalf("%d captures: %v", len(found), err)
	}
	paused := 0
	for _, name := range append(testrun.Few(found), quietSession(t)) {
		p := findPauses(t, framesOf(t, name))
		for i := range p.places {
			paused++
			t.Run(fmt.Sprintf("%s after packet %d", name, p.places[i].after), func(t *testing.T) {
				comparePaused(t, p.whole.pcapng(), p.with(t, &p.places[i]))
			})
		}
	}
	assert.Check(t, paused >= 5 || testing.Short(), "only %d pauses", paused)
}

// comparePaused compares the reports on two captures.
func comparePaused(t *testing.T, whole, paused []byte) {
	t.Helper()
	want, codes := figuresAndCodes(t, whole)
	got, after := figuresAndCodes(t, paused)
	for path, w := range want {
		if g := got[path]; g != w && !ofTime.MatchString(path) {
			t.Errorf("%s: %v, and %v with the pause", path, w, g)
		}
	}
	for code := range after {
		assert.Check(t, codes[code] != 0 || code == report.VerdictApplication, "verdict %s comes with the pause", code)
	}
}

// figuresAndCodes returns the leaves of a report by their paths, and the codes of its verdicts.
func figuresAndCodes(t *testing.T, file []byte) (map[string]any, map[report.VerdictCode]int) {
	t.Helper()
	return figuresAndCodesOf(t, analyzedInCells(t, file))
}

// analyzedInCells returns the report on a file.
func analyzedInCells(t *testing.T, file []byte) *report.Document {
	t.Helper()
	o := piped(file)
	o.Interval, o.Decap = pauseCell, true
	return analyzed(t, o)
}

// figuresAndCodesOf is figuresAndCodes for a report.
func figuresAndCodesOf(t *testing.T, doc *report.Document) (map[string]any, map[report.VerdictCode]int) {
	t.Helper()
	leaves := map[string]any{}
	for i := range doc.Connections { // it is about the file
		*doc.Connections[i].Verdicts = slices.DeleteFunc(*doc.Connections[i].Verdicts, func(v report.Verdict) bool { return v.Code == report.VerdictTwice })
	}
	for i := range doc.TCP {
		doc.TCP[i].Verdicts = slices.DeleteFunc(doc.TCP[i].Verdicts, func(v report.Verdict) bool { return v.Code == report.VerdictTwice })
	}
	text, err := json.Marshal(doc)
	assert.NilError(t, err)
	var tree any
	assert.NilError(t, json.Unmarshal(text, &tree))
	var walk func(path string, x any)
	walk = func(path string, x any) {
		switch x := x.(type) {
		case map[string]any:
			for name, v := range x {
				walk(path+"."+name, v)
			}
		case []any:
			for i, v := range x {
				walk(fmt.Sprintf("%s[%d]", path, i), v)
			}
		default:
			leaves[path] = x
		}
	}
	walk("", tree)
	return leaves, codes(doc)
}

// pauses are the places in a capture where a pause can be put in.
type pauses struct {
	conn.Nop
	whole  frames
	places []place
	// What was seen up to now, by packet number:
	packets map[uint64]stamped
	conns   []*conn.Conn
	newest  map[[2]packet.Endpoint]uint32
	// The latest packet, and whether nothing is outstanding after it:
	last     uint64
	lastTime int64
	idle     bool
}

// place is the packet after which the pause begins, and the latest TCP timestamps before it.
type place struct {
	after  uint64
	newest map[[2]packet.Endpoint]uint32
}

// stamped are the timestamps of a packet.
type stamped struct {
	flow        [2]packet.Endpoint
	tsVal, echo uint32
	has         bool
}

// findPauses returns some places of a capture, spread over it, with the first and the last.
func findPauses(t *testing.T, whole frames) *pauses {
	t.Helper()
	p := &pauses{whole: whole, packets: map[uint64]stamped{}, newest: map[[2]packet.Endpoint]uint32{}}
	o := piped(whole.pcapng())
	o.Modules = []conn.Module{p}
	if _, err := engine.Track(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if n := len(p.places); n > mostPlaces {
		for i := range mostPlaces {
			p.places[i] = p.places[i*(n-1)/(mostPlaces-1)]
		}
		p.places = p.places[:mostPlaces]
	}
	return p
}

// Open is called for each connection.
func (p *pauses) Open(c *conn.Conn) conn.Observer {
	p.conns = append(p.conns, c)
	return p
}

// Packet keeps the timestamps of a packet. It keeps the place before it if nothing was outstanding
// there and a cell ended. The packet must be of the host that captured, or a RST. Of the other host's data the capture does not show what is on its way.
func (p *pauses) Packet(x *conn.Packet) {
	s := x.Seg
	at, _ := x.Conn.Vantage()
	if p.idle && p.cell(p.lastTime) != p.cell(s.Time) && (at == conn.AtA && x.From == conn.A || at == conn.AtB && x.From == conn.B || s.Flags&packet.RST != 0) {
		p.places = append(p.places, place{p.last, maps.Clone(p.newest)})
	}
	k := stamped{[2]packet.Endpoint{s.Src, s.Dst}, s.TSVal, s.TSEcr, s.Have&packet.HasTimestamps != 0}
	if p.packets[s.Num] = k; k.has {
		p.newest[k.flow] = max(p.newest[k.flow], k.tsVal)
	}
	p.last, p.lastTime, p.idle = s.Num, s.Time, p.nothingOutstanding()
}

// cell returns the number of a cell of figures that are means over cells. A pause within a cell
// would make two cells of it.
func (p *pauses) cell(now int64) int64 { return (now - p.conns[0].Start) / int64(pauseCell) }

// nothingOutstanding reports whether all that any host sent is acknowledged.
func (p *pauses) nothingOutstanding() bool {
	for _, c := range p.conns {
		for side := range c.Spaces {
			if c.Spaces[side].OutstandingBytes > 0 || c.DataFIN[side] != 0 {
				return false
			}
		}
		for _, s := range c.Subflows {
			if s.ThirdACK == 0 && !s.Done() { // its handshake is not over
				return false
			}
			for side := range s.Senders {
				if s.Senders[side].InFlight() > 0 {
					return false
				}
			}
		}
	}
	return len(p.conns) > 0
}

// with returns the capture with a pause: all later packets come so much later, and their TCP
// timestamps say so, too.
func (p *pauses) with(t *testing.T, at *place) []byte {
	t.Helper()
	out := p.whole.moved(func(i int) int64 {
		if uint64(i+1) <= at.after {
			return 0
		}
		return pauseSeconds * 1e9
	})
	for i := int(at.after); i < len(out.list); i++ {
		k := p.packets[uint64(i+1)]
		if !k.has {
			continue
		}
		old := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte{8, 10}, k.tsVal), k.echo)
		if k.echo > at.newest[[2]packet.Endpoint{k.flow[1], k.flow[0]}] {
			k.echo += pauseTicks
		}
		now := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte{8, 10}, k.tsVal+pauseTicks), k.echo)
		assert.Assert(t, bytes.Contains(out.list[i].Data, old), "packet %d: no timestamps", i+1)
		out.list[i].Data = bytes.Replace(out.list[i].Data, old, now, 1)
	}
	return out.pcapng()
}

// quietSession returns a capture at the sender of two subflows that carry data. When all data is
// acknowledged, the receiver resets the second one. Later data goes over the first one alone, and
// the DATA_FIN comes by itself.
func quietSession(t *testing.T) string {
	t.Helper()
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	const ms = time.Millisecond
	first, second := s.Subflow(onPath(0)), s.Subflow(onPath(1))
	first.Open(0)
	second.Open(100 * ms)
	for i := range int64(100) {
		first.Data(tracegen.A2B, time.Duration(200+i)*ms, 2000*i, 1000)
		second.Data(tracegen.A2B, time.Duration(200+i)*ms, 2000*i+1000, 1000)
	}
	second.RST(tracegen.B2A, 400*ms)
	for i := range int64(100) {
		first.Data(tracegen.A2B, time.Duration(500+i)*ms, 200_000+1000*i, 1000)
	}
	s.Close(700*ms, 300_000, 0)
	return writeView(t, "generated.pcap", s.Network().Packets(tracegen.HostA), tracegen.Format{}, nil)
}
