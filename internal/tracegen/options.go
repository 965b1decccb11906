package tracegen

import (
	"encoding/binary"

	"mpanalyze/internal/seq"
)

// The option kinds of RFC 9293 (no-operation, MSS), RFC 7323 (window
// scale, timestamps) and RFC 2018 (SACK).
const (
	kindNOP           = 1
	kindMSS           = 2
	kindWScale        = 3
	kindSACKPermitted = 4
	kindSACK          = 5
	kindTimestamps    = 8
)

// block is one SACK block (RFC 2018, Section 3): the bytes from Left up to, but not
// including, Right.
type block struct{ Left, Right seq.Wire }

// appendMSS appends a Maximum Segment Size option (RFC 9293, Section 3.7.1).
func appendMSS(b []byte, mss uint16) []byte {
	return binary.BigEndian.AppendUint16(append(b, kindMSS, 4), mss)
}

// appendWScale appends a Window Scale option (RFC 7323, Section 2.2) behind one NOP, with
// the alignment of Linux.
func appendWScale(b []byte, shift uint8) []byte {
	return append(b, kindNOP, kindWScale, 3, shift)
}

// appendSACKPermitted appends a SACK-Permitted option (RFC 2018, Section 2)
// behind two NOPs.
func appendSACKPermitted(b []byte) []byte {
	return append(b, kindNOP, kindNOP, kindSACKPermitted, 2)
}

// AppendTimestamps appends a Timestamps option (RFC 7323, Section 3.2) behind
// two NOPs.
func AppendTimestamps(b []byte, val, ecr uint32) []byte {
	b = append(b, kindNOP, kindNOP, kindTimestamps, 10)
	b = binary.BigEndian.AppendUint32(b, val)
	return binary.BigEndian.AppendUint32(b, ecr)
}

// appendSACK appends a SACK option (RFC 2018, Section 3) behind two NOPs. It appends
// nothing if there are no blocks.
func appendSACK(b []byte, blocks ...block) []byte {
	if len(blocks) == 0 {
		return b
	}
	b = append(b, kindNOP, kindNOP, kindSACK, byte(2+8*len(blocks)))
	for _, s := range blocks {
		b = binary.BigEndian.AppendUint32(b, uint32(s.Left))
		b = binary.BigEndian.AppendUint32(b, uint32(s.Right))
	}
	return b
}
