package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Sent is what a packet adds to the stream of its sender.
type Sent struct {
	Range        seq.Range[seq.SSN] // the payload's position; empty without payload
	Parts        []Part             // the payload by kind, ascending; empty if all of it continues the stream; valid until the next packet
	Segments     int64              // number of segments that the payload counts as; valid with payload
	NewFIN       bool               // the stream's FIN, for the first time
	Stray        bool               // the sequence number is too far from the window: the packet is only counted in Strays
	WindowClosed bool               // the sender of the packet closed its receive window
	Effect       Effect             // of a RST
	Found        []Gap              // parts of the stream that were acknowledged before they were captured: see [Ack]; bounded by the holes; valid until the next packet

	probe bool // a keep-alive or window probe
}

// HasNew reports whether any of the payload is new to the subflow.
func (o *Sent) HasNew() bool {
	if len(o.Parts) == 0 { // nearly always
		return !o.Range.Empty()
	}
	for i := range o.Parts {
		if o.Parts[i].Kind == New {
			return true
		}
	}
	return false
}

// reset clears o but keeps its memory.
func (o *Sent) reset() {
	o.Range = seq.Range[seq.SSN]{}
	o.Parts, o.Found = o.Parts[:0], o.Found[:0]
	o.NewFIN, o.Stray, o.WindowClosed, o.probe, o.Effect = false, false, false, false, EffectUnknown
}

// send takes one packet of this direction and fills out. [Sender.processAck] of the
// other direction takes its acknowledgment.
func (snd *Sender) send(s *packet.Segment, out *Sent) {
	out.reset()
	if s.Flags&packet.RST != 0 {
		snd.sendRST(s, out)
		return
	}
	syn := s.Flags&packet.SYN != 0
	if syn && !snd.processSYN(s) || !syn && snd.started && snd.isStray(snd.ssn(s.Seq)) {
		snd.Strays++
		out.Stray = true
		return
	}
	if !snd.started {
		snd.start(s.Seq - 1)
	}
	snd.countPacket(s)
	out.WindowClosed = !syn && snd.noteWindow(s)
	start := seq.SSN(1)
	if !syn {
		start = snd.ssn(s.Seq)
	}
	if s.PayloadLen == 0 && s.Flags&(packet.SYN|packet.FIN|packet.ACK) == packet.ACK {
		snd.PureACKs++
	}
	if snd.isProbe(s, start) {
		snd.KeepAlives++
		out.probe = true
		out.Range = seq.Range[seq.SSN]{Start: start, End: start}
		return
	}
	end := start + seq.SSN(s.PayloadLen)
	out.Range = seq.Range[seq.SSN]{Start: start, End: end}
	if s.PayloadLen > 0 {
		snd.placeData(s, out)
	}
	if s.Flags&packet.FIN != 0 {
		snd.sendFIN(end, s, out)
	}
}

// sendRST takes a RST. Its payload, if any, is a text with the reason and not a part of
// the stream (RFC 9293, Section 3.5.3). Its sequence number may belong to no position
// of this stream.
func (snd *Sender) sendRST(s *packet.Segment, out *Sent) {
	if snd.started && snd.isStray(snd.ssn(s.Seq)) {
		snd.Strays++
		out.Stray = true
		return
	}
	snd.countPacket(s)
	snd.Resets++
	if snd.started {
		at := snd.ssn(s.Seq)
		out.Range = seq.Range[seq.SSN]{Start: at, End: at}
	}
}

// countPacket counts a packet and its options.
func (snd *Sender) countPacket(s *packet.Segment) {
	snd.noteTime(s)
	snd.Packets++
	snd.lastTime = s.Time
	if s.Have&packet.OptionsCut != 0 && s.Flags&packet.SYN == 0 {
		snd.OptionsCut++
	}
	snd.SACKBlocks += int64(s.NSACK)
}

// timeChangesNothing reports whether [Sender.noteTime] would change nothing: the packet is
// not older than the one before, the gap between them is not the longest, and the
// timestamp is the same.
func (snd *Sender) timeChangesNothing(s *packet.Segment) bool {
	return uint64(s.Time-snd.lastTime) <= uint64(snd.MaxIdle) && (snd.timestamps.repeats(s.TSVal) || s.Have&packet.HasTimestamps == 0)
}

// noteTime notes the time since the packet before and the timestamp.
func (snd *Sender) noteTime(s *packet.Segment) {
	idle := s.Time - snd.lastTime
	if idle > snd.MaxIdle && snd.Packets > 0 {
		snd.MaxIdle = idle
	}
	if idle < 0 {
		snd.latestTime = max(snd.latestTime, snd.lastTime)
	}
	if s.Have&packet.HasTimestamps != 0 {
		snd.timestamps.add(s.TSVal, s.Time)
		snd.hasTS = true
	}
}

