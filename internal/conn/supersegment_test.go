package conn_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// superPath is a path between two hosts.
var superPath = tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.0.2:80")}

// watched notes the packets with payload that an observer gets, and those that are counted in
// the end.
type watched struct {
	conn.Nop
	c       *conn.Conn
	seen    []string
	counted [3]int64 // packets of A, those with payload, and their segments
}

func (w *watched) Packet(p *conn.Packet) {
	if p.Seg.PayloadLen > 0 {
		var x strings.Builder
		x.WriteString(fmt.Sprintf("packet %d: %d-%d in %d segments, mapping %v", p.Seg.Num, p.TCP.Sent.Range.Start, p.TCP.Sent.Range.End, p.TCP.Sent.Segments, p.Mapping != nil))
		for _, k := range p.Pieces {
			x.WriteString(fmt.Sprintf(", %d-%d of kind %d", k.Data.Start, k.Data.End, k.Kind))
		}
		for _, c := range p.InOrder {
			x.WriteString(fmt.Sprintf(", %d-%d in order", c.Data.Start, c.Data.End))
		}
		w.seen = append(w.seen, x.String())
	}
}

func (w *watched) Close(int64) {
	h := &w.c.Subflows[0].Senders[conn.A]
	w.counted = [3]int64{h.Packets, h.CapturedSegments, h.Segments}
}

// bySegment is watched for an observer that gets segments.
type bySegment struct{ *watched }

func (bySegment) BySegment() {}

// opening is a module with one observer.
type opening func(c *conn.Conn) conn.Observer

func (o opening) Open(c *conn.Conn) conn.Observer { return o(c) }

// both plays a session of one connection to an observer of segments and one of packets, and
// returns the codes of the warnings, too. mss are the MSS options of A and B; 0 for none.
func both(t *testing.T, s *tracegen.Session, mss [2]uint16) (segments, packets watched, warnings []string) {
	t.Helper()
	table := conn.NewTable(conn.Options{}, opening(func(c *conn.Conn) conn.Observer {
		segments.c = c
		return bySegment{&segments}
	}), opening(func(c *conn.Conn) conn.Observer {
		packets.c = c
		return &packets
	}))
	decoder, list := decode.New(decode.Options{}), s.Packets(tracegen.HostA)
	var seg packet.Segment
	for i := range list {
		frame, wire := list[i].AppendFrame(nil, tracegen.LinkRaw)
		raw := capture.Raw{Num: uint64(i + 1), Time: list[i].Time, WireLen: wire, Link: capture.LinkRaw, Data: frame}
		if got := decoder.Decode(&raw, &seg); got != decode.TCP {
			t.Fatalf("packet %d: %v", i+1, got)
		}
		if i < len(mss) {
			if seg.MSS = mss[i]; seg.MSS == 0 {
				seg.Have &^= packet.HasMSS
			}
		}
		table.Segment(&seg)
	}
	table.Finish()
	for _, w := range table.Warnings.List() {
		warnings = append(warnings, w.Code)
	}
	return segments, packets, warnings
}

// TestSuperSegment: a packet of 2,500 bytes is two segments of MSS - options = 1,000 bytes and one
// of 500, also where it is sent again. An observer of packets gets it whole. So does every
// observer where no SYN tells the MSS; that is said.
func TestSuperSegment(t *testing.T) {
	const full = 1000 + 40 // with timestamps and a DSS of 8-byte numbers
	once := []string{
		"packet 4: 1-2501 in 2 segments, mapping true, 1-2501 of kind 0, 1-2501 in order",
		"packet 5: 1-2501 in 2 segments, mapping true, 1-2501 of kind 1",
	}
	cut := []string{
		"packet 4: 1-1001 in 1 segments, mapping true, 1-1001 of kind 0, 1-1001 in order",
		"packet 4: 1001-2001 in 1 segments, mapping false, 1001-2001 of kind 0, 1001-2001 in order",
		"packet 4: 2001-2501 in 1 segments, mapping false, 2001-2501 of kind 0, 2001-2501 in order",
		"packet 5: 1-1001 in 1 segments, mapping true, 1-1001 of kind 1",
		"packet 5: 1001-2001 in 1 segments, mapping false, 1001-2001 of kind 1",
		"packet 5: 2001-2501 in 1 segments, mapping false, 2001-2501 of kind 1",
	}
	joined := []string{
		"packet 4: 1-2501 in 3 segments, mapping true, 1-2501 of kind 0, 1-1001 in order, 1001-2001 in order, 2001-2501 in order",
		"packet 5: 1-2501 in 3 segments, mapping true, 1-2501 of kind 1",
	}
	for _, tt := range []struct {
		name              string
		mss               [2]uint16
		segments, packets []string
		counted           [3]int64
		warnings          []string
	}{
		{"the peer's MSS", [2]uint16{9000, full}, cut, joined, [3]int64{4, 2, 6}, nil},
		{"the smaller MSS of the sender", [2]uint16{full, 1460}, cut, joined, [3]int64{4, 2, 6}, nil},
		{"no MSS", [2]uint16{}, once, once, [3]int64{4, 2, 4}, []string{"segment_size_unknown"}},
		{"only the sender's MSS", [2]uint16{full, 0}, once, once, [3]int64{4, 2, 4}, []string{"segment_size_unknown"}},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		f := s.Subflow(superPath)
		h := f.Open(0)
		m := f.Map(tracegen.A2B, 0, 2500)
		m.Send(h.Established()+time.Millisecond, 0, 2500)
		m.Send(h.Established()+500*time.Millisecond, 0, 2500)
		segments, packets, warnings := both(t, s, tt.mss)
		for _, d := range []string{
			cmp.Diff(tt.segments, segments.seen), cmp.Diff(tt.packets, packets.seen), cmp.Diff(tt.counted, segments.counted), cmp.Diff(tt.warnings, warnings),
		} {
			assert.Check(t, d == "", "%s (-want +got):\n%s", tt.name, d)
		}
	}
}
