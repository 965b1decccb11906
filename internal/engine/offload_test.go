package engine_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

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
func tcpOf(f *frame, link capture.LinkType) (x tcpFrame, ok bool) {
	be, d := binary.BigEndian, f.data
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
func (a *tcpFrame) takes(b *tcpFrame, first, next *frame, n int) bool {
	equal := func(from, to int) bool { return bytes.Equal(first.data[from:to], next.data[from:to]) }
	return a.payload == b.payload && a.flags&(packet.PSH|packet.FIN) == 0 && a.flags == b.flags&^(packet.PSH|packet.FIN) &&
		b.seq == a.seq+uint32(n) && n%a.n == 0 && b.n <= a.n && a.payload+n+b.n < 1<<16 &&
		equal(a.tcp-8, a.tcp+4) && equal(a.tcp+8, a.tcp+13) && equal(a.tcp+14, a.tcp+16) && equal(a.tcp+20, a.payload)
}

// offloaded puts the segments of a capture together that a network card does. It returns that
// capture, and the segments with the times of the packets in which they stand: that of the first
// segment at the sender, that of the last at the receiver.
func offloaded(frames []frame, link capture.LinkType, receiver bool) (packets, segments []frame, merged int) {
	segments = slices.Clone(frames)
	for i := 0; i < len(frames); {
		f := frame{frames[i].time, slices.Clone(frames[i].data), frames[i].wire}
		a, ok := tcpOf(&f, link)
		n, last := a.n, i
		for ; ok && last+1 < len(frames) && frames[last+1].time-f.time <= offloadWindow; last++ {
			next := &frames[last+1]
			b, usable := tcpOf(next, link)
			if !usable || !a.takes(&b, &f, next, n) {
				break
			}
			if len(f.data) == f.wire {
				f.data = append(f.data, next.data[b.payload:]...)
			}
			f.wire += b.n
			n += b.n
			f.data[a.tcp+13] |= byte(b.flags)
			if b.n < a.n || b.flags&(packet.PSH|packet.FIN) != 0 {
				last++
				break
			}
		}
		if last > i {
			merged++
			if receiver {
				f.time = frames[last].time
			}
			length, headers := 4, a.tcp+(a.payload-a.tcp)-a.ip-40
			if f.data[a.ip]>>4 == 4 {
				length, headers = 2, a.payload-a.ip
			}
			binary.BigEndian.PutUint16(f.data[a.ip+length:], uint16(headers+n))
		}
		for k := i; k <= last; k++ {
			segments[k].time = f.time
		}
		packets = append(packets, f)
		i = last + 1
	}
	return packets, segments, merged
}

// packetNumbers are numbers of packets in texts.
var packetNumbers = regexp.MustCompile(`packets? [0-9]+`)

// withoutPackets returns a report as a tree, without what is of packets and not of segments: the
// order of arrival is, too.
func withoutPackets(t *testing.T, file []byte) any {
	t.Helper()
	text, err := json.Marshal(analyzeBytes(t, file).doc)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(packetNumbers.ReplaceAll(text, []byte("packet N")), &tree); err != nil {
		t.Fatal(err)
	}
	var strip func(x any)
	strip = func(x any) {
		switch x := x.(type) {
		case map[string]any:
			for _, name := range []string{"packet", "packets", "captured_segments", "captures", "to_packet", "from_packet"} {
				delete(x, name)
			}
			for _, name := range []string{"dsn_offset_bytes", "out_of_order"} {
				if of, ok := x[name].(map[string]any); ok && of["evidence"] != "send_order" {
					delete(x, name)
				}
			}
			for _, v := range x {
				strip(v)
			}
		case []any:
			for _, v := range x {
				strip(v)
			}
		}
	}
	strip(tree)
	return tree
}

// TestOffload: a report on a capture in which a network card put segments together, at the
// sender or at the receiver, is that on the segments at the same times.
func TestOffload(t *testing.T) {
	names := testrun.Sample(bundled(t))
	names = append(names, testrun.SharedFiles(t, "v1/p-bidir/client.pcapng.zst", "v1/h-csum/server.pcap.zst")...)
	total := 0
	for i, name := range names {
		frames, link := readFrames(t, name)
		for _, receiver := range []bool{false, true} {
			packets, segments, merged := offloaded(frames, link, receiver)
			total += merged
			if merged == 0 || !testrun.All() && receiver != (i%2 == 1) {
				continue
			}
			want, got := withoutPackets(t, pcapOf(segments, link)), withoutPackets(t, pcapOf(packets, link))
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, at the receiver %v: %d packets of several segments: (-segments +packets)\n%.3000s", filepath.Base(filepath.Dir(name)), receiver, merged, d)
			}
		}
	}
	if total == 0 {
		t.Error("no capture has segments to put together")
	}
}
