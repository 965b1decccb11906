package tcptrace

import (
	"strconv"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// timeLine is the graph of the packets of a TCP connection as arrows between two
// vertical lines, one for each host. The first host is on the left, and time runs
// downwards. The capture shows the time of one end of an arrow; the other end is a
// third of the latest round-trip time away.
type timeLine struct {
	plot     *plot
	first    [2]seq.Wire // by sender: where relative sequence numbers begin; 0 until its first packet that is no SYN
	isn      [2]seq.Wire // by sender: sequence number of its first packet
	began    [2]bool
	labelBuf []byte // scratch
}

// The positions of the two lines on an axis from 0 to 100.
const (
	lineLeft  = 40
	lineRight = 60
)

func (l *timeLine) begin(dir *folder, name, title string) {
	l.plot = newPlot(dir, name+"_tline.xpl", "unsigned dtime", title+" (time line graph)", "segments", "relative time")
	l.plot.down("invisible", 0, 0)
	l.plot.down("invisible", 100, 0)
}

// packet draws a packet with its label.
func (l *timeLine) packet(p *Pair, st *packetState) {
	if !l.began[st.from] {
		l.began[st.from], l.isn[st.from] = true, st.start
	}
	third := st.me.lastRTT / 3
	here := elapsed(p.First, st.now)
	there, colour := here+third, green
	if st.from == 1 {
		there, colour = max(0, here-third), yellow
	}
	if st.has(packet.SYN | packet.FIN | packet.RST) {
		colour = orange
	}
	l.plot.down("line", lineLeft, 0, lineLeft, there)
	l.plot.down("line", lineRight, 0, lineRight, there)
	l.plot.colour(colour)
	if st.from == 0 {
		l.plot.down("line", lineLeft, here, lineRight, there)
		l.plot.down("rarrow", lineRight, there)
		l.plot.colour(white)
		l.plot.down("ltext", lineLeft, here)
	} else {
		l.plot.down("line", lineRight, there, lineLeft, here)
		l.plot.down("larrow", lineLeft, here)
		l.plot.colour(white)
		l.plot.down("rtext", lineRight, there)
	}
	l.label(st)
	l.plot.buf = append(l.plot.buf, l.labelBuf...)
	l.plot.line("")
	if l.first[st.from] == 0 && !st.has(packet.SYN) {
		l.first[st.from] = l.isn[st.from]
	}
}

// label makes the label of a packet: flags, numbers, window, and whether it was sent
// before.
func (l *timeLine) label(st *packetState) {
	b := l.labelBuf[:0]
	for _, f := range [...]struct {
		flag packet.Flags
		word string
	}{{packet.SYN, "SYN "}, {packet.FIN, "FIN "}, {packet.RST, "RST "}, {packet.PSH, "PSH "}, {packet.URG, "URG "}} {
		if st.has(f.flag) {
			b = append(b, f.word...)
		}
	}
	mine, theirs := l.first[st.from], l.first[1-st.from]
	b = strconv.AppendInt(b, y(st.start-mine), 10)
	b = strconv.AppendInt(append(b, ':'), y(st.end-mine), 10)
	b = strconv.AppendInt(append(b, '('), int64(st.s.PayloadLen), 10)
	b = append(b, ") "...)
	if st.has(packet.ACK) {
		b = strconv.AppendInt(append(b, "ack "...), y(st.s.Ack-theirs), 10)
		b = append(b, ' ')
	}
	b = strconv.AppendInt(append(b, "win "...), st.window, 10)
	b = append(b, ' ')
	if st.again() {
		b = append(b, "R "...)
	}
	if st.dup {
		b = append(b, "HD "...)
	}
	l.labelBuf = b
}

// down draws an object at points. x is a number. y is the time since the first packet in us, and
// runs downwards.
func (p *plot) down(kind string, coordinates ...int64) {
	p.buf = append(p.buf, kind...)
	for i, v := range coordinates {
		p.buf = append(p.buf, ' ')
		if i%2 == 0 {
			p.buf = strconv.AppendInt(p.buf, v, 10)
		} else {
			p.buf = appendTime(append(p.buf, '-'), v)
		}
	}
	p.line("")
}
