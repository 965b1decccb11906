package conn

import (
	"slices"
	"strings"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// noteConvert takes the message with which a client asks a converter for a connection, in the SYN, and the answer in the
// SYN/ACK (RFC 8803, Section 4). Neither is data of the application.
func (s *Subflow) noteConvert(p *Packet) {
	g, f := p.Seg, s.fastOpen
	answer := g.Flags&packet.ACK != 0
	if g.Have&packet.HasPayload == 0 || f.Convert[p.From] != nil || answer && f.Convert[p.From.Other()] == nil {
		return
	}
	m, ok := packet.ParseConvert(slices.Clone(g.Payload))
	if !ok {
		return
	}
	f.Convert[p.From] = &m
	detail := p.From.String() + " asks the converter for a connection: "
	if answer {
		s.dirs[p.From].ssnBase, f.answer = seq.Wire(g.PayloadLen), int64(g.PayloadLen)
		detail = "the converter answers: "
	}
	texts := make([]string, len(m.TLVs))
	for i := range m.TLVs {
		texts[i] = m.TLVs[i].Name() + " " + m.TLVs[i].Text()
	}
	p.emit(EventConvert, detail+strings.Join(texts, ", "))
}

// convertLen returns the length of the message that a side sent, bytes; 0 without one.
func (f *FastOpen) convertLen(from Side) int64 {
	if m := f.Convert[from]; m != nil {
		return int64(m.Len)
	}
	return 0
}

// answersConvert reports whether p is a SYN/ACK with the converter's answer: no mapping covers its payload.
func (p *Packet) answersConvert() bool {
	f := p.Sub.fastOpen
	return f != nil && p.Seg.Flags&packet.SYN != 0 && p.From != p.Sub.Initiator && f.Convert[p.From] != nil
}
