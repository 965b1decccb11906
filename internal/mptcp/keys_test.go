package mptcp

import (
	"bytes"
	"net/netip"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// A session as captured between Linux kernels: keys and nonces from the
// handshakes, tokens as the kernels report them, data sequence numbers from
// the first DSS options, HMACs from MP_JOIN.
type session struct {
	name           string
	version        uint8
	keyA, keyB     uint64
	tokenA, tokenB uint32
	idsnA, idsnB   uint64
	wide           bool // the DSS options of the session are 8 bytes wide
	nonceA, nonceB uint32
	hmacB          uint64 // on the SYN/ACK
	hmacA          string // on the ACK
}

var sessions = []session{
	{
		name: "version 0", version: 0,
		keyA: 0xac872bda5c672b2d, keyB: 0x8af517dfa1bce7c0,
		tokenA: 0x3d680ec6, tokenB: 0xd395bb87,
		idsnA: 0x91ace326 - 1, idsnB: 0x032afe73 - 1, // low half: DSN and Data ACK of A's first DSS, which are IDSN + 1
		nonceA: 0x21d2906c, nonceB: 0xa178d1b0,
		hmacB: 0x2e974dac571cdbe7, hmacA: "906c4377a05f31707592a2e8ef52956db5484231",
	},
	{
		name: "version 1", version: 1,
		keyA: 0x60a47ec3d82d33d9, keyB: 0x710c8bb4c1823e84,
		tokenA: 0xcb62ee9f, tokenB: 0x8972700b,
		idsnA: 0x398fa48dfc1b626f - 512 - 1, idsnB: 0x00b59ee713e88946 - 1, wide: true, // B's first Data ACK follows 512 bytes of request
		nonceA: 0x80530f27, nonceB: 0xbf340e4e,
		hmacB: 0x4e1cd27fe373b94e, hmacA: "ece70c14c5eddc8db1b4a5f6db12fc925b8dd85e",
	},
}

func TestTokenAndIDSN(t *testing.T) {
	for _, s := range sessions {
		t.Run(s.name, func(t *testing.T) {
			if got := Token(s.version, s.keyA); got != s.tokenA {
				t.Errorf("token of A: %#08x, want %#08x", got, s.tokenA)
			}
			if got := Token(s.version, s.keyB); got != s.tokenB {
				t.Errorf("token of B: %#08x, want %#08x", got, s.tokenB)
			}
			idsnA, idsnB := IDSN(s.version, s.keyA), IDSN(s.version, s.keyB)
			if !s.wide {
				idsnA, idsnB = uint64(uint32(idsnA)), uint64(uint32(idsnB))
			}
			assert.Check(t, idsnA == s.idsnA && idsnB == s.idsnB, "IDSN of A and B: %#x, %#x; want %#x, %#x", idsnA, idsnB, s.idsnA, s.idsnB)
		})
	}
}

func TestJoinHMAC(t *testing.T) {
	for _, s := range sessions {
		t.Run(s.name, func(t *testing.T) {
			onSYNACK := JoinHMAC(s.version, s.keyB, s.keyA, s.nonceB, s.nonceA)
			if got := onSYNACK.Left64(); got != s.hmacB {
				t.Errorf("HMAC-B: %#016x, want %#016x", got, s.hmacB)
			}
			onACK := JoinHMAC(s.version, s.keyA, s.keyB, s.nonceA, s.nonceB)
			if got := onACK.Left160(); !bytes.Equal(got[:], unhex(t, s.hmacA)) {
				t.Errorf("HMAC-A: %x, want %s", got, s.hmacA)
			}
		})
	}
}

// The whole HMAC, computed apart from this code: the key is the 16 bytes of
// the text 0b0b0b0b0b0b0b0b, the message the 8 bytes of the text 48692054.
func TestJoinHMACWhole(t *testing.T) {
	const key = 0x3062306230623062 // "0b0b0b0b"
	for version, want := range []string{
		"450c72fd6a1ec0b3d37f1184abe6c673c4612776",
		"8385e24fb4235ac37556b6b886db106284a1da671699f46db1f235ec622dcafa",
	} {
		mac := JoinHMAC(uint8(version), key, key, 0x34383639, 0x32303534)
		got := mac.Sum[:mac.N]
		assert.Check(t, bytes.Equal(got, unhex(t, want)), "version %d: %x, want %s", version, got, want)
	}
}

// Announcements as captured, with the keys of their sessions.
func TestAddAddrHMAC(t *testing.T) {
	for _, c := range []struct {
		name      string
		peer, own uint64 // own is the key of the host that announces
		option    string
	}{
		{"IPv4 and port", 0xb38830bbff3af3d5, 0xeb7e8ae85d09e22d, "1e 12 30 03 0a020202 1e61 e111c4eb26c7bac7"},
		{"IPv4", 0x55655e746046d8cf, 0xfd8aa86e39b3590e, "1e 10 30 03 0a020101 b0bbad86ae8cf59f"}, // from host A of its session
		{"IPv6", 0x4c35dab1efe686bd, 0xacaeaafe4011fb58, "1e 1c 30 01 fd000002000200000000000000000002 ac40332aa4bb8516"},
	} {
		var a AddAddr
		assert.NilError(t, ParseAddAddr(unhex(t, c.option), &a))
		got := AddAddrHMAC(c.own, c.peer, &a)
		assert.Check(t, got == a.HMAC, "%s: %#016x, want %#016x", c.name, got, a.HMAC)
		assert.Check(t, AddAddrHMAC(c.peer, c.own, &a) != a.HMAC, "%s: the keys' order makes no difference", c.name)
	}
}

// A port that is not in the option counts as zero, whatever the field holds.
func TestAddAddrHMACWithoutPort(t *testing.T) {
	without := AddAddr{Version: 1, AddressID: 1, Addr: netip.MustParseAddr("10.0.0.1"), Port: 80}
	zero := without
	zero.HasPort, zero.Port = true, 0
	if got, want := AddAddrHMAC(1, 2, &without), AddAddrHMAC(1, 2, &zero); got != want {
		t.Errorf("%#016x, want that of port 0, %#016x", got, want)
	}
}

func TestMACOfNothing(t *testing.T) {
	var m MAC
	assert.Check(t, is.Equal(m.right64(), uint64(0)), "Right64 of the zero value")
}
