package metrics

import (
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// Announcement is an address that a host offers with ADD_ADDR (RFC 8684,
// Section 3.4.1), and what became of it.
type Announcement struct {
	From    conn.Side
	ID      uint8
	Addr    netip.Addr
	Port    uint16 // 0 = that of the initial subflow
	At      Mark
	Times   int64 // packets that say it
	Echo    Mark  // the peer's confirmation; version 1 only
	Removed Mark  // REMOVE_ADDR of the id
}

// Removal is an address id that a host withdraws with REMOVE_ADDR (RFC 8684,
// Section 3.4.2), whether or not it was announced.
type Removal struct {
	From conn.Side
	ID   uint8
	At   Mark
}

// maxAnnouncements bounds the addresses, and the removals, that are remembered
// of a connection.
const maxAnnouncements = 64

// signals takes the MPTCP options of a packet that concern addresses and
// priorities.
func (m *Connection) signals(p *conn.Packet) {
	g := &m.Signs
	mptcp.Walk(p.Seg.OtherMPTCP(), func(kind mptcp.Subtype, opt []byte) bool {
		switch kind {
		case mptcp.SubCapable:
			var o mptcp.Capable
			if mptcp.ParseCapable(opt, &o) == nil && o.JoinRefused() && p.Seg.Flags&packet.SYN != 0 && !g.NoJoin[p.From].Seen() {
				g.NoJoin[p.From] = markOf(p)
			}
		case mptcp.SubAddAddr:
			var o mptcp.AddAddr
			if mptcp.ParseAddAddr(opt, &o) == nil {
				g.address(p, &o)
			}
		case mptcp.SubRemoveAddr:
			var o mptcp.RemoveAddr
			if mptcp.ParseRemoveAddr(opt, &o) == nil {
				m.withdraw(p, &o)
			}
		case mptcp.SubPrio:
			var o mptcp.Prio
			if mptcp.ParsePrio(opt, &o) == nil {
				m.prioritise(p, &o)
			}
		}
		return true
	})
}

// address takes an announcement or its echo.
func (g *Signs) address(p *conn.Packet, o *mptcp.AddAddr) {
	from := p.From
	if o.Echo {
		from = from.Other()
	}
	for i := range g.Addresses {
		a := &g.Addresses[i]
		if a.From != from || a.ID != o.AddressID || a.Addr != o.Addr || a.Removed.Seen() {
			continue
		}
		if !o.Echo {
			a.Times++
		} else if !a.Echo.Seen() {
			a.Echo = markOf(p)
		}
		return
	}
	if o.Echo || len(g.Addresses) >= maxAnnouncements {
		return
	}
	g.Addresses = append(g.Addresses, Announcement{From: from, ID: o.AddressID, Addr: o.Addr, Port: o.Port, At: markOf(p), Times: 1})
}

// withdraw takes a REMOVE_ADDR.
func (m *Connection) withdraw(p *conn.Packet, o *mptcp.RemoveAddr) {
	g := &m.Signs
	for _, id := range o.AddressIDs() {
		for i := range g.Addresses {
			if a := &g.Addresses[i]; a.From == p.From && a.ID == id && !a.Removed.Seen() {
				a.Removed = markOf(p)
			}
		}
		if len(g.Removals) < maxAnnouncements && !m.repeats(p, id) {
			g.Removals = append(g.Removals, Removal{p.From, id, markOf(p)})
		}
	}
}

// repeats reports whether a REMOVE_ADDR says again what an earlier one said: no
// subflow came to use the address id in between, and nobody announced it again.
func (m *Connection) repeats(p *conn.Packet, id uint8) bool {
	g := &m.Signs
	for i := len(g.Removals) - 1; i >= 0; i-- {
		r := &g.Removals[i]
		if r.From != p.From || r.ID != id {
			continue
		}
		used := slices.ContainsFunc(m.rivals(), func(s *Sub) bool {
			return s.Sub.AddressID[p.From] == int(id) && s.Sub.Start > r.At.Time
		})
		return !used && !slices.ContainsFunc(g.Addresses, func(a Announcement) bool {
			return a.From == p.From && a.ID == id && a.At.Time > r.At.Time
		})
	}
	return false
}

// prioritise takes an MP_PRIO (RFC 8684, Section 3.3.8; the address id of
// RFC 6824 names the sender's end of other subflows, and version 1 has none).
func (m *Connection) prioritise(p *conn.Packet, o *mptcp.Prio) {
	if o.HasAddressID && m.Conn.Version >= 1 {
		return
	}
	now := regular
	if o.Backup {
		now = backup
	}
	for _, s := range m.rivals() {
		if !o.HasAddressID && s.Sub == p.Sub || o.HasAddressID && s.Sub.AddressID[p.From] == int(o.AddressID) {
			s.prio = now
		}
	}
}
