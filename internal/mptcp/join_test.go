package mptcp

import (
	"bytes"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestJoin(t *testing.T) {
	checkForms(t, ParseJoin, []form[Join]{
		{
			"SYN", "1e 0c 10 01 8972700b 80530f27",
			Join{Form: JoinSYN, AddressID: 1, Token: 0x8972700b, Nonce: 0x80530f27},
		},
		{
			"SYN, backup", "1e 0c 11 01 42d0c52a 64f48137",
			Join{Form: JoinSYN, Backup: true, AddressID: 1, Token: 0x42d0c52a, Nonce: 0x64f48137},
		},
		{
			"SYN/ACK", "1e 10 10 02 2e974dac571cdbe7 a178d1b0",
			Join{Form: JoinSYNACK, AddressID: 2, TruncHMAC: 0x2e974dac571cdbe7, Nonce: 0xa178d1b0},
		},
		{
			"SYN/ACK, backup", "1e 10 11 00 4e1cd27fe373b94e bf340e4e",
			Join{Form: JoinSYNACK, Backup: true, TruncHMAC: 0x4e1cd27fe373b94e, Nonce: 0xbf340e4e},
		},
		{
			"ACK", "1e 18 10 00 000102030405060708090a0b0c0d0e0f10111213",
			Join{Form: JoinACK, HMAC: [20]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}},
		},
	})
}

func TestJoinLengths(t *testing.T) {
	checkLengths(t, ParseJoin, 0x10, 0x01, 12, 16, 24)
}

// A stack of version 0 sets the lowest reserved bit of the third packet; there
// it is no backup flag.
func TestJoinACKIgnoresReservedBits(t *testing.T) {
	const hmac = "906c4377a05f31707592a2e8ef52956db5484231"
	var j Join
	assert.NilError(t, ParseJoin(unhex(t, "1e 18 11 00"+hmac), &j))
	assert.Check(t, is.Equal(j, (Join{Form: JoinACK, HMAC: [20]byte(unhex(t, hmac))})))
	if out, want := j.Append(nil), unhex(t, "1e 18 10 00"+hmac); !bytes.Equal(out, want) {
		t.Errorf("append: got % x, want % x", out, want)
	}
}
