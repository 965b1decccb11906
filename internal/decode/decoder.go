package decode

import (
	"encoding/binary"
	"errors"

	"github.com/gopacket/gopacket/layers"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// Options say how far a decoder goes. The zero value opens no tunnel and
// counts a packet once that was seen at several interfaces.
type Options struct {
	// Decap opens IP-in-IP, GRE, VXLAN, Geneve and GTP-U. The segment then
	// has the addresses of the innermost IP header.
	Decap bool
	// KeepDuplicates returns each sight of a packet as a segment of its own.
	KeepDuplicates bool
}

// A Decoder decodes the packets of one source, in order. It must not be used
// by two goroutines at once.
type Decoder struct {
	opt    Options
	counts Counts
	seen   sights
	frags  reassembly

	// What the walk through the packet in hand has found so far.
	num   uint64 // its number in the source
	time  int64  // its capture time in nanoseconds since the Unix epoch
	net   network
	tcp   span // from the TCP header on
	place place
	depth int // tunnels entered

	layer scratch
}

// network is what a segment takes from its IP header.
type network struct {
	src, dst [16]byte // IPv4 addresses in IPv4-mapped form
	ipv6     bool
	id       uint16 // IPv4 identification
	ce       bool   // congestion experienced
}

// congested is the codepoint CE of the last two bits of the IPv4 type of
// service and the IPv6 traffic class (RFC 3168, Section 5).
const congested = 3

// scratch holds gopacket's layers, which each packet overwrites.
type scratch struct {
	ethernet layers.Ethernet
	dot1q    layers.Dot1Q
	loopback layers.Loopback
	ip4      layers.IPv4
	fragment layers.IPv6Fragment
	auth     layers.IPSecAH
	gre      layers.GRE
	udp      layers.UDP
	vxlan    layers.VXLAN
}

// New returns a decoder for one source.
func New(opt Options) *Decoder { return &Decoder{opt: opt} }

// DetectsDuplicates reports whether packets are looked at for whether they were seen before: only
// then any is marked [packet.SeenTwice].
func (d *Decoder) DetectsDuplicates() bool { return d.seen.alone == 0 }

// Counts returns what became of the packets so far.
func (d *Decoder) Counts() *Counts { return &d.counts }

// Decode decodes raw into seg and says what it was. After [TCP] all fields of
// seg are set but for the payload, which [Decoder.Payload] gives. After any other
// outcome seg must not be used, but for [Duplicate].
//
// It allocates only for IP fragments and for a few kinds of broken packets,
// for which gopacket makes an error value.
func (d *Decoder) Decode(raw *capture.Raw, seg *packet.Segment) Outcome {
	seg.Num, seg.Time = raw.Num, raw.Time
	seg.File, seg.Iface = uint16(raw.File), uint16(raw.Iface)
	at := newPlace(raw.Iface)
	if !usualRaw(raw, seg) {
		var o Outcome
		if at, o = d.unusual(raw, seg); o != TCP {
			return d.count(raw, o)
		}
	}
	if d.seen.watching(at) && !d.opt.KeepDuplicates && d.seen.again(seg, at, timeToLive(raw)) {
		return d.count(raw, Duplicate)
	}
	d.counts.outcomes[TCP].add(raw.Num, 1)
	return TCP
}

// DecodeRecords decodes packets of r, from one on, into segs, as Decode does, and returns
// how many: as long as they are usual frames from the only place there seems to
// be, and have no DSS checksum, for which a caller may want their payload. Where
// it stops, Decode goes on.
//
// Taken into another function, the loop would be compiled without what the profile
// knows of the calls in it.
//
//go:noinline
func (d *Decoder) DecodeRecords(r *capture.Records, from int, segs []packet.Segment) (n int) {
	if newPlace(r.Iface)+1 != d.seen.alone || r.Link != capture.LinkEthernet {
		return 0
	}
	octets, file, iface := r.Bytes, uint16(r.File), uint16(r.Iface)
	frames := r.Frames[from:]
	for n < len(frames) && n < len(segs) {
		f, seg := &frames[n], &segs[n]
		at := int(f.At)
		if len(octets)-at < usualLen {
			break
		}
		if !usual((*[usualLen]byte)(octets[at:]), int(f.Len), int(f.WireLen), seg) || seg.DSS.Has(mptcp.DSSChecksum) {
			break
		}
		seg.Num, seg.Time = r.Num+uint64(from+n), f.Time
		seg.File, seg.Iface = file, iface
		n++
	}
	if n > 0 {
		d.counts.outcomes[TCP].add(r.Num+uint64(from), n)
	}
	return n
}

// unusual decodes a packet of any form and says where it was captured.
func (d *Decoder) unusual(raw *capture.Raw, seg *packet.Segment) (place, Outcome) {
	tcp, at, ok := direct(raw, seg)
	if !ok {
		if o := d.walk(raw); o != TCP {
			return at, o
		}
		tcp, at = d.tcp, d.place
		seg.Src.Addr, seg.Dst.Addr = d.net.src, d.net.dst
		seg.IPv6, seg.IPID, seg.CE = d.net.ipv6, d.net.id, d.net.ce
	}
	seg.Have = at.direction()
	if err := seg.ParseTCP(tcp.data, tcp.wire); err != nil {
		if errors.Is(err, packet.ErrShort) {
			return at, Cut
		}
		return at, Malformed
	}
	if seg.Have&packet.OptionsCut != 0 {
		d.counts.anomalies[OptionsCut].add(raw.Num, 1)
	}
	return at, TCP
}

// Payload returns the captured part of the payload of seg, which Decode made of
// raw and of no packet since: a part of raw.Data, or, where the packet was
// reassembled from fragments, memory of its own.
func (d *Decoder) Payload(raw *capture.Raw, seg *packet.Segment) []byte {
	tcp, _, ok := direct(raw, seg)
	if !ok {
		tcp = d.tcp
	}
	return seg.PayloadIn(tcp.data)
}

// count notes what became of raw.
func (d *Decoder) count(raw *capture.Raw, o Outcome) Outcome {
	d.counts.outcomes[o].add(raw.Num, 1)
	return o
}

// walk finds the TCP segment in raw and leaves it, the addresses and the place
// of capture in d.
func (d *Decoder) walk(raw *capture.Raw) Outcome {
	d.num, d.time = raw.Num, raw.Time
	d.place = newPlace(raw.Iface)
	d.depth = 0
	return d.link(raw.Link, newSpan(raw.Data, raw.WireLen))
}

func (d *Decoder) note(a Anomaly) { d.counts.anomalies[a].add(d.num, 1) }

// mapped writes the four octets of an IPv4 address in their IPv4-mapped form
// (RFC 4291, Section 2.5.5.2).
func mapped(dst *[16]byte, ip4 []byte) {
	// Octets 8 to 11 are 00 00 ff ff, seen as a little-endian word with the
	// address behind them: in this order nothing has to be swapped.
	binary.LittleEndian.PutUint64(dst[:8], 0)
	binary.LittleEndian.PutUint64(dst[8:], 0xffff<<16|uint64(binary.LittleEndian.Uint32(ip4))<<32)
}
