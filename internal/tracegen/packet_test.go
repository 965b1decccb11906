package tracegen

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

var (
	v4a = netip.MustParseAddrPort("192.0.2.1:40000")
	v4b = netip.MustParseAddrPort("198.51.100.1:443")
	v6a = netip.MustParseAddrPort("[2001:db8::1]:40000")
	v6b = netip.MustParseAddrPort("[2001:db8:1::1]:443")
)

// What AppendFrame writes is read by gopacket's layers, which share nothing
// with it.
func TestAppendFrameAgainstGopacket(t *testing.T) {
	var options []byte
	for _, appended := range []func(b []byte) []byte{
		func(b []byte) []byte { return appendMSS(b, 1460) }, func(b []byte) []byte { return appendWScale(b, 7) }, appendSACKPermitted,
		func(b []byte) []byte { return AppendTimestamps(b, 0x01020304, 5) },
		func(b []byte) []byte { return appendSACK(appendSACK(b), block{1, 2}) }, // of nothing, there is no option
	} {
		options = appended(options)
	}
	wantOptions := []layers.TCPOption{
		{OptionType: 2, OptionLength: 4, OptionData: []byte{0x05, 0xb4}},
		{OptionType: 3, OptionLength: 3, OptionData: []byte{7}},
		{OptionType: 4, OptionLength: 2},
		{OptionType: 8, OptionLength: 10, OptionData: []byte{1, 2, 3, 4, 0, 0, 0, 5}},
		{OptionType: 5, OptionLength: 10, OptionData: []byte{0, 0, 0, 1, 0, 0, 0, 2}},
	}
	links := []struct {
		link    LinkType
		decoder gopacket.Decoder
		header  int
	}{
		{LinkNull, layers.LinkTypeNull, 4},
		{LinkEthernet, layers.LinkTypeEthernet, 14},
		{LinkRaw, layers.LinkTypeRaw, 0},
		{LinkSLL, layers.LinkTypeLinuxSLL, 16},
		{LinkSLL2, layers.LinkTypeLinuxSLL2, 20},
	}
	for _, l := range links {
		for _, ends := range [][2]netip.AddrPort{{v4a, v4b}, {v6a, v6b}} {
			p := Packet{
				Src: ends[0], Dst: ends[1], Seq: 0xfffffff0, Ack: 7, Flags: ACK | PSH,
				Window: 512, Options: options, Payload: []byte("odd"),
			}
			frame, wire := p.AppendFrame(nil, l.link)
			ip := 20
			if ends[0].Addr().Is6() {
				ip = 40
			}
			if want := l.header + ip + 20 + 36 + 3; wire != want || len(frame) != want {
				t.Errorf("link %d: frame of %d bytes, %d on the wire, want %d", l.link, len(frame), wire, want)
			}
			got := gopacket.NewPacket(frame, l.decoder, gopacket.Default)
			if fail := got.ErrorLayer(); fail != nil {
				t.Errorf("link %d: %v", l.link, fail.Error())
				continue
			}
			tcp, ok := got.Layer(layers.LayerTypeTCP).(*layers.TCP)
			if !ok {
				t.Errorf("link %d: no TCP in % x", l.link, frame)
				continue
			}
			if tcp.Seq != 0xfffffff0 || tcp.Ack != 7 || tcp.Window != 512 || !tcp.PSH || !tcp.ACK || tcp.SYN || string(tcp.Payload) != "odd" {
				t.Errorf("link %d: gopacket read %+v", l.link, tcp)
			}
			known := slices.DeleteFunc(tcp.Options, func(o layers.TCPOption) bool { return o.OptionType == layers.TCPOptionKindNop })
			assert.Check(t, is.DeepEqual(known, wantOptions, cmpopts.EquateEmpty()), "link %d: options", l.link)
			if src := got.NetworkLayer().NetworkFlow().Src().String(); src != ends[0].Addr().String() {
				t.Errorf("link %d: source %s, want %s", l.link, src, ends[0].Addr())
			}
			assert.NilError(t, tcp.SetNetworkLayerForChecksum(got.NetworkLayer()))
			bad := mismatches(t, got)
			assert.Check(t, len(bad) <= 0, "link %d, %v: checksums wrong in %v", l.link, ends[0], bad)
		}
	}
}

