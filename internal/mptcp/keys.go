package mptcp

import (
	"crypto/sha1" // version 0 has no other hash (RFC 6824, Section 3.1)
	"crypto/sha256"
	"encoding/binary"
)

// Token and IDSN come from the same hash of a key: SHA-1 in version 0 and SHA-256 in later
// versions (flag H of MP_CAPABLE).

// Token returns the token of the connection at the host whose key this is: the
// most significant 32 bits of the key's hash (RFC 8684, Section 3.2).
func Token(version uint8, key uint64) uint32 {
	token, _ := TokenAndIDSN(version, key)
	return token
}

// IDSN returns the initial data sequence number of the host whose key this is:
// the least significant 64 bits of the key's hash (RFC 8684, Section 3.1).
func IDSN(version uint8, key uint64) uint64 {
	_, idsn := TokenAndIDSN(version, key)
	return idsn
}

// TokenAndIDSN returns both. It hashes the key once.
func TokenAndIDSN(version uint8, key uint64) (token uint32, idsn uint64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], key)
	if version == 0 {
		sum := sha1.Sum(b[:])
		return binary.BigEndian.Uint32(sum[:]), binary.BigEndian.Uint64(sum[sha1.Size-8:])
	}
	sum := sha256.Sum256(b[:])
	return binary.BigEndian.Uint32(sum[:]), binary.BigEndian.Uint64(sum[sha256.Size-8:])
}

// MAC is a whole HMAC: 20 bytes in version 0, 32 from version 1 on.
type MAC struct {
	Sum [sha256.Size]byte
	N   int // valid bytes in Sum
}

// Left64 returns the leftmost 64 bits, which MP_JOIN on a SYN/ACK carries.
func (m *MAC) Left64() uint64 { return binary.BigEndian.Uint64(m.Sum[:]) }

// Left160 returns the leftmost 160 bits, which MP_JOIN on the ACK carries.
func (m *MAC) Left160() [20]byte { return [20]byte(m.Sum[:]) }

// Right64 returns the rightmost 64 bits, which ADD_ADDR carries.
func (m *MAC) right64() uint64 {
	if m.N < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(m.Sum[m.N-8:])
}

// JoinHMAC returns the HMAC that one host sends in MP_JOIN (RFC 8684, Section 3.2). The key is
// keyOwn || keyPeer, the message is nonceOwn || noncePeer, and own is the host that sends it.
// HMAC-A is on the ACK, there own is A. HMAC-B is on the SYN/ACK, there own is B.
func JoinHMAC(version uint8, keyOwn, keyPeer uint64, nonceOwn, noncePeer uint32) MAC {
	var msg [8]byte
	binary.BigEndian.PutUint32(msg[:], nonceOwn)
	binary.BigEndian.PutUint32(msg[4:], noncePeer)
	return sign(version, keyOwn, keyPeer, msg[:])
}

// AddAddrHMAC returns the HMAC that an ADD_ADDR option of version 1 must have, if it has the
// address id, address and port of a (RFC 8684, Section 3.4.1). It is the rightmost 64 bits of an
// HMAC. The key is keyOwn || keyPeer, where own is the host that sends the option. The message
// is address id, address and port; if the option has no port, two zero bytes stand for it.
func AddAddrHMAC(keyOwn, keyPeer uint64, a *AddAddr) uint64 {
	msg := appendAddr([]byte{a.AddressID}, a.Addr)
	var port uint16
	if a.HasPort {
		port = a.Port
	}
	mac := sign(1, keyOwn, keyPeer, binary.BigEndian.AppendUint16(msg, port))
	return mac.right64()
}

// maxMessage is the length of the longest message that is signed: address id, IPv6
// address and port.
const maxMessage = 1 + 16 + 2

// sign returns the HMAC of a message (RFC 2104). It does not use crypto/hmac, which allocates a
// kilobyte for each HMAC. That would cost more than most of the other work for a join.
func sign(version uint8, keyOwn, keyPeer uint64, msg []byte) (m MAC) {
	const block = sha256.BlockSize // that of SHA-1, too
	var inner [block + maxMessage]byte
	binary.BigEndian.PutUint64(inner[:], keyOwn)
	binary.BigEndian.PutUint64(inner[8:], keyPeer)
	var outer [block + sha256.Size]byte
	for i := range block {
		inner[i], outer[i] = inner[i]^0x36, inner[i]^0x5c
	}
	first := inner[:block+copy(inner[block:], msg)]
	if version == 0 {
		sum := sha1.Sum(first)
		sum = sha1.Sum(outer[:block+copy(outer[block:], sum[:])])
		m.N = copy(m.Sum[:], sum[:])
		return m
	}
	sum := sha256.Sum256(first)
	copy(outer[block:], sum[:])
	m.Sum, m.N = sha256.Sum256(outer[:]), sha256.Size
	return m
}
