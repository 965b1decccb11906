package packet

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// Headers of an MPTCP session for the fast path, and what makes them unusual.
func TestParseFast(t *testing.T) {
	const stamps = "0101080a0000000100000002"
	for _, c := range []struct {
		name    string
		options string
		want    bool
	}{
		{"timestamps", stamps, true},
		{"DATA_ACK of 4 bytes", stamps + "1e08200100000009", true},
		{"DATA_ACK of 8 bytes", stamps + "1e0c2003398fa48dfc1b626f", true},
		{"DATA_ACK and a SACK block", stamps + "1e08200100000009 0101050a0000000300000004", true},
		{"mapping and padding", stamps + "1e1220050000000900000001000000010005 0101", true},
		{"mapping with checksum", stamps + "1e142005000000090000000100000001 0005beef", true},
		{"no options", "", false},
		{"no timestamps", "1e08200100000009", false},
		{"two SACK blocks", stamps + "1e08200100000009 010105120000000300000004 0000000500000006", false},
		{"two MPTCP options", stamps + "1e08200100000009 1e035101", false},
		{"MP_JOIN", stamps + "1e1810000102030405060708090a0b0c0d0e0f1011121314", false},
		{"DSS beyond the header", stamps + "1e0c200300000009", false},
	} {
		tcp := header(t, ACK, c.options)
		view := (*[ViewLen]byte)(append(slices.Clip(tcp), make([]byte, ViewLen)...))
		var s Segment
		if got := s.ParseFast(view, len(tcp)+10, len(tcp)+10); got != c.want {
			t.Errorf("%s: fast %v, want %v", c.name, got, c.want)
		}
		for _, short := range [][2]int{{len(tcp) - 1, len(tcp)}, {len(tcp), len(tcp) - 1}} {
			if s.ParseFast(view, short[0], short[1]) {
				t.Errorf("%s: fast with %d bytes captured of %d", c.name, short[0], short[1])
			}
		}
		if view[13] |= byte(URG); s.ParseFast(view, len(tcp), len(tcp)) {
			t.Errorf("%s: fast with urgent data", c.name)
		}
	}
}

// A segment that held every rare field holds none of them after a fast header, nor after another one,
// with or without options, sound or broken.
func TestParseClearsRareFields(t *testing.T) {
	fast := header(t, ACK, "0101080a0000000100000002 1e08200100000009")
	view := (*[ViewLen]byte)(append(slices.Clip(fast), make([]byte, ViewLen)...))
	var fresh Segment
	assert.Assert(t, fresh.ParseFast(view, len(fast), len(fast)), "not fast")
	for _, before := range [][]byte{
		header(t, SYN, "020405b4 0402 03030e 000000"),
		header(t, ACK, "1e082001 00000009 1e035101"),
		header(t, ACK, "0101 0512 0000000100000002 0000000300000004"),
		header(t, ACK, "0101 050a 0000000100000002"),
		header(t, ACK, "0101 0522 00000001 00000002 00000003 00000004 00000005 00000006 00000007 00000008"),
		header(t, SYN, "2206010203040101 020405b4 03030e 080a0000000100000002 01 1e035101 0101"),
		func() []byte { b := header(t, ACK|URG, ""); b[19] = 7; return b }(),
	} {
		var s Segment
		assert.NilError(t, s.ParseTCP(before, len(before)))
		used := s
		assert.Check(t, s.ParseFast(view, len(fast), len(fast)) && same(&s, &fresh), "after % x: %+v, want %+v", before, s, fresh)
		for _, next := range []string{"", "1e0820e100000009", "1e035101", "0101 050a 0000000300000004"} {
			for _, offset := range []byte{0, 0xf0} { // a data offset of 0 words is an error
				tcp := header(t, ACK, next)
				tcp[12] &= ^offset
				s, want := used, Segment{}
				wantErr := want.ParseTCP(tcp, len(tcp))
				if err := s.ParseTCP(tcp, len(tcp)); err != wantErr || !same(&s, &want) || s.FastOpen != want.FastOpen {
					t.Errorf("% x after % x: %+v, %v, want %+v, %v", tcp, before, s, err, want, wantErr)
				}
			}
		}
	}
}