// mismatches returns the layers whose checksum gopacket calculates otherwise.
func mismatches(t *testing.T, p gopacket.Packet) (bad []string) {
	t.Helper()
	for _, l := range p.Layers() {
		c, ok := l.(gopacket.LayerWithChecksum)
		if !ok {
			continue
		}
		err, result := c.VerifyChecksum()
		assert.NilError(t, err)
		if !result.Valid {
			bad = append(bad, l.LayerType().String())
		}
	}
	return bad
}

func TestAppendFrameCut(t *testing.T) {
	p := Packet{Src: v4a, Dst: v4b, Flags: ACK, Payload: make([]byte, 10), PayloadLen: 1400}
	frame, wire := p.AppendFrame(nil, LinkRaw)
	assert.Check(t, is.Equal([2]int{len(frame), wire}, [2]int{20 + 20 + 10, 20 + 20 + 1400}), "captured and wire length")
	assert.Check(t, is.Equal(binary.BigEndian.Uint16(frame[2:]), uint16(1440)), "IP total length")
	// A super-segment does not fit the IP length, which is then 0.
	p.PayloadLen = 70000
	frame, wire = p.AppendFrame(nil, LinkRaw)
	got := binary.BigEndian.Uint16(frame[2:])
	assert.Check(t, got == 0 && wire == 70040, "IP total length %d and wire length %d, want 0 and 70040", got, wire)
}

func TestStreamByteSpreads(t *testing.T) {
	assert.Check(t, !bytes.Equal(AppendStream(nil, A2B, 0, 64), AppendStream(nil, B2A, 0, 64)), "the streams of both directions begin alike")
	assert.Check(t, bytes.Equal(AppendStream(nil, A2B, 0, 64)[10:], AppendStream(nil, A2B, 10, 54)), "a part of the stream differs from the whole")
}

// when has different digits in its micro- and its nanoseconds.
var when = time.Unix(1_700_000_000, 123_456_789)

// Every format is read back by gopacket's readers.
func TestWriterAgainstGopacket(t *testing.T) {
	for _, f := range []Format{
		{},
		{Nanosecond: true},
		{BigEndian: true},
		{BigEndian: true, Nanosecond: true},
		{SnapLen: 60},
		{Link: LinkRaw},
		{Null: true},
		{PcapNG: true},
		{PcapNG: true, SnapLen: 60, Link: LinkSLL2},
	} {
		var out bytes.Buffer
		w, err := NewWriter(&out, f)
		assert.NilError(t, err)
		p := Packet{Time: when.UnixNano(), Src: v4a, Dst: v4b, Flags: ACK, Payload: make([]byte, 100)}
		frame, wire := p.AppendFrame(nil, f.link())
		if f.SnapLen > 0 {
			frame = frame[:f.SnapLen]
		}
		assert.NilError(t, errors.Join(w.Write(&p), w.Write(&p), w.Flush()))
		want := when.Truncate(time.Microsecond)
		if f.Nanosecond || f.PcapNG {
			want = when
		}
		source := reader(t, &out, f)
		for i := range 2 {
			data, info, err := source.ReadPacketData()
			assert.NilError(t, err, "%+v: packet %d", f, i)
			if !info.Timestamp.Equal(want) || info.Length != wire || !bytes.Equal(data, frame) {
				t.Errorf("%+v: packet %d: %v, %d bytes of %d; want %v, %d of %d", f, i, info.Timestamp, len(data), info.Length, want, len(frame), wire)
			}
		}
		if _, _, err := source.ReadPacketData(); !errors.Is(err, io.EOF) {
			t.Errorf("%+v: after the last packet: %v", f, err)
		}
	}
}

// reader returns gopacket's reader of a format.
func reader(t *testing.T, r io.Reader, f Format) (source gopacket.PacketDataSource) {
	t.Helper()
	var link LinkType
	var err error
	if f.PcapNG {
		var ng *pcapgo.NgReader
		if ng, err = pcapgo.NewNgReader(r, pcapgo.DefaultNgReaderOptions); err == nil {
			source, link = ng, LinkType(ng.LinkType())
		}
	} else {
		var classic *pcapgo.Reader
		if classic, err = pcapgo.NewReader(r); err == nil {
			source, link = classic, LinkType(classic.LinkType())
		}
	}
	assert.NilError(t, err, "%+v", f)
	if link != f.link() {
		t.Errorf("%+v: link type %d, want %d", f, link, f.link())
	}
	return source
}
