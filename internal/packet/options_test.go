package packet

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
)

func TestOptions(t *testing.T) {
	ack := func(n uint64) mptcp.DSS { return mptcp.DSS{Flags: mptcp.DSSAck, DataAck: n} }
	for _, c := range []struct {
		name    string
		flags   Flags
		options string
		want    func(s *Segment)
		rare    string
	}{
		{"only padding", ACK, "01010101 00000000", func(*Segment) {}, ""},
		{"nothing after the end of the list", ACK, "00 1e035100 080a0000000100000002 0000000000", func(*Segment) {}, ""},
		{"timestamps aligned", ACK, "0101 080a0000000100000002", func(s *Segment) {
			s.Have, s.TSVal, s.TSEcr = HasTimestamps, 1, 2
		}, ""},
		{"timestamps not aligned", ACK, "080a0000000100000002 0101", func(s *Segment) {
			s.Have, s.TSVal, s.TSEcr = HasTimestamps, 1, 2
		}, ""},
		{"timestamps of a wrong length are passed over", ACK, "080900000001000000 01 1e082001 00000009 0101", func(s *Segment) {
			s.Have, s.DSS = HasDSS, ack(9)
		}, ""},
		{"on SYN", SYN, "020405b4 0402 030307 000000", func(s *Segment) {
			s.Have, s.MSS, s.WScale = HasMSS|HasSACKPermitted|HasWScale, 1460, 7
		}, ""},
		{"no meaning without SYN", ACK, "020405b4 0402 030307 000000", func(*Segment) {}, ""},
		{"shift count above 14 is 14", SYN, "03030f00", func(s *Segment) {
			s.Have, s.WScale = HasWScale, 14 // RFC 7323, Section 2.3
		}, ""},
		{"wrong lengths on SYN are passed over", SYN, "020305 040300 03040101 01 01", func(*Segment) {}, ""},
		{"one SACK block", ACK, "0101 050a fffffff000000010", func(s *Segment) {
			s.NSACK, s.SACK[0] = 1, SACKBlock{0xfffffff0, 0x10}
		}, ""},
		{"four SACK blocks", ACK, "0101 0522 00000001 00000002 00000003 00000004 00000005 00000006 00000007 00000008", func(s *Segment) {
			s.NSACK, s.SACK = 4, [4]SACKBlock{{1, 2}, {3, 4}, {5, 6}, {7, 8}}
		}, ""},
		{"SACK of two options", ACK, "050a 0000000100000002 050a 0000000300000004", func(s *Segment) {
			s.NSACK, s.SACK[0], s.SACK[1] = 2, SACKBlock{1, 2}, SACKBlock{3, 4}
		}, ""},
		{"SACK of no block", ACK, "05020101", func(*Segment) {}, ""},
		{"SACK of one and a half blocks is passed over", ACK, "050e 0000000100000002 00000003 0101", func(*Segment) {}, ""},
		{"unknown option", ACK, "fd06f989 0001 1e082001 00000009 0101", func(s *Segment) {
			s.Have, s.DSS = HasDSS, ack(9)
		}, ""},
		{"DSS and others", ACK, "1e082001 00000009 1e035101 1e0440ff", func(s *Segment) {
			s.Have, s.DSS = HasDSS, ack(9)
		}, "1e0351 1e0440ff"},
		{"two DSS", ACK, "1e082001 00000009 1e082001 0000000a", func(s *Segment) {
			s.Have, s.DSS = HasDSS|OddMPTCP, ack(9)
		}, "1e082001 0000000a"},
		{"DSS without form, then one with", ACK, "1e072001 000000 1e082001 00000009 01", func(s *Segment) {
			s.Have, s.DSS = HasDSS|BadMPTCP, ack(9)
		}, "1e072001 000000"},
		{"DSS without form after one with", ACK, "1e082001 00000009 1e072001 000000 01", func(s *Segment) {
			s.Have, s.DSS = HasDSS|BadMPTCP, ack(9)
		}, "1e072001 000000"},
		{"MPTCP without form, timestamps after it", ACK, "1e0510 0100 01 080a0000000100000002", func(s *Segment) {
			s.Have, s.TSVal, s.TSEcr = HasTimestamps|BadMPTCP, 1, 2
		}, "1e0510 0100"},
		{"MPTCP without subtype", ACK, "1e02 0101", func(s *Segment) { s.Have = BadMPTCP }, "1e02"},
		{"MPTCP of an unassigned subtype", ACK, "1e069000 0102 0101", func(s *Segment) { s.Have = OddMPTCP }, "1e069000 0102"},
		{"MPTCP of the private subtype", ACK, "1e04f000", func(*Segment) {}, "1e04f000"},
		{"MP_CAPABLE of an unknown version", SYN, "1e040201", func(s *Segment) { s.Have = BadMPTCP }, "1e040201"},
		{"length 0", ACK, "1e035101 080a0000000100000002 02000101 0101", func(s *Segment) {
			s.Have, s.TSVal, s.TSEcr = HasTimestamps|OptionsMalformed, 1, 2
		}, "1e0351"},
		{"length 1", ACK, "1e035101 1e010101 080a0000000100000002 0101", func(s *Segment) { s.Have = OptionsMalformed }, "1e0351"},
		{"length past the end", ACK, "1e082001 00000009 fd050101", func(s *Segment) {
			s.Have, s.DSS = HasDSS|OptionsMalformed, ack(9)
		}, ""},
		{"no room for a length", ACK, "010101 1e", func(s *Segment) { s.Have = OptionsMalformed }, ""},
		{"MPTCP fills the list", ACK, "1e142005032afe7391ace32600000001005fbb28 1e1410000102030405060708090a0b0c0d0e0f10", func(s *Segment) {
			s.Have = HasDSS | BadMPTCP
			s.DSS = mptcp.DSS{
				Flags:   mptcp.DSSAck | mptcp.DSSMap | mptcp.DSSChecksum,
				DataAck: 0x032afe73, DSN: 0x91ace326, SSN: 1, Length: 95, Checksum: 0xbb28,
			}
		}, "1e1410000102030405060708090a0b0c0d0e0f10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tcp := header(t, c.flags, c.options)
			want := plain(c.flags).rare(t, c.rare)
			want.OptLen = uint8(len(tcp) - 20)
			c.want(&want)
			var got Segment
			assert.NilError(t, got.ParseTCP(tcp, len(tcp)))
			assert.Check(t, is.DeepEqual(got, want, cmpopts.EquateEmpty()))
			if !bytes.Equal(got.OtherMPTCP(), unhex(t, c.rare)) {
				t.Errorf("RareOptions % x, want %s", got.OtherMPTCP(), c.rare)
			}
		})
	}
}

