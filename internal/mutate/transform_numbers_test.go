package mutate

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
)

// hop changes the time to live.
func (h *header) hop(by int) {
	at := h.ip + 8
	if h.v6 {
		at = h.ip + 7
	}
	h.p.Frame[at] += byte(by)
}

// timeToLive is what a router before the capture leaves of it.
func timeToLive(h *header) { h.hop(-3) }

func identifications(c *Transformed) (any bool) {
	c.each(func(h *header) {
		if !h.v6 {
			any = true
			f := h.p.Frame[h.ip+4:]
			binary.BigEndian.PutUint16(f, binary.BigEndian.Uint16(f)+0x8765)
		}
	})
	return any
}

// trafficClass sets DSCP and, in IPv6, a flow label. ECN stays.
func trafficClass(h *header) {
	f := h.p.Frame[h.ip:]
	if h.v6 {
		f[0], f[1], f[2], f[3] = 0x6b, 0x80|f[1]&0x30|5, 0x12, 0x34
		return
	}
	f[1] = 0xb8 | f[1]&3
}

// ipOptions adds a router alert to IPv4 (RFC 2113) and a header with hop-by-hop options to IPv6
// (RFC 8200, Section 4.3).
func ipOptions(h *header) {
	f := h.p.Frame[h.ip:]
	if h.v6 {
		h.grow(8)
		f[6] = 0
		h.insert(h.tcp, []byte{6, 0, 1, 4, 0, 0, 0, 0})
		return
	}
	if binary.BigEndian.Uint16(f[2:]) > 65531 {
		return // the length would not fit
	}
	f[0]++
	h.grow(4)
	h.insert(h.tcp, []byte{148, 4, 0, 0})
}

// full is the payload in bytes above which a segment has no room for more options.
const full = 500

// paddedOptions aligns options as some hosts do.
func paddedOptions(h *header) {
	if o := h.options(); len(o) <= 36 && h.p.Wire-h.data < full {
		h.setOptions(slices.Concat([]byte{1, 1, 1, 1}, o))
	}
}

// unknownOption adds an option for experiments (RFC 6994).
func unknownOption(h *header) {
	var known []byte
	walk(h.options(), func(o []byte) { known = append(known, o...) })
	if len(known) <= 34 && h.p.Wire-h.data < full {
		h.setOptions(append([]byte{253, 6, 0x12, 0x34, 0x56, 0x78}, known...))
	}
}

// checksumsOfCard leaves the TCP checksum of sent packets to the network card: the field has the
// sum of the addresses and the length.
func checksumsOfCard(c *Transformed) bool {
	own := c.outgoing()
	c.each(func(h *header) {
		from, to := h.addresses()
		if own[string(from)] {
			partial := fold(uint64(sum(from) + sum(to) + 6 + uint32(h.p.Wire-h.tcp)))
			binary.BigEndian.PutUint16(h.bytes()[16:], partial)
		}
	})
	return len(own) > 0
}

// addresses returns a function that replaces all addresses, so that they compare as before or the
// other way around.
func addresses(opposite bool) func(*Transformed) bool {
	return func(c *Transformed) bool {
		all := c.allAddresses()
		by := map[netip.Addr]netip.Addr{}
		for i, a := range all {
			rank := i
			if opposite {
				rank = len(all) - i
			}
			if a.Is4() {
				by[a] = netip.AddrFrom4([4]byte{198, 18, byte(rank / 200), byte(1 + rank%200)})
			} else {
				by[a] = netip.AddrFrom16([16]byte{0x20, 1, 0x0d, 0xb8, 12: 1, 14: byte(rank / 200), 15: byte(1 + rank%200)})
			}
		}
		c.rename(by)
		return true
	}
}

// allAddresses returns the addresses of TCP packets and of ADD_ADDR in their order.
func (c *Transformed) allAddresses() (all []netip.Addr) {
	seen := map[netip.Addr]bool{}
	enter := func(b []byte) {
		if a, _ := netip.AddrFromSlice(b); !seen[a] {
			seen[a] = true
			all = append(all, a)
		}
	}
	c.each(func(h *header) {
		from, to := h.addresses()
		enter(from)
		enter(to)
		for _, o := range h.mptcp() {
			if at, n := announced(o); n > 0 {
				enter(o[at : at+n])
			}
		}
	})
	slices.SortFunc(all, netip.Addr.Compare)
	return all
}

// rename replaces addresses by others of the same version.
func (c *Transformed) rename(by map[netip.Addr]netip.Addr) {
	for old, other := range by {
		c.replaced(old.String(), other.String())
	}
	replace := func(b []byte) {
		a, _ := netip.AddrFromSlice(b)
		copy(b, by[a].AsSlice())
	}
	keys := c.keyPairs()
	c.each(func(h *header) {
		from, to := h.addresses()
		replace(from)
		replace(to)
		h.announce(keys, func(o []byte, at, n int) { replace(o[at : at+n]) })
	})
}

