package mptcp

import (
	"crypto/hmac"
	"crypto/sha1" // version 0 has no other hash (RFC 6824, Section 3.1)
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// A key gives both numbers of this file through one hash, SHA-1 in version 0
// and SHA-256 in every later one (flag H of MP_CAPABLE).

// Token returns the token of the connection at the host whose key this is: the
// most significant 32 bits of the key's hash (RFC 8684, Section 3.2).
func Token(version uint8, key uint64) uint32 {
	token, _ := hashKey(version, key)
	return token
}

// IDSN returns the initial data sequence number of the host whose key this is:
// the least significant 64 bits of the key's hash (RFC 8684, Section 3.1).
func IDSN(version uint8, key uint64) uint64 {
	_, idsn := hashKey(version, key)
	return idsn
}

func hashKey(version uint8, key uint64) (token uint32, idsn uint64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], key)
	if version == 0 {
		sum := sha1.Sum(b[:])
		return binary.BigEndian.Uint32(sum[:]), binary.BigEndian.Uint64(sum[sha1.Size-8:])
	}
	sum := sha256.Sum256(b[:])
	return binary.BigEndian.Uint32(sum[:]), binary.BigEndian.Uint64(sum[sha256.Size-8:])
}

// MAC is a whole HMAC: 20 octets in version 0, 32 from version 1 on.
type MAC struct {
	Sum [sha256.Size]byte
	N   int // valid octets in Sum
}

// Left64 returns the leftmost 64 bits, which MP_JOIN on a SYN/ACK carries.
func (m *MAC) Left64() uint64 { return binary.BigEndian.Uint64(m.Sum[:]) }

// Left160 returns the leftmost 160 bits, which MP_JOIN on the ACK carries.
func (m *MAC) Left160() [20]byte { return [20]byte(m.Sum[:]) }

// Right64 returns the rightmost 64 bits, which ADD_ADDR carries.
func (m *MAC) Right64() uint64 {
	if m.N < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(m.Sum[m.N-8:])
}

// JoinHMAC returns the HMAC that one host sends in MP_JOIN, under the key
// keyOwn || keyPeer over the message nonceOwn || noncePeer, where own is the
// host that sends it (RFC 8684, Section 3.2): HMAC-A, on the ACK, has A for
// own; HMAC-B, on the SYN/ACK, has B.
func JoinHMAC(version uint8, keyOwn, keyPeer uint64, nonceOwn, noncePeer uint32) MAC {
	var msg [8]byte
	binary.BigEndian.PutUint32(msg[:], nonceOwn)
	binary.BigEndian.PutUint32(msg[4:], noncePeer)
	return sign(version, keyOwn, keyPeer, msg[:])
}

// AddAddrHMAC returns the HMAC that an ADD_ADDR option of version 1 with the
// address id, address and port of a must carry: the rightmost 64 bits of the
// HMAC under the key keyOwn || keyPeer, where own is the host that sends it,
// over address id, address and port; a port that is not in the option counts
// as two octets of zero (RFC 8684, Section 3.4.1).
func AddAddrHMAC(keyOwn, keyPeer uint64, a *AddAddr) uint64 {
	msg := appendAddr([]byte{a.AddressID}, a.Addr)
	var port uint16
	if a.HasPort {
		port = a.Port
	}
	mac := sign(1, keyOwn, keyPeer, binary.BigEndian.AppendUint16(msg, port))
	return mac.Right64()
}

func sign(version uint8, keyOwn, keyPeer uint64, msg []byte) (m MAC) {
	var key [16]byte
	binary.BigEndian.PutUint64(key[:], keyOwn)
	binary.BigEndian.PutUint64(key[8:], keyPeer)
	var h hash.Hash
	if version == 0 {
		h = hmac.New(sha1.New, key[:])
	} else {
		h = hmac.New(sha256.New, key[:])
	}
	h.Write(msg) // never returns an error (package hash)
	m.N = len(h.Sum(m.Sum[:0]))
	return m
}
