package packet

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
)

// FuzzParseTCP demands of any bytes: no panic, an independent walk that finds
// the same MPTCP options, and the same result in a segment used before.
func FuzzParseTCP(f *testing.F) {
	for _, tcp := range usual(f) {
		f.Add(tcp, len(tcp)+100)
		f.Add(tcp[:len(tcp)/2], len(tcp))
	}
	f.Add(header(f, ACK, "1e082001 00000009 1e082001 0000000a"), 36)
	f.Add(header(f, ACK, "0101080a0000000100000002 1e082001 00000009 0101 050a 0000000100000002"), 64)
	f.Add(header(f, ACK, "0101080a0000000100000002 1e12200500000009000000010000000100050100"), 64)
	f.Add(header(f, ACK, "1e02 1e069000 0102 fd08 0101"), 32)
	f.Add(header(f, ACK, "1e142005032afe7391ace32600000001005fbb28 1e1410000102030405060708090a0b0c0d0e0f10"), 60)
	const stamps = "0101080a0000000100000002 "
	for _, options := range []string{ // the usual layout, and what is nearly the usual one
		stamps, stamps + "01010101", stamps + "1e0c2003398fa48dfc1b626f", stamps + "1e082001 00000009",
		stamps + "1e122005 00000009 00000001 00000001 0005 0101",
		stamps + "1e122005 00000009 00000001 00000001 0005 0100",
		stamps + "1e122005 00000009 00000001 00000001 0005 1e03",
		stamps + "1e122005 00000009 00000001 00000001 0101 0000", // the mapping's length looks like padding
		stamps + "1e142005 00000009 00000001 00000001 0005 beef",
		stamps + "1e1a200f398fa48dfc1b626f00b59ee713e88946000000017a08 0101",
		stamps + "1e1c200f398fa48dfc1b626f00b59ee713e88946000000017a08beef",
		stamps + "1e082001 00000009 0101 050a 0000000100000002",
		stamps + "1e082001 00000009 0101 080a 0000000300000004",
		stamps + "1e082001 00000009 0101 050c 0000000100000002 0000",
		stamps + "1e082001 00000009 1e082001 0000000a", stamps + "1e082001 00000009 1e035101",
		stamps + "1e092001 00000009 01010101", stamps + "1e282001 00000009", stamps + "1e042010", stamps + "1e0001",
	} {
		options = strings.ReplaceAll(options, " ", "")
		tcp := header(f, ACK, options+strings.Repeat("01", -len(options)/2&3))
		f.Add(tcp, len(tcp))
		f.Add(append(tcp, strings.Repeat("\x1e\x08\x20\x01", 20)...), len(tcp)+80)
	}
	f.Fuzz(func(t *testing.T, tcp []byte, wireLen int) {
		wireLen %= 1 << 20
		var s Segment
		err := s.ParseTCP(tcp, wireLen)
		again := Segment{
			SACK: [4]SACKBlock{{1, 2}, {3, 4}}, NSACK: 2, Other: [40]byte{30, 3, 0x50}, OtherLen: 3,
			DSS: mptcp.DSS{DSN: 1}, Have: HasDSS | HasMSS, MSS: 1, WScale: 2, TSVal: 3, TSEcr: 4, OptLen: 5, PayloadLen: 6,
		}
		if err2 := again.ParseTCP(tcp, wireLen); err2 != err || !same(&s, &again) {
			t.Errorf("fresh: %+v, %v\n used: %+v, %v", s, err, again, err2)
		}
		for _, behind := range []string{"", "\x1e\x08\x20\x01", "\x01\x01\x05\x0a", "\xff"} {
			memory := append(slices.Clip(slices.Clone(tcp)), strings.Repeat(behind, ViewLen)...)
			var alone Segment
			if err2 := alone.ParseTCP(memory[:len(tcp)], wireLen); err2 != err || !same(&s, &alone) {
				t.Errorf("%+v, %v\nwith % x behind it: %+v, %v", s, err, behind, alone, err2)
			}
		}
		if err != nil {
			assert.Check(t, s.OptLen == 0 && s.PayloadLen == 0 && s.Have == 0, "after error %v: %+v", err, s)
			return
		}
		checkSizes(t, &s, tcp, wireLen)
		options := tcp[20:min(len(tcp), wireLen, 20+int(s.OptLen))]
		checkMPTCP(t, &s, options)
		checkWalk(t, &s, options)
		checkGeneral(t, tcp, wireLen)
	})
}

