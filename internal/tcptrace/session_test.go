package tcptrace

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// The files of testdata/sessions are small sessions and what tcptrace 6.6.7 says of them with
// -l -r -W and with -G. Everything after "  #" is a comment. The part "packets" has a line for each
// packet: time in ms, end, flags, sequence number, "+" and payload, and the fields that are not 0.
// The part "fields" has the figures of a and of b. Every other part is a graph, without the lines
// before the first object, or the long output.

// handshake of 20 ms whose data begins at 1001 and 5001. Both ends ask for a window scale of 2.
const handshake = `0 a S 1000 win=4000 ws=2 mss=1460
20 b SA 5000 ack=1001 win=4000 ws=2 mss=1460
20 a A 1001 ack=5001 win=1000
`

// scriptPacket is a packet of a session and the end that sent it.
type scriptPacket struct {
	packet.Segment
	from int
}

// script reads the packets of a session.
func script(t testing.TB, text string) (out []scriptPacket) {
	t.Helper()
	ends := [2]packet.Endpoint{{Addr: [16]byte{10: 255, 11: 255, 12: 10, 15: 1}, Port: 1000}, {Addr: [16]byte{10: 255, 11: 255, 12: 10, 15: 2}, Port: 80}}
	for line := range lines(text) {
		words := strings.Fields(line)
		x := scriptPacket{from: strings.Index("ab", words[1])}
		ms, err := strconv.ParseFloat(words[0], 64)
		assert.NilError(t, err)
		x.Num, x.Time, x.IPID = uint64(len(out)+1), packet.Origin+int64(ms*1e6), uint16(len(out)+1)
		x.Src, x.Dst = ends[x.from], ends[1-x.from]
		for _, letter := range words[2] {
			x.Flags |= 1 << strings.IndexRune("FSRPAUEC", letter)
		}
		first, length, _ := strings.Cut(words[3], "+")
		x.Seq, x.PayloadLen = seq.Wire(number(t, first)), number(t, length)
		x.Captured = x.PayloadLen
		for _, word := range words[4:] {
			x.set(t, word)
		}
		out = append(out, x)
	}
	return out
}

// set sets a field of a packet.
func (x *scriptPacket) set(t testing.TB, word string) {
	t.Helper()
	name, value, _ := strings.Cut(word, "=")
	low, high, _ := strings.Cut(value, "-")
	n := number(t, low)
	switch name {
	case "ack":
		x.Ack = seq.Wire(n)
	case "win":
		x.Window = uint16(n)
	case "ws":
		x.WScale, x.Have = uint8(n), x.Have|packet.HasWScale
	case "mss":
		x.MSS, x.Have = uint16(n), x.Have|packet.HasMSS
	case "ts":
		x.TSVal, x.Have = n, x.Have|packet.HasTimestamps
	case "sackok":
		x.Have |= packet.HasSACKPermitted
	case "sack":
		x.SACK[x.NSACK] = packet.SACKBlock{Left: seq.Wire(n), Right: seq.Wire(number(t, high))}
		x.NSACK++
	case "captured":
		x.Captured = n
	case "urg":
		x.Urgent = uint16(n)
	case "id":
		x.IPID = uint16(n)
	case "ce":
		x.CE = true
	default:
		t.Fatalf("no field %s", name)
	}
}

// number reads a number; no text is 0.
func number(t testing.TB, text string) uint32 {
	t.Helper()
	n, err := strconv.ParseUint("0"+text, 10, 32)
	assert.NilError(t, err)
	return uint32(n)
}

// exact yields the lines of a long output, except those that depend on the place of the test, and those
// that tcptrace takes from SYN and FIN.
func exact(text string) (out []string) {
	_, text, _ = strings.Cut(text, "TCP connection 1:\n")
	for line := range strings.Lines(text) {
		if !leftOut.MatchString(line) {
			out = append(out, line)
		}
	}
	return out
}

var leftOut = regexp.MustCompile("^\t(first|last) packet|^\tfilename|full_sz")

// lines yields the lines of a text without comments and empty lines.
func lines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, "  #")
			if line = strings.TrimRight(line, "\n"); line != "" && !yield(line) {
				return
			}
		}
	}
}

// play takes a session.
func play(t testing.TB, text string) *Pair {
	t.Helper()
	p := &Pair{}
	for _, x := range script(t, text) {
		p.add(&x.Segment, x.from)
	}
	return p
}

// draw plays a session with graphs and returns their objects by name.
func draw(t *testing.T, text string) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new", "graphs")
	g, err := NewGraphs(dir)
	assert.NilError(t, err)
	p := &Pair{graphs: g.pair("10.0.0.1:1000", "10.0.0.2:80")}
	for _, x := range script(t, text) {
		p.add(&x.Segment, x.from)
	}
	p.graphs.close()
	assert.NilError(t, g.Finish())
	out := map[string]string{}
	files, _ := filepath.Glob(filepath.Join(dir, "*.xpl"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		assert.NilError(t, err)
		out[strings.TrimSuffix(filepath.Base(file), ".xpl")] = string(text)
	}
	return out
}

// TestSessions compares figures and graphs of each session with those of tcptrace. Every figure
// is in a session in which a and b differ, so that one end is not taken for the other.
func TestSessions(t *testing.T) {
	files, _ := filepath.Glob("testdata/sessions/*.txt")
	untold := map[string]bool{}
	for i := range fields {
		untold[fields[i].name("b2a")] = true
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			assert.NilError(t, err)
			packets := string(archive.Files[0].Data)
			graphs := draw(t, packets)
			for _, part := range archive.Files[1:] {
				switch want := string(part.Data); part.Name {
				case "fields":
					compareFields(t, want, play(t, packets), untold)
				case "long":
					compareLong(t, want, play(t, packets), untold)
				default:
					compareGraph(t, part.Name, want, graphs[part.Name])
				}
			}
		})
	}
	assert.Check(t, len(untold) == 0, "no session has figures of a and b that differ: %v", untold)
}

// compareFields compares single figures, and takes those that differ between a and b out of untold.
func compareFields(t *testing.T, want string, p *Pair, untold map[string]bool) {
	t.Helper()
	row := everything.Table([]*Pair{p}).Rows[0]
	for line := range lines(want) {
		words := strings.Fields(line)
		if got := []string{row[opposite(words[0]+"_b2a")], row[words[0]+"_b2a"]}; !slices.Equal(got, words[1:]) {
			t.Errorf("%s %v, want %v", words[0], got, words[1:])
		}
		if words[1] != words[2] {
			delete(untold, words[0]+"_b2a")
		}
	}
}

// compareLong compares the long output, and takes what differs between a and b out of untold.
func compareLong(t *testing.T, want string, p *Pair, untold map[string]bool) {
	t.Helper()
	var out bytes.Buffer
	assert.NilError(t, Write(&out, Capture{Files: []string{"x"}}, []*Pair{p}, everything))
	assert.Check(t, is.DeepEqual(exact(out.String()), exact(want)))
	table, err := Parse(strings.NewReader(want))
	assert.NilError(t, err)
	for column, value := range table.Rows[0] {
		if value != table.Rows[0][opposite(column)] {
			delete(untold, column)
		}
	}
}

// compareGraph compares the objects of a graph.
func compareGraph(t *testing.T, name, want, got string) {
	t.Helper()
	for range 7 { // type, title, and labels of the axes
		_, got, _ = strings.Cut(got, "\n")
	}
	var list []string
	for line := range lines(want) {
		list = append(list, line)
	}
	assert.Check(t, is.DeepEqual(strings.Split(strings.TrimSuffix(got, "\n"), "\n"), list), "%s", name)
}
