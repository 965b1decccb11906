package mutate

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"slices"
)

// subtypes of Multipath TCP, besides those of header_test.go.
const (
	join      = 1
	addAddr   = 3
	fail      = 6
	fastclose = 7
)

// pairOfKeys are the keys of a connection: of the host that opened it and of its peer.
type pairOfKeys struct {
	version byte
	own     [2][]byte
}

// digest returns the hash function of a version (RFC 6824, Section 3.1; RFC 8684, Section 3.1).
func digest(version byte) func() hash.Hash {
	if version == 0 {
		return sha1.New
	}
	return sha256.New
}

// tokenOf and firstDSN are the first 32 and the last 64 bits of the hash of a key.
func tokenOf(version byte, key []byte) uint32 { return binary.BigEndian.Uint32(hashed(version, key)) }

func firstDSN(version byte, key []byte) uint64 {
	h := hashed(version, key)
	return binary.BigEndian.Uint64(h[len(h)-8:])
}

func hashed(version byte, key []byte) []byte {
	h := digest(version)()
	h.Write(key)
	return h.Sum(nil)
}

// keyed returns the HMAC of a message: the key of the host that signs comes first.
func keyed(version byte, own, peer, message []byte) []byte {
	h := hmac.New(digest(version), slices.Concat(own, peer))
	h.Write(message)
	return h.Sum(nil)
}

// keyPairs returns the keys that third packets and packets with the first data say.
func (c *Capture) keyPairs() (pairs []pairOfKeys) {
	c.each(func(h *header) {
		for _, o := range h.mptcp() {
			if o[2]>>4 == capable && len(o) >= 20 {
				pair := pairOfKeys{o[2] & 15, [2][]byte{slices.Clone(o[4:12]), slices.Clone(o[12:20])}}
				if !slices.ContainsFunc(pairs, func(p pairOfKeys) bool { return slices.Equal(p.own[0], pair.own[0]) }) {
					pairs = append(pairs, pair)
				}
			}
		}
	})
	return pairs
}

// announced returns where an ADD_ADDR has its address and how long it is.
func announced(o []byte) (at, n int) {
	if o[2]>>4 != addAddr {
		return 0, 0
	}
	switch len(o) {
	case 8, 10, 16, 18:
		return 4, 4
	case 20, 22, 28, 30:
		return 4, 16
	}
	return 0, 0
}

// signature is what signed an ADD_ADDR: the keys of a connection and which host.
type signature struct {
	version   byte
	own, peer []byte
}

// signatureOf finds the keys that signed an ADD_ADDR of version 1; none of a wrong HMAC.
func signatureOf(o []byte, keys []pairOfKeys) (by signature, ok bool) {
	at, n := announced(o)
	if n == 0 || len(o) < at+n+8 {
		return by, false
	}
	for _, p := range keys {
		for side := range 2 {
			by = signature{p.version, p.own[side], p.own[1-side]}
			if hmac.Equal(by.of(o), o[len(o)-8:]) {
				return by, true
			}
		}
	}
	return by, false
}

// of returns the HMAC of an ADD_ADDR (RFC 8684, Section 3.4.1): of the address ID, the address
// and the port, or 0.
func (s signature) of(o []byte) []byte {
	at, n := announced(o)
	message := slices.Concat(o[3:4], o[at:at+n], []byte{0, 0})
	if len(o) == at+n+10 {
		copy(message[1+n:], o[at+n:])
	}
	sum := keyed(s.version, s.own, s.peer, message)
	return sum[len(sum)-8:]
}

// announceIPv6 replaces addresses of IPv4 in ADD_ADDR. It reports whether the options have room.
func (h *header) announceIPv6(mapped func(b []byte) []byte, keys []pairOfKeys) bool {
	var all []byte
	any := false
	walk(h.options(), func(o []byte) {
		if o[0] == kindMPTCP && len(o) > 2 {
			if at, n := announced(o); n == 4 {
				by, signed := signatureOf(o, keys)
				long := slices.Concat(o[:at], mapped(o[at:at+n]), o[at+n:])
				long[1] += 12
				if o[2]&15 == 4 { // version 0 says the version of IP
					long[2] += 2
				}
				if signed {
					copy(long[len(long)-8:], by.of(long))
				}
				o, any = long, true
			}
		}
		all = append(all, o...)
	})
	if any && len(all) <= 40 {
		h.setOptions(all)
	}
	return len(all) <= 40
}

