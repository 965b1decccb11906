package differential

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tcptrace"
)

// TestTcptrace compares every TCP connection, subflow or plain.
func TestTcptrace(t *testing.T) {
	used := compared(t, "tcptrace", tcptraceExceptions, compareTcptrace)
	if used == nil {
		return
	}
	for _, m := range measures {
		assert.Check(t, used.count[m.column] != 0, "tcptrace's %s is 0 everywhere: nothing was compared", m.column)
	}
}

func compareTcptrace(t *testing.T, name, path string, used *uses) {
	doc := analyze(t, path)
	theirs, ours := traces(t, path), flows(doc)
	comparePackets(t, doc, theirs)
	for pair, list := range ours {
		if len(list) != len(theirs[pair]) {
			t.Errorf("%s: %d connections, tcptrace %d", pair, len(list), len(theirs[pair]))
			continue
		}
		for i, f := range list {
			f.compare(t, name, theirs[pair][i], used)
		}
	}
	for pair, list := range theirs {
		assert.Check(t, ours[pair] != nil, "%s: no connection, tcptrace %d", pair, len(list))
	}
}

// comparePackets compares the number of all packets of TCP with tcptrace's.
func comparePackets(t *testing.T, doc *report.Document, theirs map[string][]trace) {
	t.Helper()
	sum := 0
	for _, list := range theirs {
		for _, row := range list {
			for _, dir := range []string{"a2b", "b2a"} {
				n, err := strconv.Atoi(row["total_packets_"+dir])
				assert.Check(t, err, "tcptrace's total packets")
				sum += n
			}
		}
	}
	c := &doc.Captures[0]
	s := &c.Skipped
	ours := int(c.Packets - s.NotIP - s.NotTCP - s.Fragments - s.Malformed - s.Duplicates - s.Filtered)
	assert.Check(t, ours == sum, "%d packets of TCP, tcptrace %d", ours, sum)
}

// trace is one row of tcptrace's table by column.
type trace tcptrace.Row

// traces runs tcptrace and returns its connections by pair of ends, in the
// order of their first packets.
func traces(t *testing.T, path string) map[string][]trace {
	t.Helper()
	all := map[string][]trace{}
	for _, row := range tcptraced(t, path).Rows {
		p := pair(trace(row).end("a"), trace(row).end("b"))
		all[p] = append(all[p], trace(row))
	}
	return all
}

// tcptraced runs tcptrace on a capture and reads its table.
func tcptraced(t *testing.T, path string) *tcptrace.Table {
	t.Helper()
	var out bytes.Buffer
	pcapng := filepath.Ext(strings.TrimSuffix(path, ".zst")) == ".pcapng"
	err := lines(t, uncooked(t, unpacked(t, path), pcapng), func(line []byte) bool {
		out.Write(append(line, '\n'))
		return true
	}, "tcptrace", "-l", "-r", "-n", "-W", "--csv", "stdin")
	if err != nil {
		unreadable(t, path, "tcptrace", err)
	}
	table, err := tcptrace.Parse(&out)
	assert.NilError(t, err)
	return table
}

// end returns one end of a connection. tcptrace writes IPv6 addresses with
// leading zeros.
func (r trace) end(side string) string {
	host := r["host_"+side]
	if addr, err := netip.ParseAddr(host); err == nil {
		host = addr.String()
	}
	return net.JoinHostPort(host, r["port_"+side])
}

// pair names a pair of ends, whichever comes first.
func pair(a, b string) string { return min(a, b) + " " + max(a, b) }

// tcpFlow is one TCP connection of our report.
type tcpFlow struct {
	start, end int64 // ns since the Unix epoch
	last       int64 // time of the capture's last packet, ns
	a, b       string
	a2b, b2a   *report.SubDir
	kind       kind
}

// kind is what a TCP connection is to the report.
type kind uint8

const (
	plain kind = iota
	fellBack
	multipath
)

func (k kind) String() string {
	return [...]string{"plain TCP", "subflow of a connection that fell back", "subflow"}[k]
}

// flows returns the connections of our report by pair of ends, in the order of
// their first packets.
func flows(doc *report.Document) map[string][]*tcpFlow {
	all := map[string][]*tcpFlow{}
	add := func(origin report.Time, from, to float64, f *tcpFlow) {
		f.start, f.end = int64(origin)+int64(from*1e9), int64(origin)+int64(to*1e9)
		f.last = int64(*doc.Captures[0].Last)
		all[pair(f.a, f.b)] = append(all[pair(f.a, f.b)], f)
	}
	for i := range doc.Connections {
		c := &doc.Connections[i]
		k := multipath
		if c.Fallback != nil {
			k = fellBack
		}
		for j := range c.Subflows {
			s := &c.Subflows[j]
			add(c.Start, s.StartS, s.EndS, &tcpFlow{a: side(s.A), b: side(s.B), a2b: s.A2B, b2a: s.B2A, kind: k})
		}
	}
	for i := range doc.TCP {
		c := &doc.TCP[i]
		add(c.Start, c.StartS, c.EndS, &tcpFlow{a: side(c.A), b: side(c.B), a2b: c.A2B, b2a: c.B2A, kind: plain})
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b *tcpFlow) int { return cmp.Compare(a.start, b.start) })
	}
	return all
}

// figure is one value of one direction that both have.
type figure struct {
	direction
	capture, column string
	suffix          string // tcptrace's name of the direction
	flow            *tcpFlow
	row             trace
	ours, theirs    float64
}

func (f *figure) String() string {
	return fmt.Sprintf("%s of %s > %s (%v): %v, tcptrace %v", f.column+f.suffix, f.flow.a, f.flow.b, f.flow.kind, f.ours, f.theirs)
}

// compare compares both directions with tcptrace's columns.
func (f *tcpFlow) compare(t *testing.T, capture string, row trace, used *uses) {
	a2b, b2a := "_a2b", "_b2a"
	if f.a != row.end("a") {
		a2b, b2a = b2a, a2b
	}
	for i := range measures {
		for _, fig := range []figure{
			{direction: direction{f.a2b, f.b2a}, suffix: a2b},
			{direction: direction{f.b2a, f.a2b}, suffix: b2a},
		} {
			fig.capture, fig.column, fig.flow, fig.row = capture, measures[i].column, f, row
			fig.compare(t, &measures[i], used)
		}
	}
}

// compare compares one figure with tcptrace's.
func (f *figure) compare(t *testing.T, m *measure, used *uses) {
	var ok bool
	if f.ours, ok = m.ours(f.direction); !ok {
		return
	}
	cell, ok := f.row[f.column+f.suffix]
	assert.Assert(t, ok, "tcptrace has no column %s%s", f.column, f.suffix)
	read := m.read
	if read == nil {
		read = func(cell string) (float64, error) { return strconv.ParseFloat(cell, 64) }
	}
	var err error
	if f.theirs, err = read(cell); err != nil {
		t.Errorf("tcptrace prints %s%s as %q", f.column, f.suffix, cell)
		return
	}
	if f.theirs != 0 {
		used.add(f.column)
	}
	assert.Check(t, math.Abs(f.ours-f.theirs) <= m.tolerance*(1+1e-9) || excused(used, tcptraceExceptions, f), "%v", f)
}
