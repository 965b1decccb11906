package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// FastPathOK reports whether the handshake is over and neither end has begun to close.
// Only a packet that [Direction.IsExpected] refuses can change that.
func (f *Flow) FastPathOK() bool { return f.fastPathOK }

// IsExpected reports whether packet s of the direction can take the fast path, given
// [Flow.FastPathOK]: it belongs to neither a handshake nor an end, and its sequence
// number is SND.NXT. So it is no stray, no probe and no retransmission, and neither
// opens nor fills a hole.
func (d *Direction) IsExpected(s *packet.Segment) bool {
	return s.Flags&(packet.SYN|packet.FIN|packet.RST|packet.ACK) == packet.ACK &&
		s.Window != 0 && uint32(s.Seq-d.snd.isn) == uint32(d.snd.sndNxt)
}

// ExpectedData is the fast path of [Direction.Packet] for an expected packet with
// payload whose options were captured whole; [Direction.ExpectedACK] is the one for
// packets without payload.
func (d *Direction) ExpectedData(s *packet.Segment, p *Packet) {
	if !d.fastData(s, p) {
		d.slowData(s, p)
	}
}

// fastData does what slowData does for nearly all payload. The packet has at most one
// full segment, the same timestamps as the payload before, and no new acknowledgment;
// and the silence before it is not the longest so far. For any other packet, or if the
// queue has to grow, it returns false and changes nothing.
func (d *Direction) fastData(s *packet.Segment, p *Packet) bool {
	snd, peer := d.snd, d.peer
	n := seq.SSN(s.PayloadLen)
	if uint64(s.Time-snd.lastTime) > uint64(snd.MaxIdle) || timestampsOf(s) != snd.lastTimestamps || s.OptLen+1 != snd.segOptLen ||
		int64(n) > snd.segBytes || s.Ack != peer.isn+seq.Wire(peer.sndUna) || s.NSACK != 0 || !snd.rtxQueue.hasRoom() {
		return false
	}
	r := seq.Range[seq.SSN]{Start: snd.sndNxt, End: snd.sndNxt + n}
	snd.rtxQueue.pushInPlace(r, s.Time, snd.segBytes)
	snd.sndNxt, snd.lastTime, snd.LastData, snd.window = r.End, s.Time, s.Time, windowPlusOne(s.Window)
	snd.latestNew = stampOf(s)
	snd.Packets++
	snd.CapturedSegments++
	snd.Segments++
	snd.Bytes += int64(n)
	p.FarHalfRTT = 0
	p.Sent.resetTo(r)
	p.Sent.Segments = 1
	p.Ack.resetNothingNew()
	return true
}

// slowData is ExpectedData for any expected packet with payload.
func (d *Direction) slowData(s *packet.Segment, p *Packet) {
	snd, peer := d.snd, d.peer
	p.FarHalfRTT = 0
	p.Sent.resetTo(seq.Range[seq.SSN]{Start: snd.sndNxt, End: snd.sndNxt + seq.SSN(s.PayloadLen)})
	if !snd.timeChangesNothing(s) {
		snd.noteTime(s)
	}
	snd.Packets++
	snd.lastTime = s.Time
	if snd.isEchoNew(s) {
		p.FarHalfRTT = snd.farHalfRTT(s, peer, snd.LastData)
	}
	snd.appendData(s, &p.Sent)
	snd.lastTimestamps = timestampsOf(s)
	snd.window = windowPlusOne(s.Window)
	snd.SACKBlocks += int64(s.NSACK)
	if ack := peer.ssn(s.Ack); ack <= peer.sndUna && s.NSACK == 0 {
		p.Ack.resetNothingNew()
	} else {
		peer.ackExpected(s, ack, &p.Ack)
	}
}

// ExpectedACK is the fast path of [Direction.Packet] for an expected packet without
// payload.
func (d *Direction) ExpectedACK(s *packet.Segment, newDataAck bool, p *Packet) {
	snd, peer := d.snd, d.peer
	p.FarHalfRTT = 0
	p.Sent.resetTo(seq.Range[seq.SSN]{Start: snd.sndNxt, End: snd.sndNxt})
	if !snd.timeChangesNothing(s) {
		snd.noteTime(s)
	}
	snd.Packets++
	snd.PureACKs++
	snd.lastTime = s.Time
	ack, window := peer.ssn(s.Ack), windowPlusOne(s.Window)
	if ack == peer.sndUna && !newDataAck && window == snd.window && peer.mayBeDupACK(s) {
		countDupACK(snd, peer)
	}
	snd.window = window
	if ack <= peer.sndUna && s.NSACK == 0 {
		p.Ack.resetNothingNew()
		return
	}
	snd.SACKBlocks += int64(s.NSACK)
	if ack != peer.sndUna || !peer.sackFast(s, &p.Ack) {
		peer.ackExpected(s, ack, &p.Ack)
	}
}

// ackExpected takes the acknowledgment of an expected packet that has SACK blocks or
// acknowledges more than SND.UNA.
func (snd *Sender) ackExpected(s *packet.Segment, ack seq.SSN, out *Ack) {
	switch {
	case snd.isStray(ack):
		out.resetNothingNew()
	case s.NSACK > 0 || !snd.ackFast(s, ack, out):
		snd.ackSlow(s, ack, out)
	}
}
