package conn

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// watched notes the packets with payload that an observer gets, and those that are counted in
// the end.
type watched struct {
	Nop
	c       *Conn
	seen    []string
	counted [3]int64 // packets of A, those with payload, and their segments
}

func (w *watched) Open(c *Conn) Observer { w.c = c; return w }

func (w *watched) Packet(p *Packet) {
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
	h := &w.c.Subflows[0].Senders[A]
	w.counted = [3]int64{h.Packets, h.CapturedSegments, h.Segments}
}

// bySegment is watched for an observer that gets segments.
type bySegment struct{ watched }

func (w *bySegment) Open(c *Conn) Observer { w.c = c; return w }

func (*bySegment) BySegment() {}

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
		s, f, at := opened(tracegen.Config{Version: 1})
		m := f.Map(a2b, 0, 2500)
		m.Send(at+ms, 0, 2500)
		m.Send(at+500*ms, 0, 2500)
		var segs bySegment
		var packets watched
		table := NewTable(Options{}, &segs, &packets)
		for i, seg := range segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw) {
			if i < len(tt.mss) {
				if seg.MSS = tt.mss[i]; seg.MSS == 0 {
					seg.Have &^= packet.HasMSS
				}
			}
			table.Segment(&seg)
		}
		table.Finish()
		var codes []string
		for _, w := range table.Warnings.List() {
			codes = append(codes, w.Code)
		}
		assert.Check(t, is.DeepEqual(segs.seen, tt.segments), "%s: segments", tt.name)
		assert.Check(t, is.DeepEqual(packets.seen, tt.packets), "%s: packets", tt.name)
		assert.Check(t, is.DeepEqual(segs.counted, tt.counted), "%s: counted", tt.name)
		assert.Check(t, is.DeepEqual(codes, tt.warnings), "%s: warnings", tt.name)
	}
}
