package packet

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// Data as captured, with NOP, NOP, timestamps and a DSS of 26 bytes, NOP, NOP.
func TestParseTCPOfData(t *testing.T) {
	head := unhex(t, "1389 d448 2f1b7a11 9c40e4d4 f010 0040 aabb 0000"+
		"0101 080a12c32e5dd7cfa483 1e1a200f398fa48dfc1b626f00b59ee713e88946000000017a08 0101")
	payload := "eight oc"
	tcp := append(head, payload...)
	const onWire = 60 + 1428
	var got Segment
	assert.NilError(t, got.ParseTCP(tcp, onWire))
	want := Segment{
		Src: Endpoint{Port: 5001}, Dst: Endpoint{Port: 54344}, Seq: 0x2f1b7a11, Ack: 0x9c40e4d4,
		Flags: ACK, Window: 64, OptLen: 40, PayloadLen: 1428,
		Have:  HasTimestamps | HasDSS,
		TSVal: 0x12c32e5d, TSEcr: 0xd7cfa483,
		DSS: mptcp.DSS{
			Flags:   mptcp.DSSAck | mptcp.DSSAck8 | mptcp.DSSMap | mptcp.DSSDSN8,
			DataAck: 0x398fa48dfc1b626f, DSN: 0x00b59ee713e88946, SSN: 1, Length: 0x7a08,
		},
	}
	assert.Check(t, is.DeepEqual(got, want))
	if captured := got.PayloadIn(tcp); string(captured) != payload || &captured[0] != &tcp[60] {
		t.Errorf("payload %q, want %q where it lies", captured, payload)
	}
	if end := got.End(); end != 0x2f1b7a11+1428 {
		t.Errorf("End %#x, want the byte after the payload on the wire", end)
	}
}

func TestParseTCPLengths(t *testing.T) {
	bare := header(t, ACK, "")
	withPad := append(header(t, ACK, ""), 'a', 'b', 0, 0, 0, 0)
	full := plain(ACK)
	for _, c := range []struct {
		name    string
		tcp     []byte
		wireLen int
		want    Segment
		err     error
	}{
		{"no payload", bare, 20, full, nil},
		{"payload not captured", bare, 120, func() Segment { s := full; s.PayloadLen = 100; return s }(), nil},
		{"link padding", withPad, 22, func() Segment { s := full; s.PayloadLen = 2; return s }(), nil},
		{"only link padding", withPad, 20, full, nil},
		{"larger than 64 KiB", bare, 20 + 200000, func() Segment { s := full; s.PayloadLen = 200000; return s }(), nil},
		{"nothing captured", nil, 20, Segment{}, ErrShort},
		{"all but a byte captured", bare[:19], 20, Segment{}, ErrShort},
		{"segment shorter than a header", bare, 19, Segment{}, ErrDataOffset},
		{"segment of no bytes", bare, 0, Segment{}, ErrDataOffset},
		{"negative length", bare, -1, Segment{}, ErrDataOffset},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got Segment
			if err := got.ParseTCP(c.tcp, c.wireLen); !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			assert.Check(t, is.DeepEqual(got, c.want, cmpopts.EquateEmpty()))
		})
	}
}

func TestParseTCPDataOffset(t *testing.T) {
	for offset := range byte(16) {
		tcp := header(t, ACK, "")
		tcp[12] = offset << 4
		tcp = append(tcp, make([]byte, 20)...) // 40 bytes: ten words
		var s Segment
		err := s.ParseTCP(tcp, len(tcp))
		if legal := offset >= 5 && offset <= 10; legal != (err == nil) {
			t.Errorf("data offset %d in a segment of 10 words: error %v", offset, err)
		}
		if err != nil {
			if !errors.Is(err, ErrDataOffset) {
				t.Errorf("data offset %d: error %v, want ErrDataOffset", offset, err)
			}
			assert.Check(t, is.DeepEqual(s, plain(ACK)), "data offset %d: fixed fields", offset)
			continue
		}
		if want := uint32(40 - 4*int(offset)); s.PayloadLen != want || len(s.PayloadIn(tcp)) != int(want) {
			t.Errorf("data offset %d: %d bytes of payload, %d captured; want %d", offset, s.PayloadLen, len(s.PayloadIn(tcp)), want)
		}
	}
}

func TestParseTCPFlags(t *testing.T) {
	for flags := range 256 {
		var s Segment
		assert.NilError(t, s.ParseTCP(header(t, Flags(flags), ""), 25))
		length := seq.Wire(5)
		if flags&0x02 != 0 { // SYN
			length++
		}
		if flags&0x01 != 0 { // FIN
			length++
		}
		if got, want := s.Flags.Has(SYN|ACK), flags&0x12 == 0x12; got != want {
			t.Errorf("flags %08b: Has(SYN|ACK) %v, want %v", flags, got, want)
		}
		if s.Flags != Flags(flags) || s.End() != 3+length {
			t.Errorf("flags %08b: Flags %08b, End %d; want End %d", flags, s.Flags, s.End(), 3+length)
		}
	}
}

func TestParseTCPLeavesTheRest(t *testing.T) {
	caller := Segment{
		Num: 7, Time: 8, Src: Endpoint{Addr: [16]byte{15: 1}}, Dst: Endpoint{Addr: [16]byte{15: 2}},
		IPv6: true, IPID: 9, File: 10, Iface: 11, Have: Incoming | HasDSS | BadMPTCP,
	}
	want := caller
	want.Src.Port, want.Dst.Port, want.Seq, want.Ack, want.Window, want.Flags = 1, 2, 3, 4, 5, ACK
	want.Have = Incoming
	assert.NilError(t, caller.ParseTCP(header(t, ACK, ""), 20))
	assert.Check(t, is.DeepEqual(caller, want, cmpopts.EquateEmpty()))
}

func TestParseTCPAllocatesNothing(t *testing.T) {
	for name, tcp := range usual(t) {
		var s Segment
		if n := testing.AllocsPerRun(100, func() {
			if s.ParseTCP(tcp, len(tcp)) != nil {
				t.Error("no parse")
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

// usual returns headers as they are common in a transfer.
func usual(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"mapping":    header(t, ACK, "0101080a12c32e5dd7cfa483 1e1a200f398fa48dfc1b626f00b59ee713e88946000000017a08 0101"),
		"data ack":   header(t, ACK, "0101080a12c32e5dd7cfa483 1e0c2003398fa48dfc1b626f"),
		"sack":       header(t, ACK, "0101080a12c32e5dd7cfa483 1e082001fc1b626f 0101 0512 0000000100000002 0000000300000004"),
		"timestamps": header(t, ACK, "0101080a12c32e5dd7cfa483"),
		"no options": header(t, ACK, ""),
		"syn":        header(t, SYN, "020405b4 0402 080ad7cfa45900000000 01 03030a 1e040101"),
	}
}
