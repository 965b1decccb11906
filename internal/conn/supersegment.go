package conn

import (
	"math"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// SegmentObserver is an [Observer] that gets, in the place of a packet that stands for several
// segments, each of these, at its time. A host with segmentation offload captures such packets of
// up to 64 KiB, before its network card cuts them or after it has put them together.
type SegmentObserver interface {
	Observer
	BySegment()
}

// minMSS is the least MSS by which packets are cut (TCP_MIN_MSS of Linux), so that parts stay few.
const minMSS = 88

// mostSent returns the most bytes of TCP options and payload that a segment of side from has: the
// MSS of the other end. It is very large where that is not known: no packet is cut then.
func (s *Subflow) mostSent(from Side) uint32 {
	if mss := s.Senders[from].MSS(); mss >= minMSS {
		return uint32(mss)
	}
	return math.MaxUint32
}

// isSuper reports whether a packet stands for several segments. The payload of a SYN or a RST
// does not follow that of other packets.
func (d *SubflowDir) isSuper(s *packet.Segment) bool {
	return s.PayloadLen+uint32(s.OptLen) > d.mostSent && s.Flags&(packet.SYN|packet.RST) == 0
}

// superSegment is such a packet. As an observer of its connection it passes each segment on to
// those that want segments, and puts together what the others get.
type superSegment struct {
	observers                // those that get each segment
	others    observers      // those that get the packet
	segment   packet.Segment // the one that is processed
	packet    Packet         // for others; without Seg before the first segment
	mapping   Mapping        // of packet
}

// inSegments has each segment processed that packet s of direction d stands for. Counters of
// packets count it once.
func (p *Packet) inSegments(s *packet.Segment, d *SubflowDir, process func(*packet.Segment)) {
	if p.super == nil {
		p.super = new(superSegment)
	}
	x, sent := p.super, &d.tcp.Sender().Counters
	// The sender's own MSS shows the MTU of its interface (RFC 9293, Section 3.7.1).
	size := min(d.mostSent, d.Sub.mostSent(d.From.Other())) - uint32(s.OptLen)
	x.choose(d.Conn.observer)
	d.observer = x
	var counted subflow.Counters
	for at := uint32(0); at < s.PayloadLen; at += size {
		x.segment.SetPart(s, at, min(size, s.PayloadLen-at))
		if process(&x.segment); at == 0 {
			counted = *sent
		}
		sent.Packets, sent.CapturedSegments, sent.OptionsCut = counted.Packets, counted.CapturedSegments, counted.OptionsCut
	}
	d.observer = d.Conn.observer // none if the connection has ended
	if w := &x.packet; w.Seg != nil {
		w.Seg = s
		x.others.Packet(w)
		w.Seg = nil
	}
}

// choose finds out what the observers of a connection get.
func (x *superSegment) choose(observer Observer) {
	all, several := observer.(observers)
	if !several {
		all = observers{observer}
	}
	x.observers, x.others = x.observers[:0], x.others[:0]
	for _, o := range all {
		list := &x.others
		if _, ok := o.(SegmentObserver); ok {
			list = &x.observers
		}
		*list = append(*list, o)
	}
}

// Packet takes a segment.
func (x *superSegment) Packet(p *Packet) {
	x.observers.Packet(p)
	if len(x.others) == 0 {
		return
	}
	w, sent := &x.packet, &p.TCP.Sent
	all := &w.TCP.Sent
	if w.Seg == nil { // no later segment acknowledges anything new
		parts := all.Parts[:0]
		*w = *p
		w.Result, all.Parts, all.Segments = dss.Result{}, parts, 0
		if p.Mapping != nil {
			x.mapping = *p.Mapping
			w.Mapping = &x.mapping
		}
	}
	all.Range.End = sent.Range.End
	all.Segments += sent.Segments
	if all.Parts = append(all.Parts, sent.Parts...); len(sent.Parts) == 0 {
		all.Parts = append(all.Parts, subflow.Part{Range: sent.Range, Kind: subflow.New})
	}
	w.Result.Join(&p.Result)
}
