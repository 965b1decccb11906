package decode

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// inBuffer returns r as it lies in a read buffer: the bytes after it look like the options of a
// header.
func inBuffer(r *capture.Raw) *capture.Raw {
	behind := bytes.Repeat([]byte{1, 1, 8, 10, 30, 8, 0x20, 1}, fastLen/8+1)
	inside := *r
	inside.Data = slices.Concat(r.Data, behind)[:len(r.Data)]
	return &inside
}

// checkFastFrame fails if the fast path for usual frames gives another result than the general
// path, or reads another IPv4 header than gopacket. It reports whether r is a usual frame.
func checkFastFrame(t *testing.T, r *capture.Raw) bool {
	t.Helper()
	var got, want packet.Segment
	if !fastRaw(r, &got) {
		return false
	}
	alone := *r
	alone.Data = slices.Clip(slices.Clone(r.Data))
	d := New(Options{})
	if o := d.slowRaw(&alone, &want); o != TCP || d.point != newCapturePoint(r.Iface) {
		t.Fatalf("a usual frame is %v at %x by the general way, % x", o, d.point, r.Data)
	}
	assert.Assert(t, is.DeepEqual(got, want), "% x", r.Data)
	var ip layers.IPv4
	if err := ip.DecodeFromBytes(alone.Data[fastIP:], gopacket.NilDecodeFeedback); err != nil {
		t.Fatalf("gopacket refuses the IPv4 header: %v, % x", err, r.Data)
	}
	if src, dst := got.Src.AddrPort().Addr(), got.Dst.AddrPort().Addr(); src.String() != ip.SrcIP.String() || dst.String() != ip.DstIP.String() || got.IPID != ip.Id || got.CE != (ip.TOS&3 == 3) ||
		ip.Flags&layers.IPv4MoreFragments != 0 || ip.FragOffset != 0 || ip.Protocol != layers.IPProtocolTCP {
		t.Fatalf("%v > %v, identification %d, CE %v; gopacket has %+v", src, dst, got.IPID, got.CE, ip)
	}
	return true
}

// Each byte of the headers of usual frames is changed in turn, and the frame is
// cut behind it.
func TestFastFrameAsSlow(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, tcp := range [][]byte{dssSegment(), tcpSegment(1400)} {
		r := snap(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoTCP, tcp)))
		assert.Assert(t, checkFastFrame(t, inBuffer(r)), "no usual frame: % x", r.Data)
		for i := range r.Data {
			for range 50 {
				changed := inBuffer(r)
				changed.Data[i] = byte(random.Uint32())
				checkFastFrame(t, changed)
				changed.Data = changed.Data[:i]
				checkFastFrame(t, changed)
				changed.WireLen = random.IntN(r.WireLen) + len(changed.Data)
				checkFastFrame(t, changed)
			}
		}
	}
}

// Of the shapes, one is usual: Ethernet and IPv4. It is not usual in a buffer that
// ends with it.
func TestFastFrameShapes(t *testing.T) {
	taken := 0
	for _, s := range shapes(t) {
		r := raw(s.link, s.data)
		if r.Data = slices.Clip(r.Data); len(r.Data) < fastLen && fastRaw(r, new(packet.Segment)) {
			t.Errorf("%s: usual without room to look", s.name)
		}
		if checkFastFrame(t, inBuffer(r)) {
			taken++
		}
	}
	assert.Check(t, taken == 1, "%d shapes are usual, want 1", taken)
}
