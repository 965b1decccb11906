package mptcp

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestDSS(t *testing.T) {
	checkForms(t, ParseDSS, []form[DSS]{
		{
			"ack of 4 bytes", "1e 08 20 01 032afe73",
			DSS{Flags: DSSAck, DataAck: 0x032afe73},
		},
		{
			"ack of 8 bytes", "1e 0c 20 03 398fa48dfc1b626f",
			DSS{Flags: DSSAck | DSSAck8, DataAck: 0x398fa48dfc1b626f},
		},
		{
			"4 and 4 bytes, no checksum", "1e 12 20 05 7f000001 80000002 00000001 05a8",
			DSS{Flags: DSSAck | DSSMap, DataAck: 0x7f000001, DSN: 0x80000002, SSN: 1, Length: 1448},
		},
		{
			"4 and 4 bytes, checksum", "1e 14 20 05 032afe73 91ace326 00000001 005f bb28",
			DSS{Flags: DSSAck | DSSMap | DSSChecksum, DataAck: 0x032afe73, DSN: 0x91ace326, SSN: 1, Length: 95, Checksum: 0xbb28},
		},
		{
			"4 and 8 bytes, checksum", "1e 18 20 0d 032afe73 00b59ee713e88946 00000001 7a08 0000",
			DSS{Flags: DSSAck | DSSMap | DSSDSN8 | DSSChecksum, DataAck: 0x032afe73, DSN: 0x00b59ee713e88946, SSN: 1, Length: 0x7a08},
		},
		{
			"8 and 8 bytes, no checksum", "1e 1a 20 0f 398fa48dfc1b626f 00b59ee713e88946 00000001 7a08",
			DSS{Flags: DSSAck | DSSAck8 | DSSMap | DSSDSN8, DataAck: 0x398fa48dfc1b626f, DSN: 0x00b59ee713e88946, SSN: 1, Length: 0x7a08},
		},
		{
			"8 and 8 bytes, checksum", "1e 1c 20 0f da6afa363c24a1bb 30824f6598219e31 000a3701 00c0 4ba0",
			DSS{Flags: DSSAck | DSSAck8 | DSSMap | DSSDSN8 | DSSChecksum, DataAck: 0xda6afa363c24a1bb, DSN: 0x30824f6598219e31, SSN: 0xa3701, Length: 192, Checksum: 0x4ba0},
		},
		{
			"mapping without ack", "1e 0e 20 04 00000009 00000008 0007",
			DSS{Flags: DSSMap, DSN: 9, SSN: 8, Length: 7},
		},
		{
			"DATA_FIN alone: SSN 0, length 1", "1e 16 20 1d 00000005 0000000100000002 00000000 0001",
			DSS{Flags: DSSAck | DSSMap | DSSDSN8 | DSSFin, DataAck: 5, DSN: 0x100000002, Length: 1},
		},
		{
			"infinite mapping", "1e 0e 20 04 00000009 00000008 0000",
			DSS{Flags: DSSMap, DSN: 9, SSN: 8},
		},
		{"nothing", "1e 04 20 00", DSS{}},
		{"DATA_FIN without a mapping", "1e 04 20 10", DSS{Flags: DSSFin}},
		{"a and m without A and M", "1e 04 20 0a", DSS{Flags: DSSAck8 | DSSDSN8}},
	})
}

// TestDSSLengths adds up the length of each of the 32 sets of flags from the
// sizes of the fields as RFC 8684, Section 3.3, Figure 9 gives them.
func TestDSSLengths(t *testing.T) {
	for flags := range byte(32) {
		t.Run(fmt.Sprintf("flags %05b", flags), func(t *testing.T) {
			n := 4
			switch {
			case flags&0x01 == 0: // no A
			case flags&0x02 == 0:
				n += 4
			default:
				n += 8
			}
			legal := []int{n}
			if flags&0x04 != 0 { // M: DSN, SSN (4), length (2)
				n += 4 + 4 + 2
				if flags&0x08 != 0 {
					n += 4
				}
				legal = []int{n, n + 2}
			}
			checkLengths(t, ParseDSS, 0x20, flags, legal...)
		})
	}
}

// Whatever follows an option in memory has no part in it.
func TestDSSAlone(t *testing.T) {
	for flags := range DSSFlags(1 << 5) {
		for _, sum := range []DSSFlags{0, DSSChecksum} {
			if sum != 0 && flags&DSSMap == 0 {
				continue
			}
			want := DSS{Flags: flags | sum}
			if flags&DSSAck != 0 {
				want.DataAck = 0x81828384
				if flags&DSSAck8 != 0 {
					want.DataAck = 0x8182838485868788
				}
			}
			if flags&DSSMap != 0 {
				want.DSN, want.SSN, want.Length = 0x91929394, 0xa1a2a3a4, 0xb1b2
				if flags&DSSDSN8 != 0 {
					want.DSN = 0x9192939495969798
				}
			}
			if sum != 0 {
				want.Checksum = 0xc1c2
			}
			opt := want.Append(nil)
			within := append(slices.Clone(opt), bytes.Repeat([]byte{0xff}, maxOptions)...)
			for name, b := range map[string][]byte{"alone": slices.Clip(opt), "within others": within[:len(opt)]} {
				got := DSS{DataAck: 1, DSN: 2, SSN: 3, Length: 4, Checksum: 5, Flags: 6}
				err := ParseDSS(b, &got)
				assert.Check(t, err == nil && got == want, "flags %#x, %s: %+v, %v, want %+v", flags|sum, name, got, err, want)
			}
		}
	}
}

func TestDSSIgnoresReservedBits(t *testing.T) {
	var d DSS
	assert.NilError(t, ParseDSS(unhex(t, "1e 08 2f e1 00000007"), &d))
	assert.Check(t, is.Equal(d, (DSS{Flags: DSSAck, DataAck: 7})))
	if out, want := d.Append(nil), unhex(t, "1e 08 20 01 00000007"); !bytes.Equal(out, want) {
		t.Errorf("append: got % x, want % x", out, want)
	}
}

func TestParseDSSAllocatesNothing(t *testing.T) {
	b := unhex(t, "1e 1c 20 0f da6afa363c24a1bb 30824f6598219e31 000a3701 00c0 4ba0")
	out := make([]byte, 0, maxOptions)
	var d DSS
	if n := testing.AllocsPerRun(100, func() {
		assert.Check(t, ParseDSS(b, &d) == nil, "no parse")
		out = d.Append(out[:0])
	}); n != 0 {
		t.Errorf("%v allocations for a parse and an append, want 0", n)
	}
}
