package capture

import "iter"

// optionComment is the code of a comment (draft-ietf-opsawg-pcapng, Section 3.5).
const optionComment = 1

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
