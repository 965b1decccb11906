package tracegen

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/pcapgo"
)

// when has different digits in its micro- and its nanoseconds.
var when = time.Unix(1_700_000_000, 123_456_789)

func TestHeaderAndRecord(t *testing.T) {
	frame := []byte{0xaa, 0xbb, 0xcc, 0xdd}
	tests := []struct {
		name string
		f    Format
		want []byte
	}{
		{"little endian, microseconds", Format{}, []byte{
			0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
			0x00, 0xf1, 0x53, 0x65, 0x40, 0xe2, 0x01, 0x00, 4, 0, 0, 0, 9, 0, 0, 0, 0xaa, 0xbb, 0xcc, 0xdd,
		}},
		{"big endian, nanoseconds, cut, cooked", Format{BigEndian: true, Nanosecond: true, SnapLen: 2, Link: LinkSLL2}, []byte{
			0xa1, 0xb2, 0x3c, 0x4d, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 20,
			0x65, 0x53, 0xf1, 0x00, 0x07, 0x5b, 0xcd, 0x15, 0, 0, 0, 2, 0, 0, 0, 9, 0xaa, 0xbb,
		}},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		w, err := NewWriter(&out, tt.f)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.writeFrame(when.UnixNano(), frame, 9), w.Flush()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, out.Bytes()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

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
		if err != nil {
			t.Fatal(err)
		}
		p := Packet{Time: when.UnixNano(), Src: v4a, Dst: v4b, Flags: ACK, Payload: make([]byte, 100)}
		frame, wire := p.AppendFrame(nil, f.link())
		if f.SnapLen > 0 {
			frame = frame[:f.SnapLen]
		}
		if err := errors.Join(w.Write(&p), w.Write(&p), w.Flush()); err != nil {
			t.Fatal(err)
		}
		want := when.Truncate(time.Microsecond)
		if f.Nanosecond || f.PcapNG {
			want = when
		}
		source := reader(t, &out, f)
		for i := range 2 {
			data, info, err := source.ReadPacketData()
			if err != nil {
				t.Fatalf("%+v: packet %d: %v", f, i, err)
			}
			if !info.Timestamp.Equal(want) || info.Length != wire || !bytes.Equal(data, frame) {
				t.Errorf("%+v: packet %d: %v, %d bytes of %d; want %v, %d of %d", f, i, info.Timestamp, len(data), info.Length, want, len(frame), wire)
			}
		}
		if _, _, err := source.ReadPacketData(); !errors.Is(err, io.EOF) {
			t.Errorf("%+v: after the last packet: %v", f, err)
		}
	}
}

func reader(t *testing.T, r io.Reader, f Format) gopacket.PacketDataSource {
	t.Helper()
	var (
		source gopacket.PacketDataSource
		link   LinkType
		err    error
	)
	if f.PcapNG {
		var ng *pcapgo.NgReader
		ng, err = pcapgo.NewNgReader(r, pcapgo.DefaultNgReaderOptions)
		source = ng
		if err == nil {
			link = LinkType(ng.LinkType())
		}
	} else {
		var classic *pcapgo.Reader
		classic, err = pcapgo.NewReader(r)
		source = classic
		if err == nil {
			link = LinkType(classic.LinkType())
		}
	}
	if err != nil {
		t.Fatalf("%+v: %v", f, err)
	}
	if link != f.link() {
		t.Errorf("%+v: link type %d, want %d", f, link, f.link())
	}
	return source
}

func TestWriteFrameRefusesNonsense(t *testing.T) {
	w, err := NewWriter(io.Discard, Format{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.writeFrame(0, make([]byte, 10), 9); err == nil {
		t.Error("a frame longer than its wire length was written")
	}
}
