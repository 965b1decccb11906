package mptcp

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math/rand/v2"
	"testing"
)

// An HMAC equals that of crypto/hmac, and is computed without an allocation.
func TestSign(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for n := range maxMessage + 1 {
		msg := make([]byte, n)
		for i := range msg {
			msg[i] = byte(r.Uint32())
		}
		own, peer := r.Uint64(), r.Uint64()
		key := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, own), peer)
		for version, of := range []func() hash.Hash{sha1.New, sha256.New} {
			want := hmac.New(of, key)
			want.Write(msg)
			if got := sign(uint8(version), own, peer, msg); !bytes.Equal(got.Sum[:got.N], want.Sum(nil)) {
				t.Errorf("version %d, %d bytes: %x, want %x", version, n, got.Sum[:got.N], want.Sum(nil))
			}
		}
	}
	if n := testing.AllocsPerRun(100, func() { JoinHMAC(0, 1, 2, 3, 4); JoinHMAC(1, 1, 2, 3, 4) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
