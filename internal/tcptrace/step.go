package tcptrace

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// flags counts control bits.
func (st *step) flags() {
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

// window scales the advertised window. It is 0 where the packet has neither
// ACK nor SYN.
func (st *step) window() {
	if !st.has(packet.ACK | packet.SYN) {
		return
	}
	st.win = int64(st.s.Window)
	if st.me.AskWS && st.peer.AskWS && !st.has(packet.SYN) {
		st.win <<= min(st.me.WindowScale, 31)
	}
}

// marks notes where the stream begins and ends and where the window ends.
func (st *step) marks() {
	if st.has(packet.SYN) {
		st.me.syn = st.start
		st.peer.ack = st.start
	}
	if st.has(packet.FIN) {
		st.me.fin = st.end
	}
	if st.has(packet.ACK) {
		st.me.windowEnd = st.s.Ack + seq.Wire(st.win)
	}
}

// options takes what the options ask for.
func (st *step) options() {
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

// data counts payload.
func (st *step) data() {
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
	if missing := n - int64(len(st.s.Payload)); missing > 0 {
		me.TruncatedBytes += missing
		me.TruncatedPkts++
	}
}

// transmission enters what the packet occupies of the sequence space.
func (st *step) transmission() {
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
	st.sent = me.space.add(st.start, uint32(occupied), st.now, func(p *piece) { me.resent(p, st.now) })
	if st.sent.outOfOrder {
		me.OutOfOrder++
	}
	again := st.sent.again
	if st.has(packet.SYN) && me.SYNs > 1 {
		again--
	}
	if st.has(packet.FIN) && me.FINs > 1 {
		again--
	}
	me.UniqueBytes += max(0, n-again)
}

// acknowledgment takes what the packet acknowledges.
func (st *step) acknowledgment() {
	if !st.has(packet.ACK) {
		return
	}
	ack, peer := st.s.Ack, st.peer
	duplicate := ack == st.me.ack && st.s.PayloadLen == 0 && st.win == st.me.lastWin && peer.owinTotal > 0
	st.ack, st.rtt = peer.acked(ack, st.now, duplicate)
	if ack == peer.syn+1 && peer.SYNs == 1 {
		peer.RTT3WHS = peer.lastRTT
	}
}

// windows counts advertised windows. Those before the first scaled one are
// dropped.
func (st *step) windows() {
	me := st.me
	me.lastWin = st.win
	if !st.has(packet.ACK | packet.SYN) {
		return
	}
	me.MaxWin = max(me.MaxWin, st.win)
	switch {
	case st.win == 0:
	case me.AskWS && st.peer.AskWS && !st.has(packet.SYN) && !me.winScaled:
		me.winScaled = true
		me.MinWin, me.MaxWin, me.winTotal, me.winPkts = st.win, st.win, 0, 1
	case me.MinWin == 0 || st.win < me.MinWin:
		me.MinWin = st.win
	}
	me.winTotal += st.win
}

// ackCounts counts an ACK that is no RST.
func (st *step) ackCounts() {
	s, me := st.s, st.me
	if st.win == 0 {
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

// isDSACK reports whether the first SACK block tells of a duplicate: it lies
// below the acknowledgment, or overlaps the second block (RFC 2883, Section 4).
func isDSACK(s *packet.Segment) bool {
	a, b := s.SACK[0], s.SACK[1]
	if !s.Ack.Less(a.Right) {
		return true
	}
	return s.NSACK > 1 && a.Left.Less(b.Right) && b.Left.Less(a.Right)
}

// initial counts what is sent before the peer acknowledges any data.
func (st *step) initial() {
	if st.has(packet.ACK) && st.s.Ack != st.peer.syn+1 {
		st.peer.dataAcked = true
	}
	if st.s.PayloadLen > 0 && !st.me.dataAcked && !st.again() {
		st.me.InitialBytes += int64(st.s.PayloadLen)
		st.me.InitialPkts++
	}
}

// outstanding samples what is in flight, one more than RFC 9293's SND.NXT -
// SND.UNA, with each packet that brings the stream forward.
func (st *step) outstanding(p *Pair) {
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
