package tracegen

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/pcapgo"
)

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
	if err != nil {
		t.Fatalf("%+v: %v", f, err)
	}
	if link != f.link() {
		t.Errorf("%+v: link type %d, want %d", f, link, f.link())
	}
	return source
}