// TestOptionsCut cuts one header at every byte. An option is read exactly if
// it ends within what was captured, and a cut is never taken for damage.
func TestOptionsCut(t *testing.T) {
	tcp := header(t, ACK, "0101 080a0000000100000002 1e0c2003 0000000000000009 0101 050a 0000000300000004")
	const wireLen = 56 + 1000 // header of 20 + 36, and payload
	for n := 20; n <= len(tcp); n++ {
		want := plain(ACK)
		want.OptLen, want.PayloadLen = 36, 1000
		if n < 56 {
			want.Have |= OptionsCut
		}
		if n >= 20+12 { // NOP, NOP, timestamps
			want.Have |= HasTimestamps
			want.TSVal, want.TSEcr = 1, 2
		}
		if n >= 20+12+12 { // DSS
			want.Have |= HasDSS
			want.DSS = mptcp.DSS{Flags: mptcp.DSSAck | mptcp.DSSAck8, DataAck: 9}
		}
		if n >= 20+12+12+2+10 { // NOP, NOP, SACK
			want.NSACK, want.SACK[0] = 1, SACKBlock{3, 4}
		}
		var got Segment
		assert.NilError(t, got.ParseTCP(tcp[:n], wireLen), "%d bytes", n)
		assert.Check(t, is.DeepEqual(got, want, cmpopts.EquateEmpty()), "%d bytes:", n)
	}
}

// TestOptionsCutAndMalformed cuts headers whose last option could not end
// within the list even if all of it had been captured.
func TestOptionsCutAndMalformed(t *testing.T) {
	for _, c := range []struct {
		name    string
		options string
		keep    int // bytes of options captured
		want    Present
	}{
		{"length fits the list", "01 fd07 00 00000000", 4, OptionsCut},
		{"length is one more than the list", "01 fd08 00 00000000", 4, OptionsCut | OptionsMalformed},
		{"length 1", "01 fd01 00 00000000", 4, OptionsCut | OptionsMalformed},
		{"kind is the last byte captured", "01 fd01 00 00000000", 2, OptionsCut},
		{"end of the list before the cut", "01 00 0000 00000000", 4, OptionsCut},
	} {
		tcp := header(t, ACK, c.options)
		var s Segment
		assert.NilError(t, s.ParseTCP(tcp[:20+c.keep], len(tcp)))
		assert.Check(t, s.Have == c.want, "%s: Have %012b, want %012b", c.name, s.Have, c.want)
	}
}
