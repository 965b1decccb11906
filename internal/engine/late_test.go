package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/extract"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tcptrace"
	"mpanalyze/internal/tracegen"
)

// closedAgain plays n short connections, of Multipath TCP and of plain TCP in turn, a
// millisecond apart. B misses the last ACK of each, so its FIN comes again, as often as
// there are pauses, and A acknowledges it each time.
func closedAgain(n int, pauses ...time.Duration) *tracegen.Network {
	net := tracegen.NewNetwork(time.Unix(1_700_000_000, 0))
	for i := range n {
		cfg := tracegen.Config{Version: 1, Plain: i%2 == 1, Keys: [2]uint64{uint64(i) + 1, uint64(i) + 1<<32}}
		s := net.Session(cfg)
		f := s.Subflow(tracegen.Path{
			A: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 12), 0, 1}), uint16(20000+i%4096)),
			B: netip.MustParseAddrPort("10.255.1.1:80"),
		})
		at := time.Duration(i) * msec
		f.Open(at)
		x := f.Data(tracegen.A2B, at+50*msec, 0, 100)
		f.Ack(tracegen.B2A, x.ArrivesAt())
		at += 100 * msec
		if !cfg.Plain {
			fin := f.DataFIN(tracegen.A2B, at, 100)
			back := f.DataFIN(tracegen.B2A, fin.ArrivesAt(), 0)
			f.Ack(tracegen.A2B, back.ArrivesAt())
			at += 50 * msec
		}
		fin := f.FIN(tracegen.A2B, at)
		back := f.FIN(tracegen.B2A, fin.ArrivesAt()+msec)
		f.Ack(tracegen.A2B, back.ArrivesAt())
		for _, pause := range pauses {
			f.Ack(tracegen.A2B, back.Again(back.SentAt()+pause).ArrivesAt())
		}
	}
	return net
}

// counted is what one end of a connection sent.
type counted struct {
	packets, data, fins, acks int64
	last, idle                int64
}

// countedBy counts the packets by sender and receiver.
func countedBy(packets []tracegen.Packet) map[[2]string]*counted {
	all := map[[2]string]*counted{}
	for i := range packets {
		p := &packets[i]
		k := [2]string{p.Src.String(), p.Dst.String()}
		c := all[k]
		if c == nil {
			c = &counted{last: p.Time}
			all[k] = c
		}
		c.packets++
		c.idle, c.last = max(c.idle, p.Time-c.last), p.Time
		switch {
		case p.WirePayload() > 0:
			c.data++
		case p.Flags&tracegen.FIN != 0:
			c.fins++
		case p.Flags&tracegen.SYN == 0:
			c.acks++
		}
	}
	return all
}

// endText is an end as tracegen writes it.
func endText(e report.Endpoint) string { return fmt.Sprintf("%s:%d", e.Addr, e.Port) }

