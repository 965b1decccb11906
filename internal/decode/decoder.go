package decode

import (
	"encoding/binary"
	"errors"

	"github.com/gopacket/gopacket/layers"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// Options are the options of a decoder. The zero value opens no tunnel. It counts a packet that
// was captured on several interfaces only once.
type Options struct {
	// Decap opens IP-in-IP, GRE, VXLAN, Geneve and GTP-U. The segment then
	// has the addresses of the innermost IP header.
	Decap bool
	// KeepDuplicates returns each copy of a packet as a separate segment.
	KeepDuplicates bool
	// Captured sets the number of captured bytes of the payload of each segment.
	Captured bool
}

// A Decoder decodes the packets of one source, in order. It must not be used
// by two goroutines at once.
type Decoder struct {
	opt    Options
	counts Counts
	dups   dupFilter
	frags  reassembly

	// The state of the current packet.
	num   uint64 // number in the source
	time  int64  // capture time in nanoseconds since the Unix epoch
	net   network
	tcp   span // from the TCP header on
	point capturePoint
	depth int // number of tunnels entered

	message packet.ICMP // the latest one that quotes a segment

	layer scratch
}

// network holds the values that a segment takes from its IP header.
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

// DetectsDuplicates reports whether packets are checked for duplicates. Only then a packet can
// be marked [packet.SeenTwice].
func (d *Decoder) DetectsDuplicates() bool { return d.dups.onlyPoint == 0 }

// Counts returns the outcomes and anomalies of the packets so far.
func (d *Decoder) Counts() *Counts { return &d.counts }

// Decode decodes raw into seg and returns the outcome. After [TCP] and [Duplicate] all
// fields of seg are set except the payload: see [Decoder.Payload] and [Options.Captured]. After any other
// outcome seg must not be used.
//
// It allocates only for IP fragments and for a few kinds of broken packets, for which
// gopacket makes an error value.
func (d *Decoder) Decode(raw *capture.Raw, seg *packet.Segment) Outcome {
	seg.Num, seg.Time = raw.Num, raw.Time+packet.Origin
	seg.File, seg.Iface = uint16(raw.File), uint16(raw.Iface)
	at := newCapturePoint(raw.Iface)
	if fastRaw(raw, seg) {
		d.tcp.data = raw.Data[fastTCP:]
	} else {
		o := d.slowRaw(raw, seg)
		if o == ICMP {
			d.quote(seg)
		}
		if at = d.point; o != TCP {
			return d.count(raw, o)
		}
	}
	if d.opt.Captured {
		seg.Captured = uint32(len(d.Payload(seg)))
	}
	d.dups.enter(raw.Group)
	if d.dups.active(at) && !d.opt.KeepDuplicates && d.dups.isDuplicate(seg, at, timeToLive(raw)) {
		return d.count(raw, Duplicate)
	}
	d.counts.outcomes[TCP].add(raw.Num)
	return TCP
}

// slowRaw decodes any packet.
func (d *Decoder) slowRaw(raw *capture.Raw, seg *packet.Segment) Outcome {
	if o := d.walk(raw); o != TCP {
		return o
	}
	seg.Src.Addr, seg.Dst.Addr = d.net.src, d.net.dst
	seg.IPv6, seg.IPID, seg.CE = d.net.ipv6, d.net.id, d.net.ce
	seg.Have = d.point.direction()
	if err := seg.ParseTCP(d.tcp.data, d.tcp.wire); err != nil {
		if errors.Is(err, packet.ErrShort) {
			return Cut
		}
		return Malformed
	}
	if seg.Have&packet.OptionsCut != 0 {
		d.counts.anomalies[OptionsCut].add(raw.Num)
	}
	return TCP
}

// Payload returns the captured part of the payload of seg, which must be the result of the latest
// call of Decode. The payload is a part of the data of the packet, or new memory if the packet
// was reassembled.
func (d *Decoder) Payload(seg *packet.Segment) []byte {
	return seg.PayloadIn(d.tcp.data)
}

// count counts the outcome of raw.
func (d *Decoder) count(raw *capture.Raw, o Outcome) Outcome {
	d.counts.outcomes[o].add(raw.Num)
	return o
}

// walk finds the TCP segment in raw and sets d.tcp, d.net and d.point.
func (d *Decoder) walk(raw *capture.Raw) Outcome {
	d.num, d.time = raw.Num, raw.Time
	d.point = newCapturePoint(raw.Iface)
	d.depth = 0
	return d.link(raw.Link, newSpan(raw.Data, raw.WireLen))
}

func (d *Decoder) countAnomaly(a Anomaly) { d.counts.anomalies[a].add(d.num) }

// putMapped writes an IPv4 address in its IPv4-mapped form (RFC 4291, Section 2.5.5.2).
func putMapped(dst *[16]byte, ip4 []byte) {
	// Bytes 8 to 11 are 00 00 ff ff and the address follows: as a little-endian word
	// nothing has to be swapped.
	binary.LittleEndian.PutUint64(dst[:8], 0)
	binary.LittleEndian.PutUint64(dst[8:], 0xffff<<16|uint64(binary.LittleEndian.Uint32(ip4))<<32)
}

// The program's time begins before the earliest capture time: this does not compile otherwise.
const _ = uint64(packet.Origin + capture.EarliestTime - 1)
