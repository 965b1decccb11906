package conn

import (
	"fmt"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Undelivered counts the ICMP messages about segments of one end of a subflow.
type Undelivered struct {
	Packets int64
	First   subflow.Stamp // the first message
	Latest  packet.ICMP
}

// Undelivered returns the ICMP messages about what side from sent.
func (s *Subflow) Undelivered(from Side) Undelivered {
	if s.undelivered == nil {
		return Undelivered{}
	}
	return s.undelivered[from]
}

// quoted takes a segment that an ICMP message quotes. A message that quotes no subflow, or nothing that waits for an
// acknowledgment, says nothing: anybody can forge it.
func (t *Table) quoted(k key, s *packet.Segment) {
	d, _ := t.known(k, s)
	if d == nil || !d.tcp.Sender().Awaits(s.Seq) {
		return
	}
	if d.Sub.undelivered == nil {
		d.Sub.undelivered = new([2]Undelivered)
	}
	u, m := &d.Sub.undelivered[d.From], s.ICMP()
	u.Packets++
	u.First.First(subflow.Stamp{Packet: s.Num, Time: s.Time})
	u.Latest = m
	from := m.From.AddrPort().Addr()
	d.Conn.emit(Event{
		Time: s.Time, Sub: d.Sub, From: d.From, Packet: s.Num, Kind: EventICMP,
		Detail: fmt.Sprintf("ICMP of %s about a packet of %v: %s", from, d.From, m.String()), Facts: Facts{Address: from},
	})
}
