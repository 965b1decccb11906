package tcptrace

import (
	"strconv"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// y returns a sequence number as a coordinate.
func y(n seq.Wire) int64 { return int64(n) }

// packet draws the data and the flags of a packet. It is called before window and ACK are counted.
func (g *pairGraphs) packet(p *Pair, st *packetState) {
	mine, theirs := &g.sides[st.from], &g.sides[1-st.from]
	mine.throughput(p, st)
	mine.segmentSize(st)
	if st.rtt > 0 {
		theirs.sample(st.now, st.rtt)
	}
	mine.annotate(st)
	switch s := st.s; {
	case st.has(packet.SYN):
		mine.syn(p, st)
	case st.has(packet.FIN):
		mine.fin(st)
	case s.PayloadLen > 0:
		mine.segment(st)
	default: // a pure ACK: an X
		mine.tsg.object("darrow", "", st.now, y(st.start))
		mine.tsg.object("uarrow", "", st.now, y(st.start))
	}
	mine.congestion(st)
	g.line.packet(p, st)
	if st.has(packet.URG) && st.s.PayloadLen > 0 {
		mine.tsg.colour(red)
		mine.tsg.text("atext", "", st.now, y(st.end), "U")
	}
	if st.has(packet.RST) {
		at := st.before.ack
		if st.has(packet.ACK) {
			at = st.s.Ack
		}
		theirs.tsg.text("atext", magenta, st.now, y(at), "RST_IN")
		mine.tsg.text("atext", magenta, st.now, y(st.start), "RST_OUT")
	}
}

// congestion marks two kinds of packets (RFC 3168): packets with the flag CWR, whose sender has
// reduced its congestion window, and packets that a router marked CE.
func (s *sideGraphs) congestion(st *packetState) {
	var words string
	switch cwr := st.has(packet.CWR); {
	case cwr && st.s.CE:
		words = "CWR CE"
	case cwr:
		words = "CWR"
	case st.s.CE:
		words = "CE"
	default:
		return
	}
	s.tsg.colour(yellow)
	s.tsg.object("diamond", "", st.now, y(st.start))
	s.tsg.text("atext", "", st.now, y(st.start), words)
}

// annotate writes letters at packets that are out of order, sent again or window probes. Then it
// sets the colour for the packet.
func (s *sideGraphs) annotate(st *packetState) {
	if st.sent.outOfOrder {
		s.tsg.colour(pink)
		s.tsg.text("atext", "", st.now, y(st.end), "O")
	}
	if st.again() && !st.has(packet.SYN|packet.FIN) {
		word := "R"
		if st.dup {
			word = "HD"
		}
		s.tsg.colour(red)
		s.tsg.text("atext", "", st.now, y(st.end), word)
	}
	if st.probe {
		s.tsg.colour(orange)
		s.tsg.text("btext", "", st.now, y(st.end), "P")
	}
	s.tsg.colour(white)
}

// control returns the colour and the text of a SYN or FIN.
func (st *packetState) control(word string) (colour, text string) {
	switch {
	case st.dup:
		return blue, "HD " + word
	case st.again():
		return red, "R " + word
	}
	return orange, word
}

func (s *sideGraphs) syn(p *Pair, st *packetState) {
	colour, word := st.control("SYN")
	if st.has(packet.ACK) { // both graphs then begin at the same time
		s.tsg.object("dot", green, p.First, y(st.start))
	}
	s.tsg.colour(colour)
	s.tsg.object("diamond", "", st.now, y(st.start))
	s.tsg.text("atext", "", st.now, y(st.start+1), word)
	s.tsg.object("uarrow", "", st.now, y(st.start+1))
	s.tsg.object("line", "", st.now, y(st.start), st.now, y(st.start+1))
}

func (s *sideGraphs) fin(st *packetState) {
	colour, word := st.control("FIN")
	if st.s.PayloadLen > 0 {
		s.tsg.object("darrow", "", st.now, y(st.start))
		s.tsg.object("line", "", st.now, y(st.start), st.now, y(st.end))
		s.tsg.colour(colour)
	} else {
		s.tsg.colour(colour)
		s.tsg.object("darrow", "", st.now, y(st.end))
	}
	s.tsg.object("line", "", st.now, y(st.end), st.now, y(st.end+1))
	s.tsg.object("box", "", st.now, y(st.end+1))
	s.tsg.text("atext", "", st.now, y(st.end+1), word)
}

func (s *sideGraphs) segment(st *packetState) {
	switch {
	case st.dup:
		s.tsg.colour(blue)
	case st.again():
		s.tsg.colour(red)
	}
	s.tsg.object("darrow", "", st.now, y(st.start))
	if st.has(packet.PSH) {
		s.tsg.object("diamond", white, st.now, y(st.end))
		s.tsg.object("dot", white, st.now, y(st.end))
	} else {
		s.tsg.object("uarrow", "", st.now, y(st.end))
	}
	s.tsg.object("line", "", st.now, y(st.start), st.now, y(st.end))
}

// counted draws the ACK and the window of a packet without RST in the graph of the other
// direction, and outstanding data in its own.
func (g *pairGraphs) counted(p *Pair, st *packetState) {
	mine, theirs := &g.sides[st.from], &g.sides[1-st.from]
	if st.has(packet.ACK) {
		theirs.acknowledged(st)
	}
	if st.sampled {
		mine.outstanding(p, st)
	}
}

func (s *sideGraphs) acknowledged(st *packetState) {
	ack, end := st.s.Ack, st.s.Ack+seq.Wire(st.window)
	if st.window == 0 {
		s.tsg.text("atext", magenta, st.now, y(end), "Z")
	}
	if s.acked {
		s.steps(st, ack, end)
	}
	if st.s.NSACK > 0 {
		s.sacks(st)
	}
	s.acked, s.ackedAt = true, st.now
}

// steps draws the lines of ACK and window from the latest ACK to this one.
func (s *sideGraphs) steps(st *packetState, ack, end seq.Wire) {
	was := st.before
	s.tsg.colour(green)
	s.tsg.object("line", "", s.ackedAt, y(was.ack), st.now, y(was.ack))
	if was.ack != ack {
		s.tsg.object("line", "", st.now, y(was.ack), st.now, y(ack))
	} else {
		s.tsg.object("dtick", "", st.now, y(ack))
		if st.ack == ackTriple {
			s.tsg.text("atext", "", st.now, y(ack), "3")
		}
	}
	if st.has(packet.ECE) && !st.has(packet.SYN) {
		s.tsg.colour(yellow)
		s.tsg.object("diamond", "", st.now, y(ack))
	}
	s.tsg.colour(yellow)
	s.tsg.object("line", "", s.ackedAt, y(was.end), st.now, y(was.end))
	if was.end != end {
		s.tsg.object("line", "", st.now, y(was.end), st.now, y(end))
	} else {
		s.tsg.object("utick", "", st.now, y(end))
	}
}

func (s *sideGraphs) sacks(st *packetState) {
	blocks := st.s.SACK[:min(int(st.s.NSACK), len(st.s.SACK))]
	top := blocks[0].Right
	s.tsg.colour(purple)
	for i, b := range blocks {
		s.tsg.object("line", "", st.now, y(b.Left), st.now, y(b.Right))
		s.tsg.object("htick", "", st.now, y(b.Left))
		s.tsg.object("htick", "", st.now, y(b.Right))
		if len(blocks) > 1 {
			s.tsg.text("rtext", "", st.now, y(b.Right), strconv.Itoa(i+1))
		}
		if top.Less(b.Right) {
			top = b.Right
		}
	}
	s.tsg.text("atext", "", st.now, y(top), "S")
}
