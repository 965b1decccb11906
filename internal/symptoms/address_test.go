package symptoms

import (
	"net/netip"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// signal passes a packet of a subflow with MPTCP options to a connection. Its time is its number.
func signal(c *Connection, num uint64, sub int, from conn.Side, flags packet.Flags, options ...interface{ Append(b []byte) []byte }) {
	s := &packet.Segment{Num: num, Time: int64(num), Flags: flags}
	var b []byte
	for _, o := range options {
		b = o.Append(b)
	}
	s.OtherLen = uint8(copy(s.Other[:], b))
	x := c.followed[sub]
	c.Rare(x, &conn.Packet{Seg: s, SubflowDir: &conn.SubflowDir{Sub: x.Sub, Conn: c.conn, From: from, DirIndex: 2*sub + int(from)}})
}

func announces(id uint8, addr string, echo bool) *mptcp.AddAddr {
	return &mptcp.AddAddr{Version: 1, AddressID: id, Addr: netip.MustParseAddr(addr), Echo: echo}
}

func removes(ids ...uint8) *mptcp.RemoveAddr {
	r := &mptcp.RemoveAddr{N: uint8(len(ids))}
	copy(r.List[:], ids)
	return r
}

// TestAnnouncements: what happens to an address that a host offers.
func TestAnnouncements(t *testing.T) {
	c := followed(1)
	withPort := announces(3, "192.0.2.3", false)
	withPort.HasPort, withPort.Port = true, 443
	for i, x := range []struct {
		from   conn.Side
		option interface{ Append(b []byte) []byte }
	}{
		{conn.B, announces(2, "192.0.2.2", false)},
		{conn.B, announces(2, "192.0.2.2", false)}, // again
		{conn.A, announces(2, "192.0.2.2", true)},  // the echo of A
		{conn.A, announces(2, "192.0.2.2", true)},
		{conn.A, announces(2, "192.0.2.2", false)}, // A's own address of the same id
		{conn.B, withPort},
		{conn.B, announces(2, "192.0.2.9", false)}, // another address of the same id
		{conn.A, removes(3)},                       // of A, which announced none
		{conn.B, removes(2, 3)},
		{conn.B, removes(2)}, // repeated
		{conn.B, announces(2, "192.0.2.2", false)},
		{conn.A, announces(7, "192.0.2.7", true)}, // the echo of nothing
		{conn.B, removes(2)},
	} {
		signal(c, uint64(i+1), 0, x.from, packet.ACK, x.option)
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
		signal(x, 10, 0, conn.A, packet.ACK, removes(4))
		signal(x, 20, 0, conn.A, packet.ACK, removes(4))
		assert.Check(t, len(x.Removals) == c.count, "%s: %d removals, want %d", c.what, len(x.Removals), c.count)
	}
}

// TestBounds: 64 addresses and 64 removals are kept.
func TestBounds(t *testing.T) {
	c := followed(1)
	for id := range uint8(70) {
		signal(c, uint64(id)+1, 0, conn.A, packet.ACK, announces(id, "192.0.2.1", false))
		signal(c, uint64(id)+101, 0, conn.A, packet.ACK, removes(id))
	}
	assert.Check(t, len(c.Addresses) == 64 && len(c.Removals) == 64, "%d addresses and %d removals, want 64 and 64", len(c.Addresses), len(c.Removals))
}

// TestNoJoin: flag C counts in SYNs of version 1, the first of a side.
func TestNoJoin(t *testing.T) {
	c := followed(1)
	capable := func(version uint8, flags mptcp.CapableFlags) *mptcp.Capable {
		return &mptcp.Capable{Version: version, Flags: mptcp.CapableHMAC | flags, Have: mptcp.CapableHasSenderKey}
	}
	signal(c, 1, 0, conn.B, packet.ACK, capable(1, mptcp.CapableNoJoin))
	signal(c, 2, 0, conn.B, packet.SYN|packet.ACK, capable(1, 0))
	signal(c, 3, 0, conn.B, packet.SYN|packet.ACK, capable(0, mptcp.CapableNoJoin))
	signal(c, 4, 0, conn.B, packet.SYN|packet.ACK, capable(1, mptcp.CapableNoJoin))
	signal(c, 5, 0, conn.B, packet.SYN|packet.ACK, capable(1, mptcp.CapableNoJoin))
	if want := [2]PacketRef{{}, at(4)}; c.NoJoin != want {
		t.Errorf("%v, want %v", c.NoJoin, want)
	}
}

// TestPriorities: MP_PRIO of version 1 is about its own subflow. In version 0 an address id names
// the subflows at that end of its sender (RFC 6824, Section 3.3.8).
func TestPriorities(t *testing.T) {
	for _, c := range []struct {
		what    string
		version uint8
		prio    mptcp.Prio
		want    [3]conn.Tristate // of the subflows; the MP_PRIO of A comes on subflow 1
	}{
		{"backup", 1, mptcp.Prio{Backup: true}, [3]conn.Tristate{conn.Unset, conn.Yes, conn.Unset}},
		{"regular", 1, mptcp.Prio{}, [3]conn.Tristate{conn.Unset, conn.No, conn.Unset}},
		{"an id in version 1", 1, mptcp.Prio{Backup: true, HasAddressID: true, AddressID: 6}, [3]conn.Tristate{}},
		{"an id in version 0", 0, mptcp.Prio{Backup: true, HasAddressID: true, AddressID: 6}, [3]conn.Tristate{conn.Yes, conn.Unset, conn.Yes}},
		{"no id in version 0", 0, mptcp.Prio{Backup: true}, [3]conn.Tristate{conn.Unset, conn.Yes, conn.Unset}},
	} {
		x := followed(3)
		x.conn.Version = c.version
		for i, ids := range [3][2]int{{6, 0}, {0, 6}, {6, 6}} {
			x.followed[i].Sub.AddressID = ids
		}
		signal(x, 1, 1, conn.A, packet.ACK, &c.prio)
		for i, s := range x.followed {
			if s.prio != c.want[i] || s.isBackup() != (c.want[i] == conn.Yes) {
				t.Errorf("%s: subflow %d has %d, want %d", c.what, i, s.prio, c.want[i])
			}
		}
	}
}
