package decode

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// withChecksum returns a segment as dssSegment does, whose DSS has a checksum.
func withChecksum() []byte {
	b := dssSegment()
	b[20+12+1] = 28 // of which the last two bytes are the checksum: the NOPs
	return b
}

// runOf returns a run of packets with room bytes behind the last one.
func runOf(room int, packets ...*capture.Raw) *capture.Records {
	first := packets[0]
	r := &capture.Records{Num: 1, File: first.File, Iface: first.Iface, Link: first.Link}
	for i, p := range packets {
		r.Bytes = append(r.Bytes, make([]byte, 16)...) // a record header
		r.Frames = append(r.Frames, capture.Frame{
			Time: int64(100 + i), At: uint32(len(r.Bytes)), Len: uint32(len(p.Data)), WireLen: uint32(p.WireLen),
		})
		r.Bytes = append(r.Bytes, p.Data...)
	}
	r.Bytes = append(r.Bytes, make([]byte, room)...)
	return r
}

// A run gives the same segments as single calls. It ends before the first packet that is not on
// the fast path or has a checksum.
func TestRun(t *testing.T) {
	fast := snap(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoTCP, dssSegment())))
	arp := snap(capture.LinkEthernet, ethernet(0x0806, make([]byte, 46)))
	six := snap(capture.LinkEthernet, ethernet(typeIPv6, ip6(protoTCP, dssSegment())))
	sum := snap(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoTCP, withChecksum())))
	r := runOf(fastLen, fast, fast, arp, fast, six, sum, fast, fast, fast)
	single, runs := warm(fast), warm(fast)
	var want, got []packet.Segment
	var raw capture.Raw
	var seg packet.Segment
	for i := range r.Frames {
		if r.Raw(i, &raw); single.Decode(&raw, &seg) == TCP {
			want = append(want, seg)
		}
	}
	var lengths []int
	segs := make([]packet.Segment, len(r.Frames))
	for at := 0; at < len(r.Frames); {
		n := runs.DecodeRecords(r, at, segs)
		got = append(got, segs[:n]...)
		lengths = append(lengths, n)
		if at += n; at < len(r.Frames) {
			if r.Raw(at, &raw); runs.Decode(&raw, &seg) == TCP {
				got = append(got, seg)
			}
			at++
		}
	}
	assert.Check(t, is.DeepEqual(got, want))
	assert.Check(t, is.DeepEqual(runs.counts, single.counts, cmp.AllowUnexported(Counts{})), "counts")
	// The runs end before the ARP packet, the IPv6 packet and the packet with a checksum.
	assert.Check(t, is.DeepEqual(lengths, []int{2, 1, 0, 3}), "lengths of runs")
}

// How many packets a run decodes depends on the room for segments, on how many bytes there are
// behind its last frame, and on the place of the capture.
func TestRunEnds(t *testing.T) {
	fast := snap(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoTCP, dssSegment())))
	fast.Data = fast.Data[:100]       // its header and some payload
	least := fastLen - len(fast.Data) // bytes that are looked at behind the last frame
	whole := func() *capture.Records { return runOf(least, fast, fast, fast) }
	otherIface, cooked := whole(), whole()
	otherIface.Iface++
	cooked.Link = capture.LinkSLL
	for _, c := range []struct {
		name       string
		run        *capture.Records
		d          *Decoder
		room, want int
	}{
		{"all", whole(), warm(fast), 9, 3},
		{"room for two", whole(), warm(fast), 2, 2},
		{"too little behind the last", runOf(least-1, fast, fast, fast), warm(fast), 9, 2},
		{"another interface", otherIface, warm(fast), 9, 0},
		{"another link type", cooked, warm(fast), 9, 0},
		{"others may be seen twice", whole(), New(Options{}), 9, 0},
	} {
		if n := c.d.DecodeRecords(c.run, 0, make([]packet.Segment, c.room)); n != c.want {
			t.Errorf("%s: a run of %d packets, want %d", c.name, n, c.want)
		}
	}
}

// warm returns a decoder that has seen enough packets from one place.
func warm(r *capture.Raw) *Decoder {
	d := New(Options{})
	var s packet.Segment
	for i := range dupWarmup + 1 {
		binary.BigEndian.PutUint32(r.Data[fastTCP+4:], uint32(i))
		d.Decode(r, &s)
	}
	return d
}