// asIPv6 gives IPv4 packets IPv6 headers.
func asIPv6(c *Transformed) bool {
	keys := c.keyPairs()
	mapped := func(b []byte) []byte {
		v4, _ := netip.AddrFromSlice(b)
		long := append([]byte{0x20, 1, 0x0d, 0xb8, 0, 4, 0, 0, 0, 0, 0, 0}, b...)
		v6, _ := netip.AddrFromSlice(long)
		c.replaced(v4.String(), v6.String())
		return long
	}
	fits, any := true, false
	c.each(func(h *header) {
		fits = fits && h.announceIPv6(mapped, keys)
		if !h.v6 {
			any = true
			h.toIPv6(c.Capture, mapped)
		}
	})
	return any && fits
}

// toIPv6 replaces the IPv4 header of a packet.
func (h *header) toIPv6(c *Capture, mapped func(b []byte) []byte) {
	from, to := h.addresses()
	f := h.p.Frame
	length := uint16(0)
	if n := h.packetLength(); n > 0 {
		length = uint16(n - (h.tcp - h.ip))
	}
	ip := []byte{0x60 | f[h.ip+1]>>4, f[h.ip+1] << 4, 0, 0, byte(length >> 8), byte(length), 6, f[h.ip+8]}
	ip = slices.Concat(ip, mapped(from), mapped(to))
	grown := len(ip) - (h.tcp - h.ip)
	h.p.Frame, h.p.Wire = slices.Concat(f[:h.ip], ip, f[h.tcp:]), h.p.Wire+grown
	setKind(c, h.p.Frame, h.ip, typeIPv6)
}

// ports gives the ports of clients and servers other numbers of their kind.
func ports(c *Transformed) bool {
	c.Ports = map[string]string{}
	change := func(b []byte) {
		old := int(binary.BigEndian.Uint16(b))
		other := old + 1000
		if old >= 32768 { // the ports that Linux gives clients end at 60999
			other = 32768 + (old-32768+7777)%28232
		}
		c.Ports[strconv.Itoa(old)] = strconv.Itoa(other)
		c.replaced(fmt.Sprintf("port %d", old), fmt.Sprintf("port %d", other))
		binary.BigEndian.PutUint16(b, uint16(other))
	}
	keys := c.keyPairs()
	return c.each(func(h *header) {
		change(h.bytes())
		change(h.bytes()[2:])
		h.announce(keys, func(o []byte, at, n int) {
			if behind := len(o) - at - n; behind == 2 || behind == 10 {
				change(o[at+n:])
			}
		})
	})
}

// ranges are the least and largest number that each flow uses, without wraps.
type ranges map[flow]*struct {
	first      uint32
	least, top int64
}

func (r ranges) enter(f flow, n uint32) {
	x := r[f]
	if x == nil {
		x = &struct {
			first      uint32
			least, top int64
		}{first: n}
		r[f] = x
	}
	at := int64(int32(n - x.first))
	x.least, x.top = min(x.least, at), max(x.top, at)
}

// shift returns what to add to the numbers of a flow, so that the middle of them becomes to.
func (r ranges) shift(f flow, to uint64) uint64 {
	x := r[f]
	if x == nil {
		return 0
	}
	return to - uint64(int64(x.first)+(x.least+x.top)/2+1)
}

// answersSYN reports whether a packet is the RST of a host that knows no connection: its sequence
// number is 0 (RFC 9293, Section 3.5.2).
func (h *header) answersSYN() bool {
	return h.has(rst) && h.has(ack) && binary.BigEndian.Uint32(h.bytes()[4:]) == 0
}

// sequences returns a function that moves sequence numbers so that they pass a number midway.
func sequences(through uint64) func(*Transformed) bool {
	return func(c *Transformed) bool {
		r := ranges{}
		c.each(func(h *header) {
			if !h.answersSYN() {
				r.enter(h.flow(), binary.BigEndian.Uint32(h.bytes()[4:]))
			}
		})
		return c.each(func(h *header) {
			own, peer := r.shift(h.flow(), through), r.shift(h.flow().back(), through)
			if !h.answersSYN() {
				add(h.bytes()[4:], 4, own)
			}
			if !h.has(ack) {
				return
			}
			add(h.bytes()[8:], 4, peer)
			walk(h.options(), func(o []byte) {
				for at := 2; o[0] == 5 && at+4 <= len(o); at += 4 {
					add(o[at:], 4, peer)
				}
			})
		})
	}
}

// tcpTimestamps returns a function that moves timestamps so that they pass a number midway. An
// answer of 0 in a packet without ACK is none (RFC 7323, Section 3.2).
func tcpTimestamps(through uint64) func(*Transformed) bool {
	return func(c *Transformed) bool {
		r := ranges{}
		c.each(func(h *header) { h.stamps(func(o []byte) { r.enter(h.flow(), binary.BigEndian.Uint32(o[2:])) }) })
		c.each(func(h *header) {
			h.stamps(func(o []byte) {
				add(o[2:], 4, r.shift(h.flow(), through))
				if h.has(ack) && binary.BigEndian.Uint32(o[6:]) != 0 {
					add(o[6:], 4, r.shift(h.flow().back(), through))
				}
			})
		})
		return len(r) > 0
	}
}
