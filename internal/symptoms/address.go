package symptoms

import (
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

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
// removals.
const maxAnnouncements = 64

// options takes the MPTCP options of a packet that concern addresses and priorities.
func (c *Connection) options(p *conn.Packet) {
	mptcp.Walk(p.Seg.OtherMPTCP(), func(kind mptcp.Subtype, opt []byte) bool {
		switch kind {
		case mptcp.SubCapable:
			take(p, opt, mptcp.ParseCapable, c.capable)
		case mptcp.SubAddAddr:
			take(p, opt, mptcp.ParseAddAddr, c.announce)
		case mptcp.SubRemoveAddr:
			take(p, opt, mptcp.ParseRemoveAddr, c.withdraw)
		case mptcp.SubPrio:
			take(p, opt, mptcp.ParsePrio, c.prioritise)
		}
		return true
	})
}

// take passes an option of a packet on, if it is well formed.
func take[T any](p *conn.Packet, opt []byte, parse func([]byte, *T) error, to func(*conn.Packet, *T)) {
	var o T
	if parse(opt, &o) == nil {
		to(p, &o)
	}
}

// capable takes an MP_CAPABLE.
func (c *Connection) capable(p *conn.Packet, o *mptcp.Capable) {
	if o.JoinRefused() && p.Seg.Flags&packet.SYN != 0 {
		c.NoJoin[p.From].first(p)
	}
}

// announce takes an announcement or its echo.
func (c *Connection) announce(p *conn.Packet, o *mptcp.AddAddr) {
	from := p.From
	if o.Echo {
		from = from.Other()
	}
	i := slices.IndexFunc(c.Addresses, func(a Announcement) bool {
		return a.From == from && a.ID == o.AddressID && a.Addr == o.Addr && !a.Removed.Seen()
	})
	switch {
	case i >= 0 && o.Echo:
		c.Addresses[i].Echo.first(p)
	case i >= 0:
		c.Addresses[i].Times++
	case !o.Echo && len(c.Addresses) < maxAnnouncements:
		c.Addresses = append(c.Addresses, Announcement{From: from, ID: o.AddressID, Addr: o.Addr, Port: o.Port, At: refTo(p), Times: 1})
	}
}

// withdraw takes a REMOVE_ADDR.
func (c *Connection) withdraw(p *conn.Packet, o *mptcp.RemoveAddr) {
	for _, id := range o.AddressIDs() {
		for i := range c.Addresses {
			if a := &c.Addresses[i]; a.From == p.From && a.ID == id {
				a.Removed.first(p)
			}
		}
		if len(c.Removals) < maxAnnouncements && !c.repeats(p.From, id) {
			c.Removals = append(c.Removals, Removal{p.From, id, refTo(p)})
		}
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

// prioritise takes an MP_PRIO (RFC 8684, Section 3.3.8; the address id of
// RFC 6824 names the sender's end of other subflows, and version 1 has none).
func (c *Connection) prioritise(p *conn.Packet, o *mptcp.Prio) {
	if o.HasAddressID && c.conn.Version >= 1 {
		return
	}
	for _, s := range c.followed {
		if !o.HasAddressID && s.Sub == p.Sub || o.HasAddressID && s.Sub.AddressID[p.From] == int(o.AddressID) {
			if s.prio = conn.No; o.Backup {
				s.prio = conn.Yes
			}
		}
	}
}