// noteWindow takes the window and reports whether it closed.
func (snd *Sender) noteWindow(s *packet.Segment) (shut bool) {
	if shut = s.Window == 0 && (snd.window != 0 || !snd.hasWindow); shut {
		snd.ZeroWindows++
	}
	snd.window, snd.hasWindow = s.Window, true
	return shut
}

// processSYN takes the sequence number and the options of a SYN or SYN/ACK. It reports
// false if the other end has acknowledged another initial sequence number: then the
// packet belongs to another connection.
func (snd *Sender) processSYN(s *packet.Segment) bool {
	switch same := snd.isn == s.Seq; {
	case snd.started && snd.isnFromSYN && same:
		snd.SYNs++
		snd.markRetransmitted(seq.Range[seq.SSN]{Start: 0, End: 1}, s.Time)
		return true
	case snd.started && snd.isnFromSYN && snd.sndUna > 0:
		return false
	case snd.started && !same:
		snd.forgetPositions()
	}
	snd.SYNs++
	snd.latestNew, snd.opened = stampOf(s), s.Flags&packet.ACK == 0
	snd.isn, snd.started, snd.isnFromSYN = s.Seq, true, true
	snd.sndNxt = max(snd.sndNxt, 1)
	if snd.sndUna == 0 { // otherwise its acknowledgment was captured before it
		snd.rtxQueue.push(seq.Range[seq.SSN]{Start: 0, End: 1}, s.Time, 0)
	}
	snd.synCut = s.Have&packet.OptionsCut != 0
	snd.hasTS = s.Have&packet.HasTimestamps != 0
	snd.sackOK = s.Have&packet.HasSACKPermitted != 0
	snd.wscale, snd.hasWScale = 0, s.Have&packet.HasWScale != 0
	if snd.hasWScale {
		snd.wscale = s.WScale
	}
	return true
}

// minKeepAlive is in ns. A repetition of the last byte after a shorter silence is not a
// keep-alive, because the interval of keep-alives is set in whole seconds.
const minKeepAlive = 1e9

// isProbe reports whether a packet that begins at position start is a keep-alive or a
// window probe: it repeats the last byte acknowledged to
// make the other end answer (RFC 9293, Sections 3.8.4 and 3.8.6.1). Old stacks send a
// byte that is not part of the stream. Only the silence before it, with nothing outstanding, distinguishes it from
// a spurious retransmission of a single byte.
func (snd *Sender) isProbe(s *packet.Segment, start seq.SSN) bool {
	if start != snd.sndUna-1 || s.PayloadLen > 0 && snd.sndUna != snd.sndNxt || s.Flags&(packet.SYN|packet.FIN|packet.ACK) != packet.ACK {
		return false
	}
	return s.PayloadLen == 0 || s.PayloadLen == 1 && s.Time-snd.LastData >= minKeepAlive
}

// sendFIN takes the FIN, which has position at.
func (snd *Sender) sendFIN(at seq.SSN, s *packet.Segment, out *Sent) {
	snd.FINs++
	r := seq.Range[seq.SSN]{Start: at, End: at + 1}
	switch {
	case !snd.finSeen:
		snd.fin, snd.finSeen, out.NewFIN = at, true, true
		if at >= snd.sndNxt {
			if at > snd.sndNxt {
				snd.openHole(at, s)
			}
			snd.appendToStream(r, s, 0)
		}
	case at == snd.fin:
		snd.markRetransmitted(r, s.Time)
	}
}

// placeData counts and classifies a packet's payload.
func (snd *Sender) placeData(s *packet.Segment, out *Sent) {
	snd.countData(s)
	n := snd.segmentsOf(s)
	snd.Segments += n
	out.Segments = n
	if out.Range.Start < snd.sndNxt {
		snd.placeBelow(n, s, out)
		return
	}
	if out.Range.Start > snd.sndNxt {
		snd.openHole(out.Range.Start, s)
	}
	snd.appendToStream(out.Range, s, snd.segBytes)
}

// countData counts a packet with payload, but not its segments.
func (snd *Sender) countData(s *packet.Segment) {
	snd.CapturedSegments++
	snd.Bytes += int64(s.PayloadLen)
	snd.LastData = s.Time
}

// segmentsOf returns how many segments a packet with payload counts as.
func (snd *Sender) segmentsOf(s *packet.Segment) (n int64) {
	if s.HeaderLen() != int(snd.segHeaderLen) {
		snd.measureSegment(s)
	}
	return segments(int64(s.PayloadLen), snd.segBytes)
}

// measureSegment finds the size of a full segment beside the options of s. The first
// payload always comes here.
func (snd *Sender) measureSegment(s *packet.Segment) {
	if snd.FirstData == 0 {
		snd.FirstData = s.Time
	}
	mss := int64(snd.mss)
	if mss == 0 {
		mss = DefaultMSS
	}
	snd.segHeaderLen, snd.segBytes, snd.lastTimestamps = uint8(s.HeaderLen()), max(1, mss-int64(s.OptLen)), timestampsOf(s)
}
