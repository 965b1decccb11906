package conn

import (
	"encoding/binary"

	"mpanalyze/internal/packet"
)

// key is the 4-tuple of one direction of a TCP connection.
type key struct{ src, dst packet.Endpoint }

// reverse returns the key of the other direction.
func (k key) reverse() key { return key{k.dst, k.src} }

// flows are the subflows of the connections that are not finished, by ordered 4-tuple.
type flows map[key]*Subflow

// direction returns the direction with key k; nil where it is not known.
func (f flows) direction(k key) *SubflowDir {
	sub := f[k.ordered()]
	switch {
	case sub == nil:
		return nil
	case sub.Ends[B] == k.src:
		return &sub.dirs[B]
	}
	return &sub.dirs[A]
}

// shortKey is a short form of a key: for IPv4 all of it, for IPv6 a part.
type shortKey struct {
	hosts uint64 // the last four bytes of both addresses
	ports uint64 // source port from bit 36 on, destination port from bit 20 on: hosts differ mostly in other bits
}

// shortKeyOf returns the short form of a key.
func shortKeyOf(src, dst *packet.Endpoint) shortKey {
	return shortKey{
		uint64(binary.LittleEndian.Uint32(src.Addr[12:]))<<32 | uint64(binary.LittleEndian.Uint32(dst.Addr[12:])),
		uint64(src.Port)<<36 | uint64(dst.Port)<<20,
	}
}

// partial marks k as a part of a key. No packet of IPv4 has such a short key.
func (k shortKey) partial() shortKey { return shortKey{k.hosts, ^k.ports} }

// cacheLine is an entry of the cache.
type cacheLine struct {
	shortKey             // partial unless it is the whole key
	at       *SubflowDir // nil where the line is empty
	key
	slot int32 // [Conn.slot]
}

// cacheSize suffices for the flows of a thousand active connections; the cache takes
// 256 KiB. A miss adds an eighth to the cost of a packet in the table.
const cacheSize = 1 << cacheBits

const cacheBits = 12

// cache is a direct-mapped cache of directions in front of Table.flows.
type cache [cacheSize]cacheLine

// line returns the line for a short key.
func (c *cache) line(k shortKey) *cacheLine {
	return &c[(k.hosts^k.ports)*0x9e3779b97f4a7c15>>(64-cacheBits)]
}

// lookup returns the direction of a packet if the cache has it.
func (c *cache) lookup(s *packet.Segment) *SubflowDir {
	k := shortKeyOf(&s.Src, &s.Dst)
	line := c.line(k)
	if s.IPv6 {
		k = k.partial()
	}
	if line.shortKey == k && (!s.IPv6 || line.key == key{s.Src, s.Dst}) {
		return line.at
	}
	return nil
}

// isFour reports whether an address is an IPv4 address.
func isFour(e *packet.Endpoint) bool {
	return [12]byte(e.Addr[:]) == [12]byte{10: 0xff, 11: 0xff} // RFC 4291, Section 2.5.5.2
}

// find returns the direction of a packet from the cache or from all; nil where it is
// not known.
func (c *cache) find(all flows, k key, s *packet.Segment) *SubflowDir {
	if d := c.lookup(s); d != nil {
		return d
	}
	d := all.direction(k)
	if d != nil {
		form := shortKeyOf(&k.src, &k.dst)
		line := c.line(form)
		if !isFour(&k.src) || !isFour(&k.dst) {
			form = form.partial()
		}
		*line = cacheLine{form, d, k, d.Conn.slot}
	}
	return d
}

// findSlot is find, and returns the slot of the connection, too. It does not load a
// direction that the cache has.
func (c *cache) findSlot(all flows, s *packet.Segment) (d *SubflowDir, place int32) {
	k := shortKeyOf(&s.Src, &s.Dst)
	if line := c.line(k); !s.IPv6 && line.shortKey == k && line.at != nil {
		return line.at, line.slot
	}
	if d = c.find(all, key{s.Src, s.Dst}, s); d == nil {
		return nil, -1
	}
	return d, d.Conn.slot
}

// forget removes both directions of k.
func (c *cache) forget(k key) {
	for _, k := range [2]key{k, k.reverse()} {
		if line := c.line(shortKeyOf(&k.src, &k.dst)); line.key == k {
			*line = cacheLine{}
		}
	}
}
