package decode

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// withChecksum returns a segment as dssSegment does, whose DSS has a checksum.
func withChecksum() []byte {
	b := dssSegment()
	b[20+12+1] = 28 // of which the last two octets are the checksum: the NOPs
	return b
}

// A run is what single calls make of the packets, and ends before the first that
// is not usual, has a checksum or comes from elsewhere.
func TestRun(t *testing.T) {
	usual := inBuffer(snap(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoTCP, dssSegment()))))
	arp := snap(capture.LinkEthernet, ethernet(0x0806, make([]byte, 46)))
	six := snap(capture.LinkEthernet, ethernet(typeIPv6, ip6(protoTCP, dssSegment())))
	sum := inBuffer(snap(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoTCP, withChecksum()))))
	other := *usual
	other.Iface++
	var raws []capture.Raw
	for _, r := range []*capture.Raw{usual, usual, arp, usual, six, sum, usual, usual, usual, &other, usual} {
		raws = append(raws, *r)
	}
	for i := range raws {
		raws[i].Num, raws[i].Time, raws[i].Data = uint64(i+1), int64(i), slices.Clone(raws[i].Data[:cap(raws[i].Data)])[:len(raws[i].Data)]
	}
	single, runs := warm(usual), warm(usual)
	var want, got []packet.Segment
	for i := range raws {
		var s packet.Segment
		if single.Decode(&raws[i], &s) == TCP {
			want = append(want, s)
		}
	}
	var lengths []int
	segs := make([]packet.Segment, len(raws))
	for at := 0; at < len(raws); {
		n := runs.Run(raws[at:], segs)
		got = append(got, segs[:n]...)
		lengths = append(lengths, n)
		if at += n; at < len(raws) {
			if runs.Decode(&raws[at], &segs[0]) == TCP {
				got = append(got, segs[0])
			}
			at++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-single +runs):\n%s", diff)
	}
	if diff := cmp.Diff(single.counts, runs.counts, cmp.AllowUnexported(Counts{})); diff != "" {
		t.Errorf("counts (-single +runs):\n%s", diff)
	}
	// Until the ARP packet, IPv6, the checksum, and the other interface, after
	// which each packet is looked at.
	if diff := cmp.Diff([]int{2, 1, 0, 3, 0}, lengths); diff != "" {
		t.Errorf("lengths of runs (-want +got):\n%s", diff)
	}
	if n := New(Options{}).Run(raws, segs); n != 0 {
		t.Errorf("a run of %d packets while others may be seen twice", n)
	}
}

// warm returns a decoder that has seen enough packets from one place.
func warm(r *capture.Raw) *Decoder {
	d := New(Options{})
	var s packet.Segment
	for i := range sightWarmup + 1 {
		binary.BigEndian.PutUint32(r.Data[usualTCP+4:], uint32(i))
		d.Decode(r, &s)
	}
	return d
}
