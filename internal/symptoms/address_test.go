package symptoms

import (
	"net/netip"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
)

// signal passes an event about an address id to a connection. Its time is the number of its packet.
func signal(c *Connection, num uint64, from conn.Side, kind conn.EventKind, id uint8, addr string, port uint16) {
	f := conn.Facts{AddressID: conn.OptionalByte{N: id, Known: true}, Port: port}
	if kind != conn.EventRemoveAddr {
		f.Address, f.Echo = netip.MustParseAddr(addr), conn.No
	}
	if kind == conn.EventAddAddrEcho {
		f.Echo = conn.Yes
	}
	c.Event(&conn.Event{Time: int64(num), Packet: num, From: from, Kind: kind, Facts: f})
}

// TestAnnouncements: what happens to an address that a host offers.
func TestAnnouncements(t *testing.T) {
	c := followed(1)
	const add, echo, remove = conn.EventAddAddr, conn.EventAddAddrEcho, conn.EventRemoveAddr
	for _, x := range []struct {
		num  uint64
		from conn.Side
		kind conn.EventKind
		id   uint8
		addr string
		port uint16
	}{
		{1, conn.B, add, 2, "192.0.2.2", 0},
		{2, conn.B, add, 2, "192.0.2.2", 0},  // again
		{3, conn.A, echo, 2, "192.0.2.2", 0}, // the echo of A
		{4, conn.A, echo, 2, "192.0.2.2", 0},
		{5, conn.A, add, 2, "192.0.2.2", 0}, // A's own address of the same id
		{6, conn.B, add, 3, "192.0.2.3", 443},
		{7, conn.B, add, 2, "192.0.2.9", 0}, // another address of the same id
		{8, conn.A, remove, 3, "", 0},       // of A, which announced none
		{9, conn.B, remove, 2, "", 0},
		{9, conn.B, remove, 3, "", 0},
		{10, conn.B, remove, 2, "", 0}, // repeated
		{11, conn.B, add, 2, "192.0.2.2", 0},
		{12, conn.A, echo, 7, "192.0.2.7", 0}, // the echo of nothing
		{13, conn.B, remove, 2, "", 0},
	} {
		signal(c, x.num, x.from, x.kind, x.id, x.addr, x.port)
	}
	ip2, ip3, ip9 := netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.3"), netip.MustParseAddr("192.0.2.9")
	want := []Announcement{
		{From: conn.B, ID: 2, Addr: ip2, At: at(1), Times: 2, Echo: at(3), Removed: at(9)},
		{From: conn.A, ID: 2, Addr: ip2, At: at(5), Times: 1},
		{From: conn.B, ID: 3, Addr: ip3, Port: 443, At: at(6), Times: 1, Removed: at(9)},
		{From: conn.B, ID: 2, Addr: ip9, At: at(7), Times: 1, Removed: at(9)},
		{From: conn.B, ID: 2, Addr: ip2, At: at(11), Times: 1, Removed: at(13)},
	}
	assert.Check(t, slices.Equal(c.Addresses, want), "got  %+v\nwant %+v", c.Addresses, want)
	if want := []Removal{{conn.A, 3, at(8)}, {conn.B, 2, at(9)}, {conn.B, 3, at(9)}, {conn.B, 2, at(13)}}; !slices.Equal(c.Removals, want) {
		t.Errorf("removals %+v, want %+v", c.Removals, want)
	}
}

// TestRemovalAgain: a REMOVE_ADDR of a host counts again if one of its subflows began to use the id since.
func TestRemovalAgain(t *testing.T) {
	for _, c := range []struct {
		what  string
		ids   [2]int
		start int64
		count int
	}{
		{"a subflow began", [2]int{4, 0}, 11, 2},
		{"a subflow began before", [2]int{4, 0}, 10, 1},
		{"a subflow of another id", [2]int{5, 0}, 11, 1},
		{"the id of the other host", [2]int{0, 4}, 11, 1},
	} {
		x := followed(1)
		x.followed[0].Sub.AddressID, x.followed[0].Sub.Start = c.ids, c.start
		signal(x, 10, conn.A, conn.EventRemoveAddr, 4, "", 0)
		signal(x, 20, conn.A, conn.EventRemoveAddr, 4, "", 0)
		assert.Check(t, len(x.Removals) == c.count, "%s: %d removals, want %d", c.what, len(x.Removals), c.count)
	}
}

// TestBounds: as many addresses and removals are kept as two hosts have endpoints.
func TestBounds(t *testing.T) {
	c := followed(1)
	for i := range uint64(600) {
		signal(c, 2*i+1, conn.A, conn.EventAddAddr, uint8(i), "192.0.2.1", 0)
		signal(c, 2*i+2, conn.A, conn.EventRemoveAddr, uint8(i), "", 0)
	}
	assert.Check(t, len(c.Addresses) == 510 && len(c.Removals) == 510, "%d addresses and %d removals, want 510 and 510", len(c.Addresses), len(c.Removals))
}
