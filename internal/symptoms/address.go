package symptoms

import (
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
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
