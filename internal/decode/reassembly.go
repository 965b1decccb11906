package decode

import (
	"net"
	"slices"
	"time"

	"github.com/gopacket/gopacket/ip4defrag"
	"github.com/gopacket/gopacket/ip6defrag"
	"github.com/gopacket/gopacket/layers"
)

// Bounds of the fragments that are held for reassembly. Age and memory are the defaults of
// Linux (ipfrag_time, ipfrag_high_thresh). At any bound the oldest datagram is dropped.
const (
	fragmentTimeout  = int64(30 * time.Second) // packet time since the first fragment
	fragmentMemory   = 4 << 20                 // bytes
	maxDatagrams     = 256
	fragmentOverhead = 512       // bytes that count for each fragment besides its payload
	maxDatagramLen   = 1<<16 - 1 // bytes (RFC 791, Section 3.2; RFC 8200, Section 4.5)
)

// fragmentKey identifies a datagram (RFC 791, Section 3.2; RFC 8200, Section 4.5). It contains
// the capture point, so that copies on several interfaces are reassembled separately.
type fragmentKey struct {
	src, dst [16]byte
	id       uint32
	protocol layers.IPProtocol // IPv4 only
	at       capturePoint
}

// A datagram is a datagram that is not complete yet. A defragmenter of gopacket holds any number
// of datagrams. With one defragmenter for each datagram, this package sets the bounds, and
// gopacket has the rules for overlaps.
type datagram struct {
	key   fragmentKey
	num   uint64 // packet number of the first fragment that was seen
	begun int64  // its capture time, ns since the Unix epoch
	cost  int    // bytes that count for fragmentMemory
	// known is how many bytes from its start were captured without a gap. If the snapshot
	// length cut a fragment, zeros replace the missing bytes, so that the length of the whole
	// datagram is right.
	known int
	v4    *ip4defrag.IPv4Defragmenter
	v6    *ip6defrag.IPv6Defragmenter
}

// reassembly holds the unfinished datagrams.
type reassembly struct {
	byKey map[fragmentKey]*datagram // at most maxDatagrams
	byAge []*datagram               // the same, oldest first
	cost  int                       // sum of the costs of all datagrams, at most fragmentMemory
}

// Finish gives up the datagrams that still wait for fragments. It must be called after
// the last packet, before reading the counts.
func (d *Decoder) Finish() {
	for len(d.frags.byAge) > 0 {
		d.giveUpOldest()
	}
}

func (d *Decoder) giveUpOldest() {
	oldest := d.frags.byAge[0]
	d.counts.anomalies[DatagramIncomplete].add(oldest.num)
	d.frags.remove(oldest)
}

func (r *reassembly) remove(g *datagram) {
	delete(r.byKey, g.key)
	i := slices.Index(r.byAge, g)
	r.byAge = slices.Delete(r.byAge, i, i+1)
	r.cost -= g.cost
}

// datagram returns the datagram of a fragment in the current packet, and makes room for
// the fragment.
func (d *Decoder) datagram(key fragmentKey, offset int, b span) *datagram {
	r := &d.frags
	for len(r.byAge) > 0 && d.time-r.byAge[0].begun > fragmentTimeout {
		d.giveUpOldest()
	}
	cost := b.wire + fragmentOverhead
	for len(r.byAge) > 0 && r.cost+cost > fragmentMemory {
		d.giveUpOldest()
	}
	g := r.byKey[key]
	if g == nil {
		if len(r.byAge) == maxDatagrams {
			d.giveUpOldest()
		}
		g = &datagram{key: key, num: d.num, begun: d.time, known: maxDatagramLen}
		if r.byKey == nil {
			r.byKey = make(map[fragmentKey]*datagram)
		}
		r.byKey[key] = g
		r.byAge = append(r.byAge, g)
	}
	g.cost += cost
	r.cost += cost
	if len(b.data) < b.wire {
		g.known = min(g.known, offset+len(b.data))
	}
	return g
}

// padded copies a fragment's payload, which the reader will overwrite, and extends it
// to its length on the wire.
func padded(b span) []byte {
	full := make([]byte, b.wire)
	copy(full, b.data)
	return full
}

// whole returns the span of a complete datagram.
func (g *datagram) whole(payload []byte) span {
	return span{payload[:min(len(payload), g.known)], len(payload)}
}

// fragment4 keeps the payload b of the IPv4 fragment in d.layer.ip4, and continues with
// the datagram when it is complete.
func (d *Decoder) fragment4(b span) Outcome {
	ip := &d.layer.ip4
	offset, protocol := int(ip.FragOffset)*8, ip.Protocol
	if ip4HeaderLen+offset+b.wire > maxDatagramLen {
		d.countAnomaly(FragmentsContradict)
		return Malformed
	}
	key := fragmentKey{d.net.src, d.net.dst, uint32(ip.Id), protocol, d.point}
	g := d.datagram(key, offset, b)
	if g.v4 == nil {
		g.v4 = ip4defrag.NewIPv4Defragmenter()
	}
	fragment := &layers.IPv4{
		Version: 4, IHL: ip4HeaderLen / 4, Length: uint16(ip4HeaderLen + b.wire),
		Id: ip.Id, Flags: ip.Flags, FragOffset: ip.FragOffset, Protocol: protocol,
		SrcIP: slices.Clone(ip.SrcIP), DstIP: slices.Clone(ip.DstIP),
	}
	fragment.Payload = padded(b)
	out, err := g.v4.DefragIPv4WithTimestamp(fragment, time.Unix(0, d.time))
	switch {
	case err != nil:
		d.countAnomaly(FragmentsContradict)
		d.frags.remove(g)
		return Fragment
	case out == nil:
		return Fragment
	}
	d.frags.remove(g)
	return d.protocol(protocol, g.whole(out.Payload))
}

// fragment6 does the same for the IPv6 fragment in d.layer.fragment. Here gopacket
// drops contradicting fragments silently; their datagram stays incomplete.
func (d *Decoder) fragment6(b span) Outcome {
	f := d.layer.fragment
	offset := int(f.FragmentOffset) * 8
	if offset+b.wire > maxDatagramLen {
		d.countAnomaly(FragmentsContradict)
		return Malformed
	}
	key := fragmentKey{src: d.net.src, dst: d.net.dst, id: f.Identification, at: d.point}
	g := d.datagram(key, offset, b)
	if g.v6 == nil {
		g.v6 = ip6defrag.NewIPv6Defragmenter()
	}
	f.BaseLayer = layers.BaseLayer{Payload: padded(b)}
	ip := &layers.IPv6{SrcIP: net.IP(slices.Clone(key.src[:])), DstIP: net.IP(slices.Clone(key.dst[:]))}
	out := g.v6.DefragIPv6(ip, &f)
	if out == nil {
		return Fragment
	}
	d.frags.remove(g)
	return d.extensions(out.NextHeader, g.whole(out.Payload))
}