// TestLateFINs: FINs come again 12 and 18 s after the close, when the connections have left
// the table, because of the time or because of their number. Every packet is counted, and
// the times are those of the last packets.
func TestLateFINs(t *testing.T) {
	for _, n := range []int{1, 200, 5000} {
		if n > 200 && testing.Short() {
			continue
		}
		net := closedAgain(n, 12*time.Second, 18*time.Second)
		want := countedBy(net.Packets(tracegen.HostA))
		file := viewed(t, net, tracegen.HostA, nanoseconds)
		doc := analyzed(t, everything(bytes.NewReader(file)))
		wrong := 0
		check := func(a, b report.Endpoint, from *report.SubDir, start report.Time, end float64) {
			c, back := want[[2]string{endText(a), endText(b)}], want[[2]string{endText(b), endText(a)}]
			if from.CapturedSegments != c.data || from.Fins != c.fins || from.PureAcks != c.acks || *from.IdleMax != float64(c.idle)/1e6 {
				wrong++
				t.Errorf("%d connections: %v has %d data packets, %d FINs, %d ACKs, %v ms idle; want %+v", n, a, from.CapturedSegments, from.Fins, from.PureAcks, *from.IdleMax, *c)
			}
			if last := float64(max(c.last, back.last)-int64(start)) / 1e9; end != last {
				wrong++
				t.Errorf("%d connections: %v ends at %v s, want %v", n, a, end, last)
			}
		}
		for i := 0; i < len(doc.Connections) && wrong < 10; i++ {
			c := &doc.Connections[i]
			s := &c.Subflows[0]
			check(s.A, s.B, s.A2B, c.Start, s.EndS)
			check(s.B, s.A, s.B2A, c.Start, c.DurationS)
		}
		for i := 0; i < len(doc.TCP) && wrong < 10; i++ {
			c := &doc.TCP[i]
			check(c.A, c.B, c.A2B, c.Start, c.EndS)
			check(c.B, c.A, c.B2A, c.Start, c.DurationS)
		}
		if len(doc.Connections)+len(doc.TCP) != n || len(doc.Warnings) > 0 {
			t.Errorf("%d and %d connections, want %d; %v", len(doc.Connections), len(doc.TCP), n, doc.Warnings)
		}
		checkTraced(t, bytes.NewReader(file), want, n)
	}
}

// checkTraced fails where tcptrace's counts lack a packet.
func checkTraced(t *testing.T, file io.Reader, want map[[2]string]*counted, n int) {
	t.Helper()
	collector := &tcptrace.Collector{}
	o := engine.Options{Stdin: file, Paths: []string{"-"}, Connection: engine.AllConnections}
	o.Modules = append(o.Modules, collector)
	if _, err := engine.Track(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	pairs := collector.Pairs(0)
	assert.Check(t, len(pairs) == n, "tcptrace: %d connections, want %d", len(pairs), n)
	for _, p := range pairs {
		a, b := netip.AddrPortFrom(netip.AddrFrom16(p.Ends[0].Addr).Unmap(), p.Ends[0].Port).String(), netip.AddrPortFrom(netip.AddrFrom16(p.Ends[1].Addr).Unmap(), p.Ends[1].Port).String()
		there, back := want[[2]string{a, b}], want[[2]string{b, a}]
		if p.Dirs[0].Packets != there.packets || p.Dirs[1].Packets != back.packets || p.Dirs[1].FINs != back.fins || p.Dirs[1].RexmtPkts != back.fins-1 {
			t.Fatalf("tcptrace: %s has %d and %d packets, %d FINs, %d again; want %+v, %+v", a, p.Dirs[0].Packets, p.Dirs[1].Packets, p.Dirs[1].FINs, p.Dirs[1].RexmtPkts, *there, *back)
		}
	}
}

// TestLateAreExtracted: extract copies the late packets of a connection, too.
func TestLateAreExtracted(t *testing.T) {
	const id, port = 3, 20006 // the connection that is played as the seventh is the fourth of Multipath TCP
	net := closedAgain(300, 12*time.Second, 18*time.Second)
	want := 0
	for _, p := range net.Packets(tracegen.HostA) {
		if p.Src.Port() == port || p.Dst.Port() == port {
			want++
		}
	}
	path := save(t, filepath.Join(t.TempDir(), "late.pcap"), viewed(t, net, tracegen.HostA, nanoseconds))
	c := extract.Choose(extract.AllSubflows, extract.IDs{First: id, Last: id})
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{c}}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	all, err := extract.New(&out, []string{path}, extract.What{Choice: c})
	assert.NilError(t, err)
	defer all.Close()
	assert.NilError(t, all.Finish(t.Context()))
	part, err := engine.Track(context.Background(), engine.Options{Paths: []string{"-"}, Stdin: &out})
	assert.NilError(t, err)
	assert.Check(t, part.Captures[0].Packets == int64(want), "%d packets, want %d", part.Captures[0].Packets, want)
}
