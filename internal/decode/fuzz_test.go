package decode

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// FuzzDecode decodes arbitrary bytes as any link type, with more bytes on the wire than captured,
// and compares the segment with the bytes.
func FuzzDecode(f *testing.F) {
	for _, s := range shapes(f) {
		f.Add(uint16(s.link), s.decap, uint32(0), s.data)
		f.Add(uint16(s.link), s.decap, uint32(1400), s.data[:min(96, len(s.data))])
	}
	for _, c := range outcomeCases() {
		f.Add(uint16(c.link), c.decap, uint32(0), c.data)
	}
	plain := ethernet(typeIPv4, ip4(protoTCP, dssSegment()))
	f.Add(uint16(capture.LinkEthernet), false, uint32(len(plain)-128), plain[:128])
	for _, family := range families {
		f.Add(uint16(capture.LinkRaw), true, uint32(0), family.fragmenter(1)(piece{0, 400}))
	}
	f.Fuzz(func(t *testing.T, link uint16, decap bool, missing uint32, data []byte) {
		r := raw(capture.LinkType(link), slices.Clip(data))
		r.WireLen += int(missing % (1 << 20))
		d := New(Options{Decap: decap, KeepDuplicates: true}) // so that no run makes the table of duplicates
		var seg packet.Segment
		o := d.Decode(r, &seg)
		assert.Assert(t, o < numOutcomes && o != Duplicate, "outcome %d of a first packet", o)
		checkSane(t, d, r, &seg, o)
		checkFastFrame(t, inBuffer(r))
		// The same packet once more: except for fragments, nothing of it may have been kept.
		var again packet.Segment
		if o2 := d.Decode(r, &again); o2 != o {
			t.Fatalf("%v, the same packet again %v", o, o2)
		} else if diff := cmp.Diff(seg, again); o == TCP && diff != "" {
			t.Fatalf("the same packet again (-first +again):\n%s", diff)
		}
	})
}

// checkSane fails if a segment claims more than its packet can hold.
func checkSane(t *testing.T, d *Decoder, r *capture.Raw, seg *packet.Segment, o Outcome) {
	t.Helper()
	if o != TCP {
		return
	}
	if limit := max(r.WireLen, math.MaxUint16); int(seg.PayloadLen) > limit {
		t.Fatalf("payload of %d bytes in a packet of %d", seg.PayloadLen, r.WireLen)
	}
	if payload := len(d.Payload(seg)); payload > int(seg.PayloadLen) || payload > len(r.Data) {
		t.Fatalf("%d bytes of payload captured of %d, in a packet of %d captured", payload, seg.PayloadLen, len(r.Data))
	}
	if seg.Num != r.Num || seg.Time != r.Time+packet.Origin || int(seg.File) != r.File || int(seg.Iface) != r.Iface {
		t.Fatalf("number, time or place differ: %+v", seg)
	}
}
