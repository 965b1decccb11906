package pair

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// endConn is a connection as one capture shows it.
type endConn struct {
	conn.Nop
	pair     *Pair
	capture  *captureState
	end      End
	conn     *conn.Conn
	dirs     []endSubflowDir // by [conn.SubflowDir.DirIndex]
	subflows []*endSubflow
	data     [2]*matchedDataDir // by the side that sends the data; nil while joint is
	joint    *connPair          // the pair with the same connection of the other capture; nil while it is not known
	early    earlyData          // data seen until joint is known
	closed   bool
}

// endSubflowDir is one direction of a subflow.
type endSubflowDir struct {
	matched *matchedSubflowDir // nil while the subflow's counterpart, or its place, is not known
	sender  *subflow.Sender
}

// endSubflow is a TCP connection as one capture shows it.
type endSubflow struct {
	*endConn
	sub      *conn.Subflow
	both     *subflowPair // the pair with the same subflow of the other capture; nil while it is not known
	held     []heldPacket // until the pair is resolved; bounded by maxHeld
	dropped  [2]int64     // by side: segments with payload among the packets that dropOlder dropped
	keys     []key        // the keys under which the index holds it
	nonces   [2]uint32    // of its MP_JOIN
	lookedUp bool         // the index was searched for it when its handshake was over
	closed   bool
}

// maxHeld bounds the packets of a subflow that wait for its counterpart. At the
// bound the older half is dropped: the other capture had not begun by then.
const maxHeld = 4096

// Subflow begins to follow a subflow.
func (w *endConn) Subflow(s *conn.Subflow) {
	w.subflows = append(w.subflows, &endSubflow{endConn: w, sub: s})
	w.dirs = append(w.dirs, endSubflowDir{sender: &s.Senders[conn.A]}, endSubflowDir{sender: &s.Senders[conn.B]})
}

// Packet takes a packet.
func (w *endConn) Packet(p *conn.Packet) {
	c, now := w.capture, p.Seg.Time
	if c.first == 0 {
		c.first = now
	}
	c.last = max(c.last, now)
	w.pair.sweep()
	if p.TCP.Sent.Stray {
		return
	}
	if d := w.dirs[p.DirIndex]; d.matched == nil {
		w.hold(p, d.sender)
	} else {
		d.matched.take(p.Seg, w.end, d.sender.SegmentBytes(), dataAck(p), isProbe(p))
	}
	if len(p.Pieces)+len(p.InOrder) > 0 {
		w.takeData(p)
	}
}

// Close takes the end of the connection in this capture.
func (w *endConn) Close(int64) {
	for _, f := range w.subflows {
		f.closed = true
		if f.both == nil {
			w.pair.lookUp(f)
		}
		switch {
		case f.both == nil:
			w.pair.keepClosed(f)
		case f.both.ends[w.end.Other()].closed:
			f.both.finish()
		}
	}
	w.closed = true
	delete(w.pair.open, w.conn)
	if w.joint != nil {
		w.joint.finish()
	} else if w.neverPaired() {
		w.emitAlone()
	}
}

// neverPaired reports whether no subflow of a connection that is over has a
// counterpart.
func (w *endConn) neverPaired() bool {
	return !slices.ContainsFunc(w.subflows, func(f *endSubflow) bool { return f.both != nil })
}

// hold keeps a packet of a subflow whose counterpart, or its place, is not known
// yet, and looks for these.
func (w *endConn) hold(p *conn.Packet, sender *subflow.Sender) {
	f := w.subflows[p.Sub.ID]
	if len(f.held) >= maxHeld {
		f.dropOlder()
	}
	f.held = append(f.held, newHeld(p, w.end, sender))
	if f.both == nil {
		w.pair.findCounterpart(f, p.Seg)
	}
	if f.both != nil {
		f.both.resolve(false)
	}
}

// dropOlder drops the older half of the held packets.
func (f *endSubflow) dropOlder() {
	for i := range f.held[:maxHeld/2] {
		if h := &f.held[i]; h.length > 0 {
			f.dropped[h.from] += segments(int64(h.length), int64(h.segmentBytes))
		}
	}
	f.held = f.held[:copy(f.held, f.held[maxHeld/2:])]
}

// matched returns the direction whose data side from sends; nil while the
// counterpart is not known.
func (f *endSubflow) matched(from conn.Side) *matchedSubflowDir {
	if f.both == nil {
		return nil
	}
	return &f.both.dirs[f.both.side(f.end, from)]
}

func (f *endSubflow) id() SubflowID {
	return SubflowID{Conn: f.conn.Order, Sub: f.sub.ID, Ends: f.sub.Ends}
}

// heldPacket holds the fields of a packet that matching needs while the packet
// waits. It is small, as many packets may wait.
type heldPacket struct {
	time         int64
	num          uint64
	seq, ack     seq.Wire
	sack         seq.Wire // left edge of the first SACK block; 0 = none
	tsval, tsecr uint32
	length       uint32 // of the payload
	dataAck      uint32
	have         packet.Present
	window       uint16
	ipid         uint16
	segmentBytes uint16
	flags        packet.Flags
	optLen       uint8
	otherLen     uint8 // length of the MPTCP options other than DSS
	at           End
	from         conn.Side
	probe        bool
}

// newHeld keeps a packet of a capture, of the given sender.
func newHeld(p *conn.Packet, at End, sender *subflow.Sender) heldPacket {
	s := p.Seg
	return heldPacket{
		time: s.Time, num: s.Num, seq: s.Seq, ack: s.Ack, sack: s.SACK[0].Left, // 0 where no block is
		tsval: s.TSVal, tsecr: s.TSEcr, length: s.PayloadLen, dataAck: dataAck(p), have: s.Have, window: s.Window,
		ipid: s.IPID, segmentBytes: uint16(sender.SegmentBytes()), flags: s.Flags, optLen: s.OptLen, otherLen: s.OtherLen,
		at: at, from: p.From, probe: isProbe(p),
	}
}

// fill fills s as far as it was kept.
func (h *heldPacket) fill(s *packet.Segment) {
	s.Time, s.Num, s.Seq, s.Ack, s.SACK[0].Left, s.TSVal, s.TSEcr = h.time, h.num, h.seq, h.ack, h.sack, h.tsval, h.tsecr
	s.PayloadLen, s.Have, s.Window, s.IPID, s.Flags, s.OptLen, s.OtherLen = h.length, h.have, h.window, h.ipid, h.flags, h.optLen, h.otherLen
}

// hasTimestamps reports whether the packet has TCP timestamps.
func (h *heldPacket) hasTimestamps() bool { return h.have&packet.HasTimestamps != 0 }

// fingerprint returns fields that the same packet has in both captures.
func (h *heldPacket) fingerprint() [4]uint32 {
	return [4]uint32{uint32(h.seq), uint32(h.ack), h.length<<8 | uint32(h.flags), h.tsval}
}

// dataAck returns the low 32 bits of a packet's DATA_ACK; 0 where it has none.
func dataAck(p *conn.Packet) (low uint32) {
	if p.HasDataAck {
		low = uint32(p.Seg.DSS.DataAck)
	}
	return low
}

// isProbe reports whether a packet has no payload or only payload that is no
// part of the stream.
func isProbe(p *conn.Packet) bool { return p.TCP.Sent.Range.Empty() }

// hasTimestamps reports whether a packet has TCP timestamps.
func hasTimestamps(s *packet.Segment) bool { return s.Have&packet.HasTimestamps != 0 }