// checkWalk demands that the fast path for the usual layout of options gives the same result as
// the general walk through them.
func checkWalk(t *testing.T, s *Segment, options []byte) {
	walked := Segment{Flags: s.Flags}
	walked.parseOptions(options, int(s.OptLen)-len(options))
	if s.Have&^OptionsCut != walked.Have || s.SACK != walked.SACK || s.NSACK != walked.NSACK || s.DSS != walked.DSS ||
		s.TSVal != walked.TSVal || s.TSEcr != walked.TSEcr || s.Other != walked.Other || s.OtherLen != walked.OtherLen ||
		s.MSS != walked.MSS || s.WScale != walked.WScale {
		t.Errorf("options % x\n   read as %+v\nby the walk %+v", options, *s, walked)
	}
}

// checkGeneral demands that ParseTCP, which tries the usual form first, reads tcp as
// the parser for headers of any form does.
func checkGeneral(t *testing.T, tcp []byte, wireLen int) {
	t.Helper()
	var got, want Segment
	memory := append(slices.Clip(slices.Clone(tcp)), make([]byte, ViewLen)...)
	err, wantErr := got.ParseTCP(memory[:len(tcp)], wireLen), want.parse(tcp, wireLen)
	if err != wantErr || !same(&got, &want) {
		t.Errorf("%+v, %v\ngeneral: %+v, %v", got, err, want, wantErr)
	}
}

// same compares two segments in every field.
func same(a, b *Segment) bool {
	return a.Num == b.Num && a.Src == b.Src && a.Dst == b.Dst &&
		a.Seq == b.Seq && a.Ack == b.Ack && a.Window == b.Window && a.Flags == b.Flags && a.NSACK == b.NSACK &&
		a.WScale == b.WScale && a.OtherLen == b.OtherLen && a.Have == b.Have && a.OptLen == b.OptLen && a.MSS == b.MSS &&
		a.PayloadLen == b.PayloadLen && a.TSVal == b.TSVal && a.TSEcr == b.TSEcr && a.SACK == b.SACK && a.DSS == b.DSS && a.Other == b.Other && a.Urgent == b.Urgent
}

func checkSizes(t *testing.T, s *Segment, tcp []byte, wireLen int) {
	if got := 20 + int(s.OptLen) + int(s.PayloadLen); got != wireLen {
		t.Errorf("header and payload have %d bytes, the segment %d", got, wireLen)
	}
	assert.Check(t, s.OptLen <= 40 && s.OptLen%4 == 0 && int(s.OtherLen) <= len(s.Other) && int(s.NSACK) <= len(s.SACK) && s.WScale <= 14, "out of bounds: %+v", s)
	if want := max(0, min(len(tcp), wireLen)-20-int(s.OptLen)); len(s.PayloadIn(tcp)) != want {
		t.Errorf("%d bytes of payload captured, want %d", len(s.PayloadIn(tcp)), want)
	}
	if cut := min(len(tcp), wireLen) < 20+int(s.OptLen); cut != (s.Have&OptionsCut != 0) {
		t.Errorf("options cut: %v, but Have %012b", cut, s.Have)
	}
}

// checkMPTCP walks the options b with a loop of its own and compares what it
// finds of MPTCP.
func checkMPTCP(t *testing.T, s *Segment, b []byte) {
	var dss mptcp.DSS
	var rare []byte
	var have Present
	for len(b) > 0 && b[0] != 0 {
		n := 1
		if b[0] != 1 {
			if len(b) < 2 || b[1] < 2 || int(b[1]) > len(b) {
				break
			}
			n = int(b[1])
		}
		if opt := b[:n]; opt[0] == mptcp.Kind {
			bad := mptcp.Check(opt) != nil
			isDSS := n > 2 && opt[2]>>4 == 2
			switch {
			case isDSS && !bad && have&HasDSS == 0:
				have |= HasDSS
				assert.NilError(t, mptcp.ParseDSS(opt, &dss))
			default:
				rare = append(rare, opt...)
				switch {
				case bad:
					have |= BadMPTCP
				case isDSS:
					have |= OddMPTCP
				case opt[2]>>4 > 8 && opt[2]>>4 < 15:
					have |= OddMPTCP
				}
			}
		}
		b = b[n:]
	}
	const mask = HasDSS | BadMPTCP | OddMPTCP
	if s.DSS != dss || !bytes.Equal(s.OtherMPTCP(), rare) || s.Have&mask != have {
		t.Errorf("DSS %+v, rare % x, have %012b\nwant %+v, % x, %012b", s.DSS, s.OtherMPTCP(), s.Have&mask, dss, rare, have)
	}
}
