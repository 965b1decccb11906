package tcptrace

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Pair is a TCP connection as tcptrace sees it. Ends and Dirs are by who was
// seen to send: 0 is the sender of the first packet, tcptrace's host a.
type Pair struct {
	Packet      uint64 // number of its first packet
	Ends        [2]packet.Endpoint
	IPv6        bool
	First, Last int64 // times of its first and last packet, us since the Unix epoch
	Dirs        [2]Direction

	graphs *pairGraphs // nil where nothing is drawn
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

// step is one packet on its way through the steps below, which follow the
// order in which tcptrace takes a packet: much of what it counts depends on it.
type step struct {
	s          *packet.Segment
	now        int64 // us
	me, peer   *Direction
	from       int
	start, end seq.Wire // of the payload
	win        int64    // scaled
	had        window   // before this packet
	sent       sent
	dup, probe bool
	ack        ackKind
	rtt        int64 // sample of what the peer sent, us; 0 = none
	sampled    bool  // of what is outstanding
}

// window is what an end said last of what it takes.
type window struct {
	ack, end seq.Wire
}

// again reports whether any of the packet was sent before.
func (st *step) again() bool { return st.sent.again > 0 }

func (st *step) has(f packet.Flags) bool { return st.s.Flags&f != 0 }

// take counts one packet of side from.
func (p *Pair) take(s *packet.Segment, from int) {
	st := step{s: s, now: s.Time / 1000, me: &p.Dirs[from], peer: &p.Dirs[1-from], from: from, start: s.Seq, end: s.Seq + seq.Wire(s.PayloadLen)}
	p.seen(s, st.now)
	me := st.me
	st.had = window{ack: me.ack, end: me.windowEnd}
	st.flags()
	st.window()
	if me.Packets > 0 {
		me.MaxIdle = max(me.MaxIdle, elapsed(me.last, st.now))
	}
	me.last = st.now
	me.visit(st.start, st.end)
	st.marks()
	st.options()
	st.data()
	me.Packets++
	if me.winScaled {
		me.winPkts++
	}
	me.latest = st.end
	if st.dup = !s.IPv6 && me.dups.has(s.Seq, s.IPID); st.dup {
		me.HardwareDups++
	}
	st.transmission()
	st.acknowledgment()
	if st.again() {
		me.RexmtPkts++
		me.RexmtBytes += st.sent.again
	}
	if p.graphs != nil {
		p.graphs.packet(p, &st)
	}
	if st.has(packet.RST) { // what it says of window and ACK is not counted
		if st.has(packet.ACK) {
			me.AckPkts++
		}
		return
	}
	st.windows()
	if st.has(packet.ACK) {
		st.ackCounts()
	}
	st.initial()
	st.outstanding(p)
	if p.graphs != nil {
		p.graphs.counted(p, &st)
	}
}

// seen notes times, and the ends with the first packet.
func (p *Pair) seen(s *packet.Segment, now int64) {
	if p.Packet == 0 {
		p.Packet, p.First, p.IPv6 = s.Num, now, s.IPv6
		p.Ends = [2]packet.Endpoint{s.Src, s.Dst}
	}
	p.Last = now
}
