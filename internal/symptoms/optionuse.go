package symptoms

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// OptionUse says how one host uses MPTCP options on one subflow after the SYNs. RSTs do
// not count, because a host that has no state for a connection sends them without
// options.
type OptionUse struct {
	Last         PacketRef // latest packet with an option; it and Packets come first, so that they share a cache line
	Packets      int64     // packets with an option
	First        PacketRef // first packet with an option
	FirstWithout PacketRef // the first packet after Last; no packet after Last has an option
	Without      int64     // packets after Last
	FirstCut     PacketRef // the first packet without an option whose options the capture cut
	Cut          int64     // such packets
	latest       uint64    // number of the latest packet that packet took
}

// packet takes a packet of the host.
func (u *OptionUse) packet(p *conn.Packet) {
	s := p.Seg
	if s.Num == u.latest { // a further segment of it
		return
	}
	u.latest = s.Num
	switch {
	case s.Have&packet.HasDSS != 0 || s.OtherLen > 0:
		u.First.First(refTo(p))
		u.Without, u.FirstWithout = 0, PacketRef{}
		u.Again(s.Num, s.Time)
	case s.Have&packet.OptionsCut != 0:
		u.Cut++
		u.FirstCut.First(refTo(p))
	default:
		u.Without++
		u.FirstWithout.First(refTo(p))
	}
}

// Again takes one more packet with an option, or a further segment of the latest one.
// [OptionUse.Continues] must be true.
func (u *OptionUse) Again(packet uint64, now int64) {
	if packet != u.Last.Packet {
		u.Packets++
	}
	u.Last = PacketRef{Packet: packet, Time: now}
}

// Continues reports whether the latest packet had an option. Packets whose options the
// capture cut do not count.
func (u *OptionUse) Continues() bool { return u.Packets > 0 && u.Without == 0 }
