package conn

import (
	"encoding/binary"

	"mpanalyze/internal/packet"
)

// key names one direction of a TCP connection.
type key struct{ src, dst packet.Endpoint }

// reverse names the other direction.
func (k key) reverse() key { return key{k.dst, k.src} }

// short is what a direction has in both words of its cache line: of IPv4, its
// whole key.
type short struct {
	hosts uint64 // last four octets of both addresses
	ports uint64
}

// shorten returns the short form of a key.
func shorten(src, dst *packet.Endpoint) short {
	return short{
		uint64(binary.LittleEndian.Uint32(src.Addr[12:]))<<32 | uint64(binary.LittleEndian.Uint32(dst.Addr[12:])),
		uint64(src.Port)<<16 | uint64(dst.Port),
	}
}

// cached is one line of the lookup cache in front of the flow map.
type cached struct {
	short
	*direction      // nil where the line is free
	four       bool // the addresses are of IPv4, so that the short form is all of the key
	key
}

// cacheSize holds the flows of some dozens of connections at work at once. A
// miss costs as much as an eighth of what else a packet costs in the table.
const cacheSize = 1 << cacheBits

const cacheBits = 7

// line returns the line of the lookup cache that has the place of a direction.
func (t *Table) line(k short) *cached {
	return &t.cache[(k.hosts*0x9e3779b97f4a7c15^k.ports*0xc2b2ae3d27d4eb4f)>>(64-cacheBits)]
}

// holds reports whether the line is that of packet s, whose short form is k.
func (l *cached) holds(k short, s *packet.Segment) bool {
	return l.short == k && (l.four && !s.IPv6 || l.direction != nil && l.key == key{s.Src, s.Dst})
}

// isFour reports whether an address is one of IPv4.
func isFour(e *packet.Endpoint) bool {
	return [12]byte(e.Addr[:]) == [12]byte{10: 0xff, 11: 0xff} // RFC 4291, Section 2.5.5.2
}

// lookup finds the direction of a packet; nil where it is not known.
func (t *Table) lookup(k key, s *packet.Segment) *direction {
	short := shorten(&s.Src, &s.Dst)
	line := t.line(short)
	if line.holds(short, s) {
		return line.direction
	}
	d := t.flows[k]
	if d != nil {
		*line = cached{short, d, isFour(&k.src) && isFour(&k.dst), k}
	}
	return d
}

// forget drops both directions of k from the lookup cache.
func (t *Table) forget(k key) {
	for _, k := range [2]key{k, k.reverse()} {
		if line := t.line(shorten(&k.src, &k.dst)); line.key == k {
			*line = cached{}
		}
	}
}
