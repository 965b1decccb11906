package symptoms

import (
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Handshake is how a subflow was opened.
type Handshake struct {
	SYN    PacketRef // the first SYN
	SYNACK PacketRef // the first SYN/ACK
	Third  PacketRef // the initiator's first packet after the SYN/ACK
	Usable PacketRef // the responder's first packet after that

	SYNs, SYNACKs int64
	ThirdPackets  int64     // the initiator's packets with MP_CAPABLE or MP_JOIN after the SYN/ACK
	Repeated      PacketRef // the latest SYN/ACK or third packet that was sent again
	Asked         bool      // the first SYN carries MP_CAPABLE or MP_JOIN
	Granted       bool      // a SYN/ACK carries it
	SYNCut        bool      // the first SYN shows no such option because the capture cut its options
	SYNACKCut     bool      // the same for the SYN/ACK
	PlainRetry    PacketRef // a repeated SYN without the option, after a SYN that had it
	Over          bool      // it is over, or was over before the capture
}

// Uncaptured reports whether neither SYN nor SYN/ACK was captured.
func (h *Handshake) Uncaptured() bool { return !h.SYN.Seen() && !h.SYNACK.Seen() }

// packet takes a packet of the handshake.
func (h *Handshake) packet(p *conn.Packet) {
	s := p.Seg
	if p.From == p.Sub.Initiator && h.SYNACK.Seen() && s.Flags&packet.SYN == 0 && opens(s) {
		if h.ThirdPackets++; h.ThirdPackets > 1 {
			h.Repeated = refTo(p)
		}
	}
	switch {
	case s.Flags&(packet.SYN|packet.ACK) == packet.SYN:
		switch asks := opens(s); {
		case !h.SYN.Seen():
			h.SYN, h.Asked = refTo(p), asks
			h.SYNCut = !asks && s.Have&packet.OptionsCut != 0
		case h.Asked && !asks:
			h.PlainRetry.First(refTo(p))
		}
		h.SYNs++
	case s.Flags&packet.SYN != 0:
		if h.SYNACKs++; h.SYNACKs > 1 {
			h.Repeated = refTo(p)
		}
		h.SYNACK.First(refTo(p))
		h.Granted = h.Granted || opens(s)
		h.SYNACKCut = !h.Granted && s.Have&packet.OptionsCut != 0
	case !h.Third.Seen():
		if h.SYNACK.Seen() && p.From == p.Sub.Initiator {
			h.Third = refTo(p)
		}
		h.Over = h.Uncaptured()
	case p.From != p.Sub.Initiator && !h.Over:
		h.Usable, h.Over = refTo(p), true
	}
}

// opens reports whether a SYN carries MP_CAPABLE or MP_JOIN.
func opens(s *packet.Segment) bool {
	return mptcp.Has(s.OtherMPTCP(), mptcp.SubCapable, mptcp.SubJoin)
}

// Reset is the first RST of a subflow that took effect.
type Reset struct {
	PacketRef // none where the subflow was not reset

	From      conn.Side
	Reason    mptcp.ResetReason // valid with HasReason
	HasReason bool              // the RST carries MP_TCPRST (RFC 8684, Section 3.6)
}

// packet takes a RST.
func (r *Reset) packet(p *conn.Packet) {
	if r.Seen() || p.TCP.Sent.Effect == subflow.Ignored {
		return
	}
	o, ok := mptcp.ResetOf(p.Seg.OtherMPTCP())
	*r = Reset{refTo(p), p.From, o.Reason, ok}
}

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

// Announcement is an address that a host offers with ADD_ADDR (RFC 8684, Section
// 3.4.1), and what happened to it.
type Announcement struct {
	From    conn.Side
	ID      uint8
	Addr    netip.Addr
	Port    uint16 // 0 = port of the initial subflow
	At      PacketRef
	Times   int64     // packets that announce it
	Echo    PacketRef // the peer's confirmation; version 1 only
	Removed PacketRef // REMOVE_ADDR of the id
}

// Removal is an address id that a host withdraws with REMOVE_ADDR (RFC 8684,
// Section 3.4.2), whether or not it was announced.
type Removal struct {
	From conn.Side
	ID   uint8
	At   PacketRef
}

// maxAnnouncements bounds the addresses that are kept of a connection, and the
// removals. Each host has up to 255 endpoints (Linux 7.2).
const maxAnnouncements = 2 * 255

// Event takes an event of the connection, before the packet that shows it.
func (c *Connection) Event(e *conn.Event) {
	switch {
	case c.conn == nil:
	case e.Kind == conn.EventAddAddr || e.Kind == conn.EventAddAddrEcho:
		c.announce(e)
	case e.Kind == conn.EventRemoveAddr:
		c.withdraw(e)
	}
}

// announce takes an announcement or its echo.
func (c *Connection) announce(e *conn.Event) {
	from, echo := e.From, e.Echo == conn.Yes
	if echo {
		from = from.Other()
	}
	i := slices.IndexFunc(c.Addresses, func(a Announcement) bool {
		return a.From == from && a.ID == e.AddressID.N && a.Addr == e.Address && !a.Removed.Seen()
	})
	switch at := (PacketRef{Packet: e.Packet, Time: e.Time}); {
	case i >= 0 && echo:
		c.Addresses[i].Echo.First(at)
	case i >= 0:
		c.Addresses[i].Times++
	case !echo && len(c.Addresses) < maxAnnouncements:
		c.Addresses = append(c.Addresses, Announcement{From: from, ID: e.AddressID.N, Addr: e.Address, Port: e.Port, At: at, Times: 1})
	}
}

// withdraw takes a REMOVE_ADDR of one id.
func (c *Connection) withdraw(e *conn.Event) {
	from, id, at := e.From, e.AddressID.N, PacketRef{Packet: e.Packet, Time: e.Time}
	for i := range c.Addresses {
		if a := &c.Addresses[i]; a.From == from && a.ID == id {
			a.Removed.First(at)
		}
	}
	if len(c.Removals) < maxAnnouncements && !c.repeats(from, id) {
		c.Removals = append(c.Removals, Removal{from, id, at})
	}
}

// repeats reports whether a REMOVE_ADDR only repeats an earlier one: in between no
// subflow began to use the address id, and no ADD_ADDR announced it again.
func (c *Connection) repeats(from conn.Side, id uint8) bool {
	return slices.ContainsFunc(c.Removals, func(r Removal) bool {
		return r.From == from && r.ID == id && !slices.ContainsFunc(c.followed, func(s *Subflow) bool {
			return s.Sub.AddressID[from] == int(id) && s.Sub.Start > r.At.Time
		}) && !slices.ContainsFunc(c.Addresses, func(a Announcement) bool {
			return a.From == from && a.ID == id && a.At.Time > r.At.Time
		})
	})
}
