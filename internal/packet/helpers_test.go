package packet

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// unhex reads bytes written in hexadecimal; blanks are for the reader.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	assert.NilError(t, err)
	return b
}

// header returns a TCP header with the given flags and options and easily told
// fields: ports 1 and 2, sequence number 3, acknowledgment 4, window 5. The
// data offset is that of the options, which must be whole words.
func header(t testing.TB, flags Flags, options string) []byte {
	t.Helper()
	opt := unhex(t, options)
	assert.Assert(t, len(opt)%4 == 0 && len(opt) <= 40, "%d bytes of options do not fit a header", len(opt))
	b := unhex(t, "0001 0002 00000003 00000004 0000 0005 0000 0000")
	binary.BigEndian.PutUint16(b[12:], uint16(5+len(opt)/4)<<12|uint16(flags))
	return append(b, opt...)
}

// plain is what header reads as without options and payload.
func plain(flags Flags) Segment {
	return Segment{Src: Endpoint{Port: 1}, Dst: Endpoint{Port: 2}, Seq: 3, Ack: 4, Window: 5, Flags: flags}
}

// rare fills Other.
func (s Segment) rare(t testing.TB, options string) Segment {
	s.OtherLen = uint8(copy(s.Other[:], unhex(t, options)))
	return s
}
