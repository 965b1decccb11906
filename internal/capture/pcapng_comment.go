package capture

import (
	"encoding/binary"
	"iter"
)

// Codes of options (draft-ietf-opsawg-pcapng, Sections 3.5, 4.1 and 4.3).
const (
	optionComment     = 1
	optionApplication = 4 // of a section
	optionPacketID    = 5 // of a packet
)

// SplitBy is the name of the application in a pcapng file that mpanalyze split wrote. Its packets
// are a part of the packets of other captures, in order. Their packet ids are their numbers in
// those captures. If such a file is the only file of a source, its packets keep these numbers.
const SplitBy = "mpanalyze split"

// commentsIn returns the comments among the options of a packet block. b holds the data and the
// options of the block; captured is the length of the data.
func (n *ngReader) commentsIn(b []byte, captured uint32) (list []string) {
	for code, value := range n.packetOptions(b, captured) {
		if code == optionComment {
			list = append(list, string(value))
		}
	}
	return list
}

// numberIn returns the id of a packet, or 0 if it has none.
func (n *ngReader) numberIn(b []byte, captured uint32) uint64 {
	for code, value := range n.packetOptions(b, captured) {
		switch {
		case code != optionPacketID || len(value) != 8:
		case n.bigEndian:
			return binary.BigEndian.Uint64(value)
		default:
			return binary.LittleEndian.Uint64(value)
		}
	}
	return 0
}

// isSplit reports whether the options of a section name [SplitBy].
func (n *ngReader) isSplit(b []byte) bool {
	for code, value := range n.options(b) {
		if code == optionApplication {
			return string(value) == SplitBy
		}
	}
	return false
}

// packetOptions goes through the options behind the data of a packet block.
func (n *ngReader) packetOptions(b []byte, captured uint32) iter.Seq2[uint16, []byte] {
	at := min((uint64(captured)+3)&^3, uint64(len(b)))
	return n.options(b[at:])
}

// options goes through options. An option that is longer than the rest of the block ends the
// list: the packet itself is not damaged by it.
func (n *ngReader) options(b []byte) iter.Seq2[uint16, []byte] {
	return func(yield func(uint16, []byte) bool) {
		for len(b) >= 4 {
			code, size := n.u16(b), int(n.u16(b[2:]))
			if b = b[4:]; code == optionEnd || size > len(b) || !yield(code, b[:size]) {
				return
			}
			b = b[min((size+3)&^3, len(b)):]
		}
	}
}