// renewed is a connection that gets other keys.
type renewed struct {
	pairOfKeys
	other [2][]byte
	shift [2]uint64 // of the DSNs of each host
	first [2]uint64 // their initial DSNs
}

// member is a direction of a subflow: of which connection, and which host sends it.
type member struct {
	*renewed
	side int
}

// rekeying is a capture whose connections get other keys.
type rekeying struct {
	c       *Transformed
	keys    map[string]*renewed // by each old key
	tokens  map[uint32]member   // by the old token of a host
	members map[flow]member
	nonces  map[flow][]byte // of joins, by who sent it
}

// otherKeys gives every connection keys whose initial DSNs let the data pass 2^32 midway, where it
// is long enough to find such keys. Tokens, HMACs, DSNs and DSS checksums follow.
func otherKeys(c *Transformed) bool {
	r := &rekeying{c, map[string]*renewed{}, map[uint32]member{}, map[flow]member{}, map[flow][]byte{}}
	for _, pair := range c.keyPairs() {
		n := &renewed{pairOfKeys: pair}
		for side, key := range pair.own {
			n.first[side] = firstDSN(pair.version, key)
			r.keys[string(key)] = n
			r.tokens[tokenOf(pair.version, key)] = member{n, side}
		}
	}
	if len(r.keys) == 0 {
		return false
	}
	c.each(r.enter)
	for i, key := range slices.Sorted(maps.Keys(r.keys)) {
		n := r.keys[key]
		side := slices.IndexFunc(n.own[:], func(k []byte) bool { return string(k) == key })
		n.renew(side, i, r.span(n, side))
	}
	c.each(func(h *header) { h.edit(func() { r.change(h) }) })
	for token, m := range r.tokens {
		c.replaced(fmt.Sprintf("0x%08x", token), fmt.Sprintf("0x%08x", tokenOf(m.version, m.other[m.side])))
	}
	return true
}

// enter notes which connection a subflow belongs to.
func (r *rekeying) enter(h *header) {
	f := h.flow()
	for _, o := range h.mptcp() {
		switch {
		case o[2]>>4 == capable && len(o) >= 12:
			if n := r.keys[string(o[4:12])]; n != nil {
				side := 0
				if string(n.own[1]) == string(o[4:12]) {
					side = 1
				}
				r.members[f], r.members[f.back()] = member{n, side}, member{n, 1 - side}
			}
		case o[2]>>4 == join && len(o) == 12 && h.has(syn):
			if m, ok := r.tokens[binary.BigEndian.Uint32(o[4:])]; ok { // the token of its receiver
				r.members[f], r.members[f.back()] = member{m.renewed, 1 - m.side}, m
				r.nonces[f] = slices.Clone(o[8:12])
			}
		case o[2]>>4 == join && len(o) == 16 && h.has(syn):
			r.nonces[f] = slices.Clone(o[12:16])
		}
	}
}

// span returns how many bytes of data a host sent.
func (r *rekeying) span(n *renewed, side int) (most uint64) {
	r.c.each(func(h *header) {
		if m := r.members[h.flow()]; m.renewed != n || m.side != side {
			return
		}
		for _, o := range h.mptcp() {
			if x, ok := mappingOf(o); ok && x.dsn > 0 {
				if by := uint32(n.full(side, o[x.dsn:], x.dsnSize) - n.first[side]); by < 1<<31 {
					most = max(most, uint64(by))
				}
			}
		}
	})
	return most
}

