package mutate

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"mpanalyze/internal/mptcp"
)

// pairOfKeys are the keys of a connection: of the host that opened it and of its peer.
type pairOfKeys struct {
	version byte
	own     [2]uint64
}

// keyPairs returns the keys that third packets and packets with the first data say.
func (c *Capture) keyPairs() (pairs []pairOfKeys) {
	c.each(func(h *header) {
		for _, o := range h.mptcp() {
			if o[2]>>4 == capable && len(o) >= 20 {
				pair := pairOfKeys{o[2] & 15, [2]uint64{binary.BigEndian.Uint64(o[4:]), binary.BigEndian.Uint64(o[12:])}}
				if !slices.ContainsFunc(pairs, func(p pairOfKeys) bool { return p.own[0] == pair.own[0] }) {
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
	pairOfKeys
	side int
}

// signatureOf finds the keys that signed an ADD_ADDR of version 1; none of a wrong HMAC.
func signatureOf(o []byte, keys []pairOfKeys) (by signature, ok bool) {
	var a mptcp.AddAddr
	if mptcp.ParseAddAddr(o, &a) != nil || !a.HasHMAC() {
		return by, false
	}
	for _, p := range keys {
		for side := range 2 {
			if mptcp.AddAddrHMAC(p.own[side], p.own[1-side], &a) == a.HMAC {
				return signature{p, side}, true
			}
		}
	}
	return by, false
}

// sign writes the HMAC of an ADD_ADDR.
func (s signature) sign(o []byte) {
	var a mptcp.AddAddr
	if mptcp.ParseAddAddr(o, &a) == nil {
		binary.BigEndian.PutUint64(o[len(o)-8:], mptcp.AddAddrHMAC(s.own[s.side], s.own[1-s.side], &a))
	}
}

// announce calls change with the ADD_ADDRs of a packet, where their address begins and how long it
// is. HMACs stay right.
func (h *header) announce(keys []pairOfKeys, change func(o []byte, at, n int)) {
	for _, o := range h.mptcp() {
		if at, n := announced(o); n > 0 {
			by, signed := signatureOf(o, keys)
			if change(o, at, n); signed {
				by.sign(o)
			}
		}
	}
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
					by.sign(long)
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
	other [2]uint64
	shift [2]uint64 // of the DSNs of each host
	first [2]uint64 // their initial DSNs
}

// member is a host of a connection, or the direction of a subflow that it sends.
type member struct {
	*renewed
	side int
}

// rekeying is a capture whose connections get other keys.
type rekeying struct {
	c       *Transformed
	keys    map[uint64]member // by its old key
	tokens  map[uint32]member // by its old token
	members map[flow]member
	nonces  map[flow]uint32 // of joins, by who sent it
}

// otherKeys gives every connection keys whose initial DSNs let the data pass 2^32 midway, where it
// is long enough to find such keys. Tokens, HMACs, DSNs and DSS checksums follow.
func otherKeys(c *Transformed) bool {
	r := &rekeying{c, map[uint64]member{}, map[uint32]member{}, map[flow]member{}, map[flow]uint32{}}
	for _, pair := range c.keyPairs() {
		n := &renewed{pairOfKeys: pair}
		for side, key := range pair.own {
			n.first[side] = mptcp.IDSN(pair.version, key)
			r.keys[key] = member{n, side}
			r.tokens[mptcp.Token(pair.version, key)] = member{n, side}
		}
	}
	if len(r.keys) == 0 {
		return false
	}
	c.each(r.enter)
	for i, key := range slices.Sorted(maps.Keys(r.keys)) {
		m := r.keys[key]
		m.renew(i, r.span(m))
	}
	c.each(func(h *header) { r.change(h) })
	for token, m := range r.tokens {
		c.replaced(fmt.Sprintf("0x%08x", token), fmt.Sprintf("0x%08x", mptcp.Token(m.version, m.other[m.side])))
	}
	return true
}

// enter notes which connection a subflow belongs to.
func (r *rekeying) enter(h *header) {
	be, f := binary.BigEndian, h.flow()
	for _, o := range h.mptcp() {
		switch {
		case o[2]>>4 == capable && len(o) >= 12:
			if m, ok := r.keys[be.Uint64(o[4:])]; ok {
				r.members[f], r.members[f.back()] = m, member{m.renewed, 1 - m.side}
			}
		case o[2]>>4 == join && len(o) == 12 && h.has(syn):
			if m, ok := r.tokens[be.Uint32(o[4:])]; ok { // the token of its receiver
				r.members[f], r.members[f.back()] = member{m.renewed, 1 - m.side}, m
				r.nonces[f] = be.Uint32(o[8:])
			}
		case o[2]>>4 == join && len(o) == 16 && h.has(syn):
			r.nonces[f] = be.Uint32(o[12:])
		}
	}
}

// span returns how many bytes of data a host sent.
func (r *rekeying) span(host member) (most uint64) {
	r.c.each(func(h *header) {
		if r.members[h.flow()] != host {
			return
		}
		for _, o := range h.mptcp() {
			if x, ok := mappingOf(o); ok && x.dsn > 0 {
				if by := uint32(host.full(o[x.dsn:], x.dsnSize) - host.first[host.side]); by < 1<<31 {
					most = max(most, uint64(by))
				}
			}
		}
	})
	return most
}

// renew looks for a key. Those for a few bytes of data would take too long to find: their data
// lies before 2^32.
func (m member) renew(seed int, span uint64) {
	width := max(span/2, 1<<16)
	for key := uint64(seed+1) << 48; ; key++ {
		first := mptcp.IDSN(m.version, key)
		if left := 1<<32 - first&(1<<32-1); left > span/4 && left <= span/4+width {
			m.other[m.side], m.shift[m.side] = key, first-m.first[m.side]
			return
		}
	}
}

// full returns a DSN of 4 or 8 bytes with 64 bits: the one next to the initial DSN.
func (m member) full(b []byte, size int) uint64 {
	if size == 8 {
		return binary.BigEndian.Uint64(b)
	}
	return m.first[m.side] + uint64(int64(int32(binary.BigEndian.Uint32(b)-uint32(m.first[m.side]))))
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
			if by, ok := signatureOf(o, []pairOfKeys{m.pairOfKeys}); ok {
				signature{pairOfKeys{m.version, m.other}, by.side}.sign(o)
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
	if m, ok := r.keys[binary.BigEndian.Uint64(key)]; ok {
		binary.BigEndian.PutUint64(key, m.other[m.side])
	}
}

// joins changes the token of a SYN, and the HMAC of the packets behind it where it was right.
func (m member) joins(o []byte, nonce, peer uint32) {
	if len(o) == 12 {
		binary.BigEndian.PutUint32(o[4:], mptcp.Token(m.version, m.other[1-m.side]))
		return
	}
	before := mptcp.JoinHMAC(m.version, m.own[m.side], m.own[1-m.side], nonce, peer)
	after := mptcp.JoinHMAC(m.version, m.other[m.side], m.other[1-m.side], nonce, peer)
	n := map[int]int{16: 8, 24: 20}[len(o)] // bytes of the HMAC
	if string(o[4:4+n]) == string(before.Sum[:n]) {
		copy(o[4:4+n], after.Sum[:])
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
	old := m.full(o[x.dsn:], x.dsnSize)
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
