package packets

import (
	"net/netip"
	"strconv"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// appendHead writes the columns in front of the connection's number: times in
// seconds, since the Unix epoch and since the connection's first packet.
func appendHead(b []byte, p *conn.Packet) []byte {
	b = strconv.AppendUint(b, p.Seg.Num, 10)
	b = appendSeconds(append(b, '\t'), p.Seg.Time)
	b = appendSeconds(append(b, '\t'), p.Seg.Time-p.Conn.Start)
	return append(b, '\t')
}

// appendTail writes the columns behind it. Sequence and acknowledgment numbers
// and the window are those of the header; ranges are from the first byte to
// the one behind the last, counted from 1.
func appendTail(b []byte, p *conn.Packet) []byte {
	s := p.Seg
	b = strconv.AppendInt(append(b, '\t'), int64(p.Sub.ID), 10)
	b = appendEnd(append(b, '\t'), s.Src)
	b = appendEnd(append(b, '\t'), s.Dst)
	b = appendFlags(append(b, '\t'), s.Flags)
	b = strconv.AppendUint(append(b, '\t'), uint64(s.Seq), 10)
	if b = append(b, '\t'); s.Flags&packet.ACK != 0 {
		b = strconv.AppendUint(b, uint64(s.Ack), 10)
	} else {
		b = append(b, '-')
	}
	b = strconv.AppendUint(append(b, '\t'), uint64(s.Window), 10)
	b = strconv.AppendUint(append(b, '\t'), uint64(s.PayloadLen), 10)
	if b = append(b, '\t'); s.PayloadLen > 0 && !p.TCP.Sent.Stray {
		b = appendRange(b, int64(p.TCP.Sent.Range.Start), int64(p.TCP.Sent.Range.End))
	} else {
		b = append(b, '-')
	}
	b = appendData(append(b, '\t'), p)
	b = appendMapping(append(b, '\t'), p.Mapping)
	b = appendMarks(append(b, '\t'), p)
	if b = append(b, '\t'); p.HasDataAck {
		b = strconv.AppendInt(b, int64(p.DataAck), 10)
	} else {
		b = append(b, '-')
	}
	if b = append(b, '\t'); p.TCP.Ack.Source != subflow.NoSample {
		b = strconv.AppendFloat(b, float64(p.TCP.Ack.RTT)/1e6, 'f', 3, 64)
	} else {
		b = append(b, '-')
	}
	return append(b, '\n')
}

func appendSeconds(b []byte, ns int64) []byte {
	if ns < 0 {
		b, ns = append(b, '-'), -ns
	}
	b = strconv.AppendInt(b, ns/1e9, 10)
	b = append(b, '.')
	ns %= 1e9
	for unit := int64(1e8); unit > 0; unit /= 10 {
		b = append(b, byte('0'+ns/unit%10))
	}
	return b
}

func appendEnd(b []byte, e packet.Endpoint) []byte {
	return netip.AddrPortFrom(netip.AddrFrom16(e.Addr).Unmap(), e.Port).AppendTo(b)
}

func appendRange(b []byte, from, to int64) []byte {
	b = strconv.AppendInt(b, from, 10)
	return strconv.AppendInt(append(b, ':'), to, 10)
}

// flags are the control bits in the order in which they are written.
var flags = [...]struct {
	bit  packet.Flags
	word string
}{
	{packet.SYN, "SYN"},
	{packet.FIN, "FIN"},
	{packet.RST, "RST"},
	{packet.PSH, "PSH"},
	{packet.ACK, "ACK"},
	{packet.URG, "URG"},
	{packet.ECE, "ECE"},
	{packet.CWR, "CWR"},
}

func appendFlags(b []byte, f packet.Flags) []byte {
	l := commaList{b: b}
	for _, x := range flags {
		if f&x.bit != 0 {
			l.add(x.word)
		}
	}
	return l.end()
}

// commaList writes words with commas between them, "-" for none.
type commaList struct {
	b     []byte
	begun bool
}

func (l *commaList) add(word string) {
	if l.begun {
		l.b = append(l.b, ',')
	}
	l.b, l.begun = append(l.b, word...), true
}

func (l *commaList) end() []byte {
	if !l.begun {
		return append(l.b, '-')
	}
	return l.b
}

// appendData writes the data sequence numbers of the payload, run by run.
func appendData(b []byte, p *conn.Packet) []byte {
	if len(p.Pieces) == 0 {
		return append(b, '-')
	}
	for i := range p.Pieces {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendRange(b, int64(p.Pieces[i].Data.Start), int64(p.Pieces[i].Data.End))
	}
	return b
}

// appendMapping writes the mapping that a packet announces: data sequence
// numbers, then @ and the subflow sequence number at which they begin.
func appendMapping(b []byte, m *conn.Mapping) []byte {
	switch {
	case m == nil:
		return append(b, '-')
	case m.Infinite:
		b = strconv.AppendInt(b, int64(m.DSN), 10)
		b = append(b, ":infinite"...)
	default:
		b = appendRange(b, int64(m.DSN), int64(m.DSN)+m.Length)
	}
	return strconv.AppendInt(append(b, '@'), int64(m.SSN), 10)
}

// appendMarks writes the marks of a packet, such as "reinjection".
func appendMarks(b []byte, p *conn.Packet) []byte {
	l := commaList{b: b}
	if p.TCP.Sent.Stray {
		l.add("stray")
	}
	if again(p) {
		l.add("retransmission")
	}
	for _, k := range [...]struct {
		kind dss.PieceKind
		word string
	}{{dss.Reinjection, "reinjection"}, {dss.ReinjectedSame, "reinjection_same_subflow"}} {
		for i := range p.Pieces {
			if p.Pieces[i].Kind == k.kind {
				l.add(k.word)
				break
			}
		}
	}
	if m := p.Mapping; m != nil && m.DataFIN {
		l.add("data_fin")
	}
	if p.Seg.CE {
		l.add("congestion_experienced")
	}
	return l.end()
}

// again reports whether any payload of a packet was sent before on its subflow.
func again(p *conn.Packet) bool {
	for _, part := range p.TCP.Sent.Parts {
		if part.Kind == subflow.Retransmit {
			return true
		}
	}
	return false
}

// Comment says in words what the marks of a packet mean; empty if it has none.
func Comment(p *conn.Packet) string {
	marks := appendMarks(nil, p)
	if len(marks) == 1 {
		return ""
	}
	b := append(marks, "; subflow "...)
	b = strconv.AppendInt(b, int64(p.Sub.ID), 10)
	if len(p.Pieces) > 0 {
		b = appendData(append(b, "; DSN "...), p)
	}
	return string(b)
}
