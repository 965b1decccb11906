package metrics

import (
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

// cutMuch is how many percent of a host's packets must have lost their options
// for what its DATA_ACKs show to be no sample of them any more.
const cutMuch = 1

// LaneCut returns why the mapped bytes of one direction of a subflow are not
// known; empty where they are.
func LaneCut(l *dss.SubflowSpace) string {
	if l.OptionsCut && l.UnmappedBytes > 0 {
		return reasonMaps
	}
	return ""
}

// MapsCut returns why figures of a direction that rest on all its mappings are
// absent: the capture cut some off, on any subflow. It is empty where none is
// missing. A subflow whose SYN shows no MP_JOIN for the same reason is known
// only by the data that is missing. Valid once the connection has ended.
func (m *Connection) MapsCut(from conn.Side) string { return m.cuts[from&1].maps }

// AcksCut returns why figures of a direction that rest on its DATA_ACKs are
// absent: the capture cut them off. It is empty where too few are missing to
// matter. Valid once the connection has ended.
func (m *Connection) AcksCut(from conn.Side) string { return m.cuts[from&1].acks }

// cuts are why figures of a direction are absent, by what they rest on. They are
// found once, as they are asked for by each subflow.
type cuts struct{ maps, acks string }

// cutOff finds what the capture cut off, at the end of the connection.
func (m *Connection) cutOff() {
	for side := range m.cuts {
		m.cuts[side] = cuts{m.mapsCut(conn.Side(side)), m.acksCut(conn.Side(side))}
	}
}

func (m *Connection) mapsCut(from conn.Side) string {
	cut := int64(0)
	for _, s := range m.Subs {
		if l := s.Sub.Spaces[from]; LaneCut(l) != "" {
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

// acksCut is [Connection.AcksCut] at any time.
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

// OptionsCut returns why what the options of a side's packets say of the other
// side's data is not known: the capture cut some off. They are the long ones,
// with SACK blocks, so that a few are as bad as all. It is empty where it shows
// them all.
func (s *Sub) OptionsCut(from conn.Side) string {
	if s.Sub.Senders[from].OptionsCut > 0 {
		return reasonOpts
	}
	return ""
}

// OffersCut returns why what a side's SYN offers beyond the options that the
// capture shows is not known; empty where it shows them all.
func (s *Sub) OffersCut(from conn.Side) string {
	h := &s.Handshake
	if from == s.Sub.Initiator && h.SYNCut || from != s.Sub.Initiator && h.SYNACKCut {
		return reasonSYN
	}
	return ""
}
