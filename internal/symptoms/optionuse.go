package symptoms

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// OptionUse is how one host uses MPTCP options on one subflow after the SYNs. RSTs do
// not count: a host that has forgotten a connection sends them without options.
type OptionUse struct {
	First, Last  PacketRef // packets with an option
	Packets      int64     // packets with an option
	FirstWithout PacketRef // the first packet after Last, none of which has an option
	Without      int64     // packets after Last
	FirstCut     PacketRef // the first packet whose options the capture cut off, so that it shows none
	Cut          int64     // such packets
}

// packet takes a packet of the host.
func (u *OptionUse) packet(p *conn.Packet) {
	s := p.Seg
	switch {
	case s.Have&packet.HasDSS != 0 || s.OtherLen > 0:
		if u.Packets == 0 {
			u.First = refTo(p)
		}
		u.Without, u.FirstWithout = 0, PacketRef{}
		u.Again(s.Num, s.Time)
	case s.Have&packet.OptionsCut != 0:
		if u.Cut++; u.Cut == 1 {
			u.FirstCut = refTo(p)
		}
	default:
		if u.Without++; u.Without == 1 {
			u.FirstWithout = refTo(p)
		}
	}
}

// Again takes one more packet with an option, where the latest one with none cut had
// one: see [OptionUse.Continues].
func (u *OptionUse) Again(packet uint64, now int64) {
	u.Last = PacketRef{packet, now}
	u.Packets++
}

// Continues reports whether the latest packet, unless its options were cut, had an option.
func (u *OptionUse) Continues() bool { return u.Packets > 0 && u.Without == 0 }
