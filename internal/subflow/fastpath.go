package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// FastPathOK reports whether the handshake is over and neither end has begun to close.
// Only a packet that [SubflowDir.IsExpected] refuses can change that.
func (f *Flow) FastPathOK() bool { return f.fastPathOK }

// IsExpected reports whether packet s of the direction can take the fast path, given
// [Flow.FastPathOK]: it belongs to neither a handshake nor an end, and its sequence
// number is SND.NXT. So it is no stray, no probe and no retransmission, and neither
// opens nor fills a hole.
func (d *SubflowDir) IsExpected(s *packet.Segment) bool {
	return s.Flags&(packet.SYN|packet.FIN|packet.RST|packet.ACK) == packet.ACK &&
		s.Window != 0 && uint32(s.Seq-d.snd.isn) == uint32(d.snd.sndNxt)
}

// ExpectedData is the fast path of [SubflowDir.Packet] for an expected packet with
// payload whose options were captured whole; [SubflowDir.ExpectedACK] is the one for
// packets without payload. Of p.Sent both set the range, and ExpectedData the segments,
// which are valid only with payload. The rest has to be clear, as it is where p is used
// for nothing else.
func (d *SubflowDir) ExpectedData(s *packet.Segment, p *Packet) {
	snd, peer := d.snd, d.peer
	p.FarHalfRTT = 0
	if !snd.isLikeLast(s) {
		d.noteChange(s, p)
	}
	bytes := int64(s.PayloadLen)
	n := segments(bytes, snd.segBytes)
	p.Sent.Segments = n
	snd.Segments += n
	snd.Bytes += bytes
	snd.Packets++
	snd.CapturedSegments++
	snd.latestNew = stampOf(s)
	snd.lastTime, snd.LastData, snd.window, snd.hasWindow = s.Time, s.Time, s.Window, true
	r := seq.Range[seq.SSN]{Start: snd.sndNxt, End: snd.sndNxt + seq.SSN(bytes)}
	p.Sent.Range.Start, p.Sent.Range.End = r.Start, r.End
	snd.sndNxt = r.End
	snd.rtxQueue.push(r, s.Time, snd.segBytes)
	if s.Ack == peer.isn+seq.Wire(peer.sndUna) && s.NSACK == 0 { // as nearly always
		peer.noSACK(s)
		p.Ack.resetNothingNew()
		return
	}
	snd.SACKBlocks += int64(s.NSACK)
	peer.ackExpected(s, peer.ssn(s.Ack), &p.Ack)
}

// isLikeLast reports whether a packet with payload follows no new longest silence, and has
// the timestamps and the length of options that were noted last. Such a packet says
// nothing beside its data and its acknowledgment.
func (snd *Sender) isLikeLast(s *packet.Segment) bool {
	return uint64(s.Time-snd.lastTime) <= uint64(snd.MaxIdle) && timestampsOf(s) == snd.lastTimestamps && s.HeaderLen() == int(snd.segHeaderLen)
}

// noteChange notes what is new beside the data of an expected packet.
func (d *SubflowDir) noteChange(s *packet.Segment, p *Packet) {
	snd := d.snd
	if !snd.timeChangesNothing(s) {
		snd.noteTime(s)
	}
	if snd.isEchoNew(s) {
		p.FarHalfRTT = snd.farHalfRTT(s, d.peer, snd.LastData)
	}
	if s.HeaderLen() != int(snd.segHeaderLen) {
		snd.measureSegment(s)
	}
	snd.lastTimestamps = timestampsOf(s)
}

// ExpectedACK is the fast path of [SubflowDir.Packet] for an expected packet without
// payload.
func (d *SubflowDir) ExpectedACK(s *packet.Segment, dataAckAdvances bool, p *Packet) {
	snd, peer := d.snd, d.peer
	p.FarHalfRTT = 0
	p.Sent.Range.Start, p.Sent.Range.End = snd.sndNxt, snd.sndNxt
	if !snd.timeChangesNothing(s) {
		snd.noteTime(s)
	}
	snd.Packets++
	snd.PureACKs++
	snd.lastTime = s.Time
	ack := peer.ssn(s.Ack)
	if ack == peer.sndUna && !dataAckAdvances && snd.sameWindow(s) {
		snd.repeated(s, peer)
	}
	snd.window, snd.hasWindow = s.Window, true
	snd.SACKBlocks += int64(s.NSACK)
	peer.ackExpected(s, ack, &p.Ack)
}

// ackExpected takes the acknowledgment of an expected packet.
func (snd *Sender) ackExpected(s *packet.Segment, ack seq.SSN, out *Ack) {
	switch {
	case ack <= snd.sndUna && s.NSACK == 0 || snd.isStray(ack):
		snd.noSACK(s)
		out.resetNothingNew()
	case s.NSACK > 0 || !snd.ackFast(s, ack, out):
		snd.ackSlow(s, ack, out)
	}
}
