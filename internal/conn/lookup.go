package conn

import (
	"encoding/binary"
	"math/bits"

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

// partial returns what stands in a line for a key of which k is not all: no
// packet of IPv4 has it.
func (k short) partial() short { return short{k.hosts, ^k.ports} }

// cached is one line of the lookup cache in front of the flow map.
type cached struct {
	short                // partial where it is not all of the key
	direction *Direction // nil where the line is free
	key
}

// cacheSize holds the flows of some dozens of connections at work at once. A
// miss costs as much as an eighth of what else a packet costs in the table.
const cacheSize = 1 << cacheBits

const cacheBits = 7

// line returns the line of the lookup cache that has the place of a direction.
func (t *Table) line(k short) *cached {
	return &t.cache[(k.hosts^bits.RotateLeft64(k.ports, 20))*0x9e3779b97f4a7c15>>(64-cacheBits)]
}

// recent returns the direction of a packet if the lookup cache has it.
func (t *Table) recent(s *packet.Segment) *Direction {
	k := shorten(&s.Src, &s.Dst)
	if line := t.line(k); line.short == k && !s.IPv6 {
		return line.direction
	}
	return t.recentWhole(k, s)
}

// recentWhole is recent for a packet whose key is more than its short form.
func (t *Table) recentWhole(k short, s *packet.Segment) *Direction {
	if line := t.line(k); line.short == k.partial() && line.key == (key{s.Src, s.Dst}) {
		return line.direction
	}
	return nil
}

// isFour reports whether an address is one of IPv4.
func isFour(e *packet.Endpoint) bool {
	return [12]byte(e.Addr[:]) == [12]byte{10: 0xff, 11: 0xff} // RFC 4291, Section 2.5.5.2
}

// lookup finds the direction of a packet; nil where it is not known.
func (t *Table) lookup(k key, s *packet.Segment) *Direction {
	if d := t.recent(s); d != nil {
		return d
	}
	d := t.flows[k]
	if d != nil {
		form := shorten(&k.src, &k.dst)
		line := t.line(form)
		if !isFour(&k.src) || !isFour(&k.dst) {
			form = form.partial()
		}
		*line = cached{form, d, k}
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
