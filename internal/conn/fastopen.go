package conn

import (
	"fmt"
	"slices"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// FastOpen is what the handshake of a subflow shows about TCP Fast Open (RFC 7413).
type FastOpen struct {
	SYN    packet.FastOpen // the option of the first SYN that has one
	SYNACK packet.FastOpen // the option of the SYN/ACK: the responder's cookie
	Bytes  int64           // bytes of payload of the SYN

	// Accepted says how many of Bytes the responder accepted: its SYN/ACK acknowledges
	// them. Without a captured SYN/ACK, the next sequence number of the initiator shows
	// it.
	Accepted int64
	Decided  bool // Accepted is known

	Convert [2]*packet.Convert // by sender: messages of the Convert Protocol in SYN and SYN/ACK; nil without one

	from   Side        // who sent the SYN
	answer int64       // payload of the SYN/ACK with the answer of a converter, bytes
	syn    dss.Payload // payload of the SYN; its Bytes are nil where payload is not kept
}

// FastOpen returns what the subflow's handshake shows about TCP Fast Open; nil where it
// has none.
func (s *Subflow) FastOpen() *FastOpen { return s.fastOpen }

// AppBytes returns how many bytes of the application the responder accepted.
func (f *FastOpen) AppBytes() int64 { return max(0, f.Accepted-f.convertLen(f.from)) }

// SYNPayload returns the captured part of the application's payload in the SYN that the
// responder accepted; it is shorter than AppBytes where the capture cut it.
func (f *FastOpen) SYNPayload() []byte {
	captured := min(int64(len(f.syn.Bytes)), f.Accepted)
	return f.syn.Bytes[min(captured, f.convertLen(f.from)):captured]
}

// noteFastOpen takes what a packet of the handshake shows about TCP Fast Open.
func (s *Subflow) noteFastOpen(p *Packet) {
	g, f := p.Seg, s.fastOpen
	if g.Flags&packet.SYN != 0 && (g.FastOpen.Form != packet.NoFastOpen || g.PayloadLen > 0 && g.Flags&packet.ACK == 0) {
		if f == nil {
			f = &FastOpen{from: s.Initiator}
			s.fastOpen = f
		}
		f.takeSYN(g)
	}
	if f != nil && g.Flags&packet.SYN != 0 {
		s.noteConvert(p)
	}
	if f != nil && !f.Decided {
		f.decide(p)
	}
}

// takeSYN takes a SYN or SYN/ACK. A retransmitted SYN has neither option nor data as a
// rule (RFC 7413, Section 4.1.3).
func (f *FastOpen) takeSYN(s *packet.Segment) {
	option := &f.SYN
	if s.Flags&packet.ACK != 0 {
		option = &f.SYNACK
	}
	if option.Form == packet.NoFastOpen {
		*option = s.FastOpen
	}
	if s.Flags&packet.ACK != 0 || s.PayloadLen == 0 || f.Bytes > 0 {
		return
	}
	f.Bytes = int64(s.PayloadLen)
	f.syn = dss.Payload{
		Range: seq.Range[seq.SSN]{Start: 1, End: 1 + seq.SSN(s.PayloadLen)}, New: true, Packet: s.Num, Time: s.Time,
	}
	if s.Have&packet.HasPayload != 0 {
		f.syn.Bytes = slices.Clone(dss.CapturedPart(s.Payload, 0, f.Bytes))
	}
}

// decide finds out how much of the SYN's payload the responder accepted. The
// acknowledgment in its SYN/ACK tells, or the next sequence number of the initiator.
func (f *FastOpen) decide(p *Packet) {
	g, first := p.Seg, p.Sub.Initiator
	isn, ok := p.Sub.Senders[first].ISN()
	answer := p.From != first && g.Flags.Has(packet.SYN|packet.ACK)
	if !ok || g.Flags&packet.RST != 0 || !answer && (p.From != first || g.Flags&packet.SYN != 0) {
		return
	}
	at := g.Seq
	if answer {
		at = g.Ack
	}
	f.Accepted, f.Decided = min(max(0, int64(at.Sub(isn))-1), f.Bytes), true
	p.Sub.dirs[first].ssnBase = seq.Wire(f.Accepted)
}

// placeSYN enters the data in the SYN of a Multipath TCP connection once it is known
// how much of it was accepted. The accepted part has no DSN; the rest waits for a
// mapping.
func (t *Table) placeSYN(p *Packet) {
	sub := p.Sub
	f, from := sub.fastOpen, sub.Initiator
	if f == nil || !f.Decided || f.Bytes == 0 || sub.synPlaced {
		return
	}
	sub.synPlaced = true
	subSpace := sub.Spaces[from]
	if n := f.AppBytes(); n > 0 {
		p.Conn.Spaces[from].AddSYNData(subSpace, n)
		p.Conn.emit(Event{
			Time: f.syn.Time, Sub: sub, From: from, Packet: f.syn.Packet, Kind: EventFastOpen,
			Detail: fmt.Sprintf("%v sends %d bytes of data in the SYN: %d were accepted", from, f.Bytes-f.convertLen(from), n),
		})
	}
	if n := f.answer - f.convertLen(from.Other()); n > 0 {
		p.Conn.Spaces[from.Other()].AddSYNData(sub.Spaces[from.Other()], n)
	}
	if rest := f.syn; f.Accepted < f.Bytes {
		rest.Start += seq.SSN(f.Accepted)
		rest.SegmentBytes = sub.Senders[from].SegmentBytes()
		if rest.Bytes != nil {
			rest.Bytes = slices.Clone(dss.CapturedPart(rest.Bytes, f.Accepted, rest.Len()))
		}
		subSpace.WaitForMapping(rest)
	}
}

// wireSSN returns the position of a subflow sequence number from a DSS option of side
// from. RFC 8684, Section 3.3.1 counts from the initial sequence number; Linux counts
// from the end of the data in the SYN.
func (s *Subflow) wireSSN(from Side, wire uint32) seq.SSN {
	return seq.Unwrap(seq.Wire(wire)+s.dirs[from].ssnBase, 0, s.Senders[from].SndNxt())
}

// checkSSNBase looks at the first mapping of a subflow with data in its SYN. The sender
// counts from the initial sequence number if the mapping covers the payload of its
// packet only by that count.
func (s *Subflow) checkSSNBase(p *Packet, wire uint32, length int64) {
	base := s.dirs[p.From].ssnBase
	if r := p.TCP.Sent.Range; base != 0 && !s.Spaces[p.From].Mapped() && !r.Empty() && length > 0 {
		covers := func(at seq.SSN) bool { return at <= r.Start && r.End <= at+seq.SSN(length) }
		if at := s.wireSSN(p.From, wire); !covers(at) && covers(at-seq.SSN(base)) {
			s.dirs[p.From].ssnBase = 0
		}
	}
}
