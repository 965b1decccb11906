package conn

import (
	"fmt"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// ICMPErrors counts the ICMP error messages about segments of one end of a subflow.
type ICMPErrors struct {
	Packets int64
	First   subflow.Stamp // the first message
	Latest  packet.ICMP
}

// ICMPErrors returns the ICMP error messages about what side from sent.
func (s *Subflow) ICMPErrors(from Side) ICMPErrors {
	if s.icmpErrors == nil {
		return ICMPErrors{}
	}
	return s.icmpErrors[from]
}

// quoted takes a segment that an ICMP message quotes. A message that quotes no subflow, or nothing that waits for an
// acknowledgment, says nothing: anybody can forge it.
func (t *Table) quoted(k key, s *packet.Segment) {
	d, _ := t.known(k, s)
	if d == nil || !d.tcp.Sender().Outstanding(s.Seq) {
		return
	}
	if d.Sub.icmpErrors == nil {
		d.Sub.icmpErrors = new([2]ICMPErrors)
	}
	u, m := &d.Sub.icmpErrors[d.From], s.ICMP()
	u.Packets++
	u.First.First(subflow.Stamp{Packet: s.Num, Time: s.Time})
	u.Latest = m
	from := m.From.AddrPort().Addr()
	d.Conn.emit(Event{
		Time: s.Time, Sub: d.Sub, From: d.From, Packet: s.Num, Kind: EventICMP,
		Detail: fmt.Sprintf("ICMP of %s about a packet of %v: %s", from, d.From, m.String()), Facts: Facts{Address: from},
	})
}
