package capture

// optionComment is the code of a comment (draft-ietf-opsawg-pcapng, Section 3.5).
const optionComment = 1

// commentsIn returns the comments among the options of a packet block, whose data and
// options b has; so many bytes of it are data. Options that overrun the block end the
// list: the packet is sound without them.
func (n *ngReader) commentsIn(b []byte, captured uint32) (list []string) {
	at := (uint64(captured) + 3) &^ 3
	if at > uint64(len(b)) {
		return nil
	}
	for b = b[at:]; len(b) >= 4; {
		code, size := n.u16(b), int(n.u16(b[2:]))
		if b = b[4:]; code == optionEnd || size > len(b) {
			break
		}
		if code == optionComment {
			list = append(list, string(b[:size]))
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return list
}
