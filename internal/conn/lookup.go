package conn

import (
	"encoding/binary"

	"mpanalyze/internal/packet"
)

// key names one direction of a TCP connection.
type key struct{ src, dst packet.Endpoint }

// reverse names the other direction.
func (k key) reverse() key { return key{k.dst, k.src} }

// flows are the subflows of the connections that are not finished, by their ordered
// 4-tuples.
type flows map[key]*Subflow

// direction returns the direction that k names; nil where it is not known.
func (f flows) direction(k key) *Direction {
	sub := f[k.ordered()]
	switch {
	case sub == nil:
		return nil
	case sub.Ends[B] == k.src:
		return &sub.dirs[B]
	}
	return &sub.dirs[A]
}

// shortKey is what a direction has in both words of its cache line: of IPv4, its
// whole key.
type shortKey struct {
	hosts uint64 // last four octets of both addresses
	ports uint64 // that of the source from bit 36 on, the other from bit 20 on: not where hosts differ most
}

// shortKeyOf returns the short form of a key.
func shortKeyOf(src, dst *packet.Endpoint) shortKey {
	return shortKey{
		uint64(binary.LittleEndian.Uint32(src.Addr[12:]))<<32 | uint64(binary.LittleEndian.Uint32(dst.Addr[12:])),
		uint64(src.Port)<<36 | uint64(dst.Port)<<20,
	}
}

// partial returns what stands in a line for a key of which k is not all: no
// packet of IPv4 has it.
func (k shortKey) partial() shortKey { return shortKey{k.hosts, ^k.ports} }

// cacheLine is one line of a lookup cache.
type cacheLine struct {
	shortKey            // partial where it is not all of the key
	at       *Direction // nil where the line is free
	key
	slot int32 // [Conn.slot]
}

// cacheSize holds the flows of a thousand connections at work at once, in 256 KiB. A
// miss costs as much as an eighth of what else a packet costs in the table.
const cacheSize = 1 << cacheBits

const cacheBits = 12

// cache stands in front of a map of directions.
type cache [cacheSize]cacheLine

// line returns the line that has the place of a direction.
func (c *cache) line(k shortKey) *cacheLine {
	return &c[(k.hosts^k.ports)*0x9e3779b97f4a7c15>>(64-cacheBits)]
}

// lookupIPv4 returns the direction of a packet of IPv4 if the cache has it. It is small enough to stand in the loops over packets; where it has nothing to
// tell, recentOfAny may have.
func (c *cache) lookupIPv4(s *packet.Segment) *Direction {
	k := shortKeyOf(&s.Src, &s.Dst)
	line := c.line(k)
	if s.IPv6 || line.shortKey != k {
		return nil
	}
	return line.at
}

// lookup is recent for a packet of either version.
func (c *cache) lookup(s *packet.Segment) *Direction {
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

// isFour reports whether an address is one of IPv4.
func isFour(e *packet.Endpoint) bool {
	return [12]byte(e.Addr[:]) == [12]byte{10: 0xff, 11: 0xff} // RFC 4291, Section 2.5.5.2
}

// find returns the direction of a packet, from the cache or the map behind it; nil
// where it is not known.
func (c *cache) find(all flows, k key, s *packet.Segment) *Direction {
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

// findSlot is find, with the place of the connection. A direction that the cache has is
// not touched.
func (c *cache) findSlot(all flows, s *packet.Segment) (d *Direction, place int32) {
	k := shortKeyOf(&s.Src, &s.Dst)
	if line := c.line(k); !s.IPv6 && line.shortKey == k && line.at != nil {
		return line.at, line.slot
	}
	if d = c.find(all, key{s.Src, s.Dst}, s); d == nil {
		return nil, -1
	}
	return d, d.Conn.slot
}

// forget drops both directions of k.
func (c *cache) forget(k key) {
	for _, k := range [2]key{k, k.reverse()} {
		if line := c.line(shortKeyOf(&k.src, &k.dst)); line.key == k {
			*line = cacheLine{}
		}
	}
}
