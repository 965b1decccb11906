package tcptrace

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Pair is a TCP connection as tcptrace sees it. In Ends and Dirs, index 0 is the sender of the
// first captured packet, which is tcptrace's host a.
type Pair struct {
	Packet      uint64 // number of its first packet
	Ends        [2]packet.Endpoint
	IPv6        bool
	First, Last int64 // times of its first and last packet, us
	Dirs        [2]SubflowDir

	graphs *pairGraphs // nil if no graphs are drawn
}

// Packets returns the number of packets of both directions.
func (p *Pair) packets() int64 { return p.Dirs[0].Packets + p.Dirs[1].Packets }

// reset reports whether either end sent a RST.
func (p *Pair) reset() bool { return p.Dirs[0].Resets+p.Dirs[1].Resets > 0 }

// closed reports whether both ends sent a FIN.
func (p *Pair) closed() bool { return p.Dirs[0].FINs > 0 && p.Dirs[1].FINs > 0 }

// complete reports whether both ends sent a SYN and a FIN.
func (p *Pair) complete() bool { return p.closed() && p.Dirs[0].SYNs > 0 && p.Dirs[1].SYNs > 0 }

// Elapsed returns the us from first to last packet.
func (p *Pair) elapsed() int64 { return elapsed(p.First, p.Last) }

// packetState is what is known about one packet while it is counted. Its methods are called in
// the order of tcptrace, because many counts depend on that order.
type packetState struct {
	s          *packet.Segment
	now        int64 // us
	me, peer   *SubflowDir
	from       int
	start, end seq.Wire   // of the payload
	window     int64      // scaled
	before     advertised // by the sender, before this packet
	sent       transmission
	dup, probe bool
	ack        ackKind
	rtt        int64 // round-trip sample of data that the peer sent, us; 0 for none
	sampled    bool  // outstanding data was sampled
}

// advertised is the latest ACK that an end sent, and the right edge of its window.
type advertised struct {
	ack, end seq.Wire
}

// again reports whether any byte of the packet was sent before.
func (st *packetState) again() bool { return st.sent.resentBytes > 0 }

func (st *packetState) has(f packet.Flags) bool { return st.s.Flags&f != 0 }

// add counts one packet that side from sent.
func (p *Pair) add(s *packet.Segment, from int) {
	var st packetState // field by field: a literal is made beside it and copied
	st.s, st.now, st.from = s, s.Time/1000, from
	st.me, st.peer = &p.Dirs[from], &p.Dirs[1-from]
	st.start, st.end = s.Seq, s.Seq+seq.Wire(s.PayloadLen)
	p.noteTimes(s, st.now)
	me := st.me
	st.before = advertised{ack: me.ack, end: me.windowEnd}
	st.countFlags()
	st.scaleWindow()
	if me.Packets > 0 {
		me.MaxIdle = max(me.MaxIdle, elapsed(me.last, st.now))
	}
	me.last = st.now
	me.visitQuadrants(st.start, st.end)
	st.noteEnds()
	st.noteOptions()
	st.countData()
	me.Packets++
	if me.winScaled {
		me.winPkts++
	}
	me.latest = st.end
	if st.dup = !s.IPv6 && me.dups.has(s.Seq, s.IPID); st.dup {
		me.HardwareDups++
	}
	st.addToSpace()
	st.takeAck()
	if st.again() {
		me.RexmtPkts++
		me.RexmtBytes += st.sent.resentBytes
	}
	if p.graphs != nil {
		p.graphs.packet(p, &st)
	}
	if st.has(packet.RST) { // tcptrace counts neither its window nor its ACK
		if st.has(packet.ACK) {
			me.AckPkts++
		}
		return
	}
	st.countWindow()
	if st.has(packet.ACK) {
		st.countAck()
	}
	st.countInitial()
	st.sampleOutstanding(p)
	if p.graphs != nil {
		p.graphs.counted(p, &st)
	}
}

// noteTimes stores the time of the packet. For the first packet it also stores number and ends.
func (p *Pair) noteTimes(s *packet.Segment, now int64) {
	if p.Packet == 0 {
		p.Packet, p.First, p.IPv6 = s.Num, now, s.IPv6
		p.Ends = [2]packet.Endpoint{s.Src, s.Dst}
	}
	p.Last = now
}
