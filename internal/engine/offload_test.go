package engine_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"regexp"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/testrun"
)

// offloadWindow is for how long a network card puts segments together, ns.
const offloadWindow = 50e3

// tcpFrame is a TCP packet in a frame: where its parts begin, and what it says.
type tcpFrame struct {
	ip, tcp, payload int // offsets in the frame
	n                int // bytes of payload on the wire
	seq              uint32
	flags            packet.Flags
}

// tcpOf reads a frame with a plain IPv4 or IPv6 header; ok is false for others, and without
// payload.
func tcpOf(f *capture.Raw, link capture.LinkType) (x tcpFrame, ok bool) {
	be, d := binary.BigEndian, f.Data
	x.ip = map[capture.LinkType]int{capture.LinkEthernet: 14, capture.LinkSLL: 16, capture.LinkSLL2: 20}[link]
	if x.ip == 0 || len(d) < x.ip+60 {
		return x, false
	}
	end := 0
	switch {
	case d[x.ip] == 0x45 && d[x.ip+9] == 6:
		x.tcp, end = x.ip+20, x.ip+int(be.Uint16(d[x.ip+2:]))
	case d[x.ip]>>4 == 6 && d[x.ip+6] == 6:
		x.tcp, end = x.ip+40, x.ip+40+int(be.Uint16(d[x.ip+4:]))
	default:
		return x, false
	}
	if len(d) < x.tcp+20 {
		return x, false
	}
	x.payload = x.tcp + int(d[x.tcp+12]>>4)*4
	x.n, x.seq, x.flags = end-x.payload, be.Uint32(d[x.tcp+4:]), packet.Flags(d[x.tcp+13])
	return x, x.n > 0 && len(d) >= x.payload && x.flags&(packet.SYN|packet.RST) == 0
}

// takes reports whether a card puts the segment b into a packet that begins with segment a and
// has n bytes of payload: it follows it, the headers are equal, and all before it are full.
func (a *tcpFrame) takes(b *tcpFrame, first, next *capture.Raw, n int) bool {
	equal := func(from, to int) bool { return bytes.Equal(first.Data[from:to], next.Data[from:to]) }
	return a.payload == b.payload && a.flags&(packet.PSH|packet.FIN) == 0 && a.flags == b.flags&^(packet.PSH|packet.FIN) &&
		b.seq == a.seq+uint32(n) && n%a.n == 0 && b.n <= a.n && a.payload+n+b.n < 1<<16 &&
		equal(a.tcp-8, a.tcp+4) && equal(a.tcp+8, a.tcp+13) && equal(a.tcp+14, a.tcp+16) && equal(a.tcp+20, a.payload)
}

// offloaded puts the segments of a capture together that a network card does. It returns that
// capture, and the segments with the times of the packets in which they stand: that of the first
// segment at the sender, that of the last at the receiver.
func offloaded(of frames, receiver bool) (packets, segments frames, merged int) {
	list, link, bundles := of.list, of.links[0], []capture.Raw(nil)
	segments = of.with(slices.Clone(list))
	for i := 0; i < len(list); {
		f := list[i]
		f.Data = slices.Clone(f.Data)
		a, ok := tcpOf(&f, link)
		n, last := a.n, i
		for ; ok && last+1 < len(list) && list[last+1].Time-f.Time <= offloadWindow; last++ {
			next := &list[last+1]
			b, usable := tcpOf(next, link)
			if !usable || !a.takes(&b, &f, next, n) {
				break
			}
			if len(f.Data) == f.WireLen {
				f.Data = append(f.Data, next.Data[b.payload:]...)
			}
			f.WireLen += b.n
			n += b.n
			f.Data[a.tcp+13] |= byte(b.flags)
			if b.n < a.n || b.flags&(packet.PSH|packet.FIN) != 0 {
				last++
				break
			}
		}
		if last > i {
			merged++
			if receiver {
				f.Time = list[last].Time
			}
			length, headers := 4, a.tcp+(a.payload-a.tcp)-a.ip-40
			if f.Data[a.ip]>>4 == 4 {
				length, headers = 2, a.payload-a.ip
			}
			binary.BigEndian.PutUint16(f.Data[a.ip+length:], uint16(headers+n))
		}
		for k := i; k <= last; k++ {
			segments.list[k].Time = f.Time
		}
		bundles = append(bundles, f)
		i = last + 1
	}
	return of.with(bundles), segments, merged
}

// ofPackets are the leaves that are of packets and not of segments: the order of arrival is, too.
var ofPackets = regexp.MustCompile(`packet|captured_segments|captures|made_by|dsn_offset_bytes|out_of_order|detail|\.text$|\.what$`)

// TestOffload: a report on a capture in which a network card put segments together, at the
// sender or at the receiver, is that on the segments at the same times.
func TestOffload(t *testing.T) {
	names := testrun.Sample(bundled(t))
	names = append(names, testrun.SharedFiles(t, "v1/p-bidir/client.pcapng.zst", "v1/h-csum/server.pcap.zst")...)
	total := 0
	for i, name := range names {
		f := framesOf(t, name).sorted()
		if len(f.links) > 1 {
			continue
		}
		for _, receiver := range []bool{false, true} {
			packets, segments, merged := offloaded(f, receiver)
			total += merged
			if merged == 0 || !testrun.All() && receiver != (i%2 == 1) {
				continue
			}
			want, codes := figuresAndCodes(t, segments.pcap())
			got, after := figuresAndCodes(t, packets.pcap())
			maps.DeleteFunc(want, func(leaf string, x any) bool { return got[leaf] == x || ofPackets.MatchString(leaf) })
			if len(want) > 0 || !maps.Equal(codes, after) {
				t.Errorf("%s, at the receiver %v: %d packets of several segments have other verdicts, %v for %v, or figures than %v", name, receiver, merged, after, codes, want)
			}
		}
	}
	assert.Check(t, total != 0, "no capture has segments to put together")
}