// renew looks for a key. Those for a few bytes of data would take too long to find: their data
// lies before 2^32.
func (n *renewed) renew(side, seed int, span uint64) {
	width := max(span/2, 1<<16)
	for k := uint64(0); ; k++ {
		key := binary.BigEndian.AppendUint64(nil, uint64(seed+1)<<48|k)
		first := firstDSN(n.version, key)
		if left := 1<<32 - first&(1<<32-1); left > span/4 && left <= span/4+width {
			n.other[side], n.shift[side] = key, first-n.first[side]
			return
		}
	}
}

// full returns a DSN of 4 or 8 bytes with 64 bits: the one next to the initial DSN.
func (n *renewed) full(side int, b []byte, size int) uint64 {
	if size == 8 {
		return binary.BigEndian.Uint64(b)
	}
	return n.first[side] + uint64(int64(int32(binary.BigEndian.Uint32(b)-uint32(n.first[side]))))
}

// change changes the options of a packet.
func (r *rekeying) change(h *header) {
	f := h.flow()
	m, ok := r.members[f]
	if !ok {
		return
	}
	for _, o := range h.mptcp() {
		switch o[2] >> 4 {
		case capable:
			for at := 4; at+8 <= len(o) && at <= 12; at += 8 {
				r.replaceKey(o[at : at+8])
			}
			if len(o) == 24 {
				m.sums(o[22:], m.first[m.side]+1) // of the first data
			}
		case fastclose:
			if len(o) >= 12 {
				r.replaceKey(o[4:12])
			}
		case join:
			m.joins(o, r.nonces[f], r.nonces[f.back()])
		case addAddr:
			for side := range 2 {
				if by, ok := signatureOf(o, []pairOfKeys{m.pairOfKeys}); ok && string(by.own) == string(m.own[side]) {
					copy(o[len(o)-8:], signature{m.version, m.other[side], m.other[1-side]}.of(o))
					break
				}
			}
		case fail:
			if len(o) == 12 { // the DSN of what its sender received
				before := binary.BigEndian.Uint64(o[4:])
				add(o[4:], 8, m.shift[1-m.side])
				r.c.replaced(fmt.Sprintf("DSN %d", before), fmt.Sprintf("DSN %d", before+m.shift[1-m.side]))
			}
		case dss:
			m.maps(o)
		}
	}
}

func (r *rekeying) replaceKey(key []byte) {
	if n := r.keys[string(key)]; n != nil {
		side := 0
		if string(n.own[1]) == string(key) {
			side = 1
		}
		copy(key, n.other[side])
	}
}

// joins changes the token of a SYN, and the HMAC of the packets behind it where it was right.
func (m member) joins(o, nonce, peer []byte) {
	message := slices.Concat(nonce, peer)
	before := keyed(m.version, m.own[m.side], m.own[1-m.side], message)
	after := keyed(m.version, m.other[m.side], m.other[1-m.side], message)
	switch len(o) {
	case 12:
		binary.BigEndian.PutUint32(o[4:], tokenOf(m.version, m.other[1-m.side]))
	case 16:
		if hmac.Equal(o[4:12], before[:8]) {
			copy(o[4:12], after)
		}
	case 24:
		if hmac.Equal(o[4:24], before[:20]) {
			copy(o[4:24], after)
		}
	}
}

// maps moves the numbers of a DSS option.
func (m member) maps(o []byte) {
	x, ok := mappingOf(o)
	if !ok {
		return
	}
	if x.ack > 0 {
		add(o[x.ack:], x.ackSize, m.shift[1-m.side])
	}
	if x.dsn == 0 {
		return
	}
	old := m.full(m.side, o[x.dsn:], x.dsnSize)
	add(o[x.dsn:], x.dsnSize, m.shift[m.side])
	if x.sumsAt > 0 {
		m.sums(o[x.sumsAt:], old)
	}
}

// sums corrects a DSS checksum, which covers all 64 bits of a DSN.
func (m member) sums(field []byte, dsn uint64) {
	be := binary.BigEndian
	before, after := sum(be.AppendUint64(nil, dsn)), sum(be.AppendUint64(nil, dsn+m.shift[m.side]))
	be.PutUint16(field, corrected(be.Uint16(field), before, after))
}
