package tcptrace

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// countFlags counts control bits.
func (st *packetState) countFlags() {
	if st.has(packet.SYN) {
		st.me.SYNs++
	}
	if st.has(packet.RST) {
		st.me.Resets++
	}
	if st.has(packet.FIN) {
		st.me.FINs++
	}
}

// scaleWindow sets the advertised window. It stays 0 if the packet has neither ACK nor SYN.
func (st *packetState) scaleWindow() {
	if !st.has(packet.ACK | packet.SYN) {
		return
	}
	st.window = int64(st.s.Window)
	if st.me.AskWS && st.peer.AskWS && !st.has(packet.SYN) {
		st.window <<= min(st.me.WindowScale, 31)
	}
}

// noteEnds stores where the stream begins and ends, and the right edge of the window.
func (st *packetState) noteEnds() {
	if st.has(packet.SYN) {
		st.me.syn = st.start
		st.peer.ack = st.start
	}
	if st.has(packet.FIN) {
		st.me.fin = st.end
	}
	if st.has(packet.ACK) {
		st.me.windowEnd = st.s.Ack + seq.Wire(st.window)
	}
}

// noteOptions stores MSS, window scale, and whether timestamps and SACK are used.
func (st *packetState) noteOptions() {
	s, me := st.s, st.me
	if s.Have&packet.HasMSS != 0 {
		me.MSS = int64(s.MSS)
	}
	if s.Have&packet.HasWScale != 0 {
		me.WindowScale, me.AskWS = s.WScale, true
	}
	if s.Have&packet.HasTimestamps != 0 {
		me.AskTS = true
	}
	if !st.has(packet.SYN) && !(me.AskWS && st.peer.AskWS) {
		me.WindowScale, st.peer.WindowScale = 0, 0
	}
	if s.Have&packet.HasSACKPermitted != 0 {
		me.AskSACK = true
	}
}

// countData counts payload.
func (st *packetState) countData() {
	n, me := int64(st.s.PayloadLen), st.me
	if n == 0 {
		return
	}
	if me.DataPkts == 0 {
		me.firstData, me.MinSegm = st.now, n
	}
	me.lastData = st.now
	me.DataPkts++
	me.DataBytes += n
	me.MaxSegm, me.MinSegm = max(me.MaxSegm, n), min(me.MinSegm, n)
	if st.has(packet.PSH) {
		me.Pushed++
	}
	if st.has(packet.URG) {
		me.UrgentPkts++
		me.UrgentBytes += int64(st.s.Urgent)
	}
	if missing := n - int64(st.s.Captured); missing > 0 {
		me.TruncatedBytes += missing
		me.TruncatedPkts++
	}
}

// addToSpace stores the sequence numbers of the packet, and counts data that was sent before. A
// packet that is sent although the window is 0 is a window probe.
func (st *packetState) addToSpace() {
	me, n := st.me, int64(st.s.PayloadLen)
	occupied := st.s.End() - st.s.Seq
	if occupied == 0 {
		return
	}
	if st.peer.lastWin == 0 && st.peer.Packets > 0 {
		st.probe = true
		me.ProbePkts++
		me.ProbeBytes += n
		return
	}
	st.sent = me.space.add(st.start, uint32(occupied), st.now, func(p *segment) { me.addRetransTime(p, st.now) })
	if st.sent.outOfOrder {
		me.OutOfOrder++
	}
	again := st.sent.resentBytes
	if st.has(packet.SYN) && me.SYNs > 1 {
		again--
	}
	if st.has(packet.FIN) && me.FINs > 1 {
		again--
	}
	me.UniqueBytes += max(0, n-again)
}

// takeAck counts what the packet acknowledges.
func (st *packetState) takeAck() {
	if !st.has(packet.ACK) {
		return
	}
	ack, peer := st.s.Ack, st.peer
	duplicate := ack == st.me.ack && st.s.PayloadLen == 0 && st.window == st.me.lastWin && peer.owinTotal > 0
	st.ack, st.rtt = peer.acked(ack, st.now, duplicate)
	if ack == peer.syn+1 && peer.SYNs == 1 {
		peer.RTT3WHS = peer.lastRTT
	}
}

// countWindow counts the advertised window. The first scaled window replaces all earlier ones.
func (st *packetState) countWindow() {
	me := st.me
	me.lastWin = st.window
	if !st.has(packet.ACK | packet.SYN) {
		return
	}
	me.MaxWin = max(me.MaxWin, st.window)
	switch {
	case st.window == 0:
	case me.AskWS && st.peer.AskWS && !st.has(packet.SYN) && !me.winScaled:
		me.winScaled = true
		me.MinWin, me.MaxWin, me.winTotal, me.winPkts = st.window, st.window, 0, 1
	case me.MinWin == 0 || st.window < me.MinWin:
		me.MinWin = st.window
	}
	me.winTotal += st.window
}

// countAck counts a packet with ACK and without RST.
func (st *packetState) countAck() {
	s, me := st.s, st.me
	if st.window == 0 {
		me.ZeroWins++
	}
	me.AckPkts++
	if s.PayloadLen == 0 && !st.has(packet.SYN|packet.FIN) {
		me.PureAcks++
	}
	if s.NSACK > 0 {
		me.SACKPkts++
		me.MaxSACKBlocks = max(me.MaxSACKBlocks, int64(s.NSACK))
		if isDSACK(s) {
			me.DSACKPkts++
		}
	}
	me.ack = s.Ack
}

// isDSACK reports whether the first SACK block reports duplicate data: it lies below the
// acknowledgment, or overlaps the second block (RFC 2883, Section 4).
func isDSACK(s *packet.Segment) bool {
	a, b := s.SACK[0], s.SACK[1]
	if !s.Ack.Less(a.Right) {
		return true
	}
	return s.NSACK > 1 && a.Left.Less(b.Right) && b.Left.Less(a.Right)
}

// countInitial counts the initial window: the data that is sent before the peer acknowledges
// any data.
func (st *packetState) countInitial() {
	if st.has(packet.ACK) && st.s.Ack != st.peer.syn+1 {
		st.peer.dataAcked = true
	}
	if st.s.PayloadLen > 0 && !st.me.dataAcked && !st.again() {
		st.me.InitialBytes += int64(st.s.PayloadLen)
		st.me.InitialPkts++
	}
}

// sampleOutstanding takes a sample of outstanding data at each packet that advances the stream.
// A sample is SND.NXT - SND.UNA of RFC 9293, plus 1.
func (st *packetState) sampleOutstanding(p *Pair) {
	if st.has(packet.SYN) || st.sent.outOfOrder || st.again() {
		return
	}
	st.sampled = true
	me, owin := st.me, int64(st.s.PayloadLen)
	if st.peer.ack != 0 {
		owin = max(0, int64(st.end.Sub(st.peer.ack-1)))
	}
	me.MaxOwin = max(me.MaxOwin, owin)
	if owin > 0 && (me.MinOwin == 0 || owin < me.MinOwin) {
		me.MinOwin = owin
	}
	me.owinTotal += owin
	if me.owinCount++; me.owinCount > 1 {
		me.owinWeighted += int64(float64(me.owinPrev) * (float64(elapsed(me.owinTime, p.Last)) / 1e6))
	}
	me.owinPrev, me.owinTime = owin, st.now
}
