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
			var o mptcp.Capable
			if mptcp.ParseCapable(opt, &o) == nil && o.JoinRefused() && p.Seg.Flags&packet.SYN != 0 && !c.NoJoin[p.From].Seen() {
				c.NoJoin[p.From] = refTo(p)
			}
		case mptcp.SubAddAddr:
			var o mptcp.AddAddr
			if mptcp.ParseAddAddr(opt, &o) == nil {
				c.announce(p, &o)
			}
		case mptcp.SubRemoveAddr:
			var o mptcp.RemoveAddr
			if mptcp.ParseRemoveAddr(opt, &o) == nil {
				c.withdraw(p, &o)
			}
		case mptcp.SubPrio:
			var o mptcp.Prio
			if mptcp.ParsePrio(opt, &o) == nil {
				c.prioritise(p, &o)
			}
		}
		return true
	})
}

// announce takes an announcement or its echo.
func (c *Connection) announce(p *conn.Packet, o *mptcp.AddAddr) {
	from := p.From
	if o.Echo {
		from = from.Other()
	}
	for i := range c.Addresses {
		a := &c.Addresses[i]
		if a.From != from || a.ID != o.AddressID || a.Addr != o.Addr || a.Removed.Seen() {
			continue
		}
		if !o.Echo {
			a.Times++
		} else if !a.Echo.Seen() {
			a.Echo = refTo(p)
		}
		return
	}
	if o.Echo || len(c.Addresses) >= maxAnnouncements {
		return
	}
	c.Addresses = append(c.Addresses, Announcement{From: from, ID: o.AddressID, Addr: o.Addr, Port: o.Port, At: refTo(p), Times: 1})
}

// withdraw takes a REMOVE_ADDR.
func (c *Connection) withdraw(p *conn.Packet, o *mptcp.RemoveAddr) {
	for _, id := range o.AddressIDs() {
		for i := range c.Addresses {
			if a := &c.Addresses[i]; a.From == p.From && a.ID == id && !a.Removed.Seen() {
				a.Removed = refTo(p)
			}
		}
		if len(c.Removals) < maxAnnouncements && !c.repeats(p, id) {
			c.Removals = append(c.Removals, Removal{p.From, id, refTo(p)})
		}
	}
}

// repeats reports whether a REMOVE_ADDR only repeats an earlier one: in between no
// subflow began to use the address id, and no ADD_ADDR announced it again.
func (c *Connection) repeats(p *conn.Packet, id uint8) bool {
	for i := len(c.Removals) - 1; i >= 0; i-- {
		r := &c.Removals[i]
		if r.From != p.From || r.ID != id {
			continue
		}
		used := slices.ContainsFunc(c.followed, func(s *Subflow) bool {
			return s.Sub.AddressID[p.From] == int(id) && s.Sub.Start > r.At.Time
		})
		return !used && !slices.ContainsFunc(c.Addresses, func(a Announcement) bool {
			return a.From == p.From && a.ID == id && a.At.Time > r.At.Time
		})
	}
	return false
}

// priority is the priority that the latest MP_PRIO gave a subflow.
type priority uint8

const (
	asOpened priority = iota
	regular
	backup
)

// prioritise takes an MP_PRIO (RFC 8684, Section 3.3.8; the address id of
// RFC 6824 names the sender's end of other subflows, and version 1 has none).
func (c *Connection) prioritise(p *conn.Packet, o *mptcp.Prio) {
	if o.HasAddressID && c.conn.Version >= 1 {
		return
	}
	now := regular
	if o.Backup {
		now = backup
	}
	for _, s := range c.followed {
		if !o.HasAddressID && s.Sub == p.Sub || o.HasAddressID && s.Sub.AddressID[p.From] == int(o.AddressID) {
			s.priority = now
		}
	}
}
