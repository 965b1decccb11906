package mptcp

import (
	"net/netip"
	"testing"

	"gotest.tools/v3/assert"
)

func TestAddAddr(t *testing.T) {
	v4, v6 := netip.MustParseAddr("10.2.2.2"), netip.MustParseAddr("fd00:2:2::2")
	checkForms(t, ParseAddAddr, []form[AddAddr]{
		{
			"version 0, IPv4", "1e 08 34 03 0a020202",
			AddAddr{Version: 0, AddressID: 3, Addr: v4},
		},
		{
			"version 0, IPv4 and port", "1e 0a 34 03 0a020202 1e61",
			AddAddr{Version: 0, AddressID: 3, Addr: v4, HasPort: true, Port: 7777},
		},
		{
			"version 0, IPv6", "1e 14 36 09 fd000002000200000000000000000002",
			AddAddr{Version: 0, AddressID: 9, Addr: v6},
		},
		{
			"version 0, IPv6 and port", "1e 16 36 09 fd000002000200000000000000000002 1389",
			AddAddr{Version: 0, AddressID: 9, Addr: v6, HasPort: true, Port: 5001},
		},
		{
			"version 1, IPv4", "1e 10 30 03 0a020202 b0bbad86ae8cf59f",
			AddAddr{Version: 1, AddressID: 3, Addr: v4, HMAC: 0xb0bbad86ae8cf59f},
		},
		{
			"version 1, IPv4 and port", "1e 12 30 03 0a020202 1e61 e111c4eb26c7bac7",
			AddAddr{Version: 1, AddressID: 3, Addr: v4, HasPort: true, Port: 7777, HMAC: 0xe111c4eb26c7bac7},
		},
		{
			"version 1, IPv6", "1e 1c 30 01 fd000002000200000000000000000002 ac40332aa4bb8516",
			AddAddr{Version: 1, AddressID: 1, Addr: v6, HMAC: 0xac40332aa4bb8516},
		},
		{
			"version 1, IPv6 and port", "1e 1e 30 01 fd000002000200000000000000000002 1389 ac40332aa4bb8516",
			AddAddr{Version: 1, AddressID: 1, Addr: v6, HasPort: true, Port: 5001, HMAC: 0xac40332aa4bb8516},
		},
		{
			"echo, IPv4", "1e 08 31 03 0a020202",
			AddAddr{Version: 1, Echo: true, AddressID: 3, Addr: v4},
		},
		{
			"echo, IPv4 and port", "1e 0a 31 03 0a020202 1e61",
			AddAddr{Version: 1, Echo: true, AddressID: 3, Addr: v4, HasPort: true, Port: 7777},
		},
		{
			"echo, IPv6", "1e 14 31 01 fd000002000200000000000000000002",
			AddAddr{Version: 1, Echo: true, AddressID: 1, Addr: v6},
		},
		{
			"echo, IPv6 and port", "1e 16 31 01 fd000002000200000000000000000002 0000",
			AddAddr{Version: 1, Echo: true, AddressID: 1, Addr: v6, HasPort: true},
		},
		{
			"IPv4-mapped IPv6 stays IPv6", "1e 14 36 01 00000000000000000000ffff0a020202",
			AddAddr{Version: 0, AddressID: 1, Addr: netip.MustParseAddr("::ffff:10.2.2.2")},
		},
	})
}

// TestAddAddrLengths goes through all values of the half byte that tells the
// versions apart.
func TestAddAddrLengths(t *testing.T) {
	announce := []int{16, 18, 28, 30} // version 1, E = 0: 8 bytes of HMAC after 8, 10, 20, 22
	for nibble := range byte(16) {
		legal := announce
		switch {
		case nibble&1 != 0:
			legal = []int{8, 10, 20, 22}
		case nibble == 4:
			legal = append([]int{8, 10}, announce...)
		case nibble == 6:
			legal = append([]int{20, 22}, announce...)
		}
		checkLengths(t, ParseAddAddr, 0x30|nibble, 1, legal...)
	}
}

func TestAddAddrIgnoresReservedBits(t *testing.T) {
	addr := netip.MustParseAddr("10.2.2.2")
	for _, c := range []struct {
		hex  string
		want AddAddr
	}{
		{"1e 10 34 03 0a020202 0000000000000001", AddAddr{Version: 1, AddressID: 3, Addr: addr, HMAC: 1}},
		{"1e 10 36 03 0a020202 0000000000000001", AddAddr{Version: 1, AddressID: 3, Addr: addr, HMAC: 1}},
		{"1e 08 35 03 0a020202", AddAddr{Version: 1, Echo: true, AddressID: 3, Addr: addr}},
		{"1e 08 3f 03 0a020202", AddAddr{Version: 1, Echo: true, AddressID: 3, Addr: addr}},
	} {
		var a AddAddr
		err := ParseAddAddr(unhex(t, c.hex), &a)
		assert.Check(t, err == nil && a == c.want, "parse %s: got %+v, %v; want %+v", c.hex, a, err, c.want)
	}
}
