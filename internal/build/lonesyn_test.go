package build

import (
	"math"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// loneBytes is the length of a stored lone SYN.
const loneBytes = 80

// What is stored of a lone SYN is all of it.
func TestLoneStored(t *testing.T) {
	for _, l := range []conn.LoneSYN{
		{ID: -1},
		{
			Packet: math.MaxUint64, Time: math.MinInt64, Until: math.MaxInt64, Order: math.MaxUint32, ID: math.MaxInt32, Token: math.MaxUint32,
			Ends:  [2]packet.Endpoint{{Addr: [16]byte{1, 15: 2}, Port: 65535}, {Addr: [16]byte{3, 15: 4}, Port: 80}},
			Offer: conn.Offer{Seen: true, Version: 15, Flags: 0x81}, Vantage: conn.Middle, Cooked: packet.Incoming,
			Joined: true, Backup: true, Address: 255,
		},
		{ID: -1, Joined: true},
		{ID: 3, Backup: true, Cooked: packet.Outgoing},
		{ID: -1, Offer: conn.Offer{Seen: true}},
	} {
		b := appendLone(nil, &l)
		if got := loneOf(b); len(b) != loneBytes || got != l {
			t.Errorf("%d bytes, %+v, want %d and %+v", len(b), got, loneBytes, l)
		}
	}
}
