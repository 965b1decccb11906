package metrics

import (
	"cmp"
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
)

const (
	cutAdvice  = "; capture at least 128 bytes of each packet, 256 in a tunnel"
	reasonMaps = "options_cut: the snapshot length cut off the mappings of payload, so which data it is, is not known" + cutAdvice
	reasonAcks = "options_cut: the snapshot length cut off DATA_ACKs" + cutAdvice
	reasonOpts = "options_cut: the snapshot length cut off options of packets that acknowledge" + cutAdvice
	reasonSYN  = "options_cut: the snapshot length cut off options of this side's SYN" + cutAdvice
)

// cutMuch is a percentage of a host's packets. If the capture cut the options of more
// packets, the DATA_ACKs that are left are not a fair sample.
const cutMuch = 1

// MappedCut returns why the mapped bytes of one direction of a subflow are not
// known; empty where they are.
func MappedCut(l *dss.SubflowSpace) string {
	if l.OptionsCut && l.UnmappedBytes > 0 {
		return reasonMaps
	}
	return ""
}

// MapsCut returns why figures that need all mappings of a direction are absent: the
// capture cut some mappings off, on any subflow, or lacks the packets ([Connection.LacksData]).
// It is empty where none is missing. The capture may also have cut off an MP_JOIN; then the subflow
// is not known, and only missing data shows it. Valid once the connection has ended.
func (m *Connection) MapsCut(from conn.Side) string { return m.cuts[from&1].maps }

// AcksCut returns why figures that need the DATA_ACKs of a direction are absent: the
// capture cut DATA_ACKs off, or lacks the packets ([Connection.Lacks]). It is empty where so few
// are missing that it does not matter. Valid once the connection has ended.
func (m *Connection) AcksCut(from conn.Side) string { return m.cuts[from&1].acks }

// cuts are the reasons why figures of a direction are absent, by what the figures need.
// They are kept because each subflow reads them.
type cuts struct{ maps, acks string }

// cutOff finds out at the end of the connection what the capture cut off.
func (m *Connection) cutOff() {
	for side := range m.cuts {
		from := conn.Side(side)
		m.cuts[side] = cuts{m.MapsCutSoFar(from), cmp.Or(m.Lacks(from.Other()), m.acksCut(from))}
	}
}

func (m *Connection) mapsCut(from conn.Side) string {
	cut := int64(0)
	for _, s := range m.Subs {
		if l := s.Sub.Spaces[from]; MappedCut(l) != "" {
			cut += l.UnmappedBytes
		}
	}
	missing := m.Conn.Spaces[from].MissingBytes()
	switch known := m.Conn.Spaces[from].AppBytes(); {
	case cut == 0 && (!m.hidden || missing <= 1):
		return ""
	case cut == 0:
		return fmt.Sprintf("options_cut: %d bytes of data were not seen, perhaps as the snapshot length cut off the options of SYNs that joined"+cutAdvice, missing)
	case known > 0:
		return fmt.Sprintf("options_cut: the snapshot length cut off the mappings of %d bytes of payload; at least %d bytes of data passed"+cutAdvice, cut, known)
	}
	return reasonMaps
}

// acksCut returns, at any time, whether the capture cut DATA_ACKs off.
func (m *Connection) acksCut(from conn.Side) string {
	var cut, all int64
	for _, s := range m.Subs {
		u := s.OptionUse(from.Other())
		cut += u.Cut
		all += u.Packets + u.Cut
	}
	if cut > 0 && 100*cut >= cutMuch*all {
		return reasonAcks
	}
	return ""
}

// look notes whether the capture cut options of a packet off.
func (k *Collector) look(p *conn.Packet) {
	if p.Seg.Have&packet.OptionsCut != 0 {
		k.cut = true
	}
}

// OptionsCut returns why figures of one side's data that need the options in the
// packets of side from are absent: the capture cut some options off. It cuts the
// longest options first, those with SACK blocks, so even a few are too many. It is
// empty where no options are missing.
func (s *Sub) OptionsCut(from conn.Side) string {
	if s.Sub.Senders[from].OptionsCut > 0 {
		return reasonOpts
	}
	return ""
}

// OffersCut returns why it is not known whether a side's SYN offers more options than
// the capture shows; empty where the capture shows all options.
func (s *Sub) OffersCut(from conn.Side) string {
	if s.Sub.Senders[from&1].SYNCut() {
		return reasonSYN
	}
	return ""
}
