package tracegen

import "net/netip"

// dataAttacks are attacks by the positions of data. In most of them each packet makes a
// hole.
var dataAttacks = []Attack{
	{"holes in the data, upwards", false, func(a *attacker, n int) {
		a.holes(n, func(i int) uint64 { return uint64(2*i + 1) })
	}},
	{"holes in the data, downwards", false, func(a *attacker, n int) {
		a.holes(n, func(i int) uint64 { return uint64(2*(n-i) + 1) })
	}},
	{"holes in the data, anywhere", false, func(a *attacker, n int) {
		a.holes(n, func(int) uint64 { return uint64(a.rand.IntN(1 << 29)) })
	}},
	{"holes in a subflow, upwards", false, func(a *attacker, n int) {
		l := a.open(0)
		for i := range n {
			l.put(uint32(2*i+2), uint64(2*i+1), 1)
		}
	}},
	{"holes in a subflow, anywhere", false, func(a *attacker, n int) {
		l := a.open(0)
		for range n {
			at := a.rand.Uint32N(1 << 23)
			l.put(at+2, uint64(at+1), 1)
		}
	}},
	{"holes in a subflow, closed late", false, func(a *attacker, n int) {
		const gaps = 4000
		l := a.open(0)
		for i := range n {
			l.put(uint32(2+2*i), uint64(1+2*i), 1)
			if i%gaps == gaps-1 { // then the bytes that close these holes
				for k := i - gaps + 1; k <= i; k++ {
					l.put(uint32(1+2*k), uint64(2*k), 1)
				}
			}
		}
	}},
	{"mappings that overlap", false, func(a *attacker, n int) {
		l := a.open(0)
		for i := range n {
			at := uint32(1 + 80*i)
			l.carry(at, 80, l.mapped(at+uint32(i%5), uint64(i%90), 1300))
		}
	}},
	{"mappings of 64 KiB for one byte each", false, func(a *attacker, n int) {
		l := a.open(0)
		for i := range n {
			at := uint32(i) * 65535
			l.carry(1+at, 1, l.mapped(1+at, uint64(i)*65535, 65535))
		}
	}},
	{"data sequence numbers that jump", false, func(a *attacker, n int) {
		a.holes(n, func(int) uint64 { return a.rand.Uint64() })
	}},
	{"data sequence numbers of two halves", false, func(a *attacker, n int) {
		a.holes(n, func(i int) uint64 { return uint64(i)<<63 + uint64(i) })
	}},
	{"payload that no mapping covers, and some that one does", false, func(a *attacker, n int) {
		l := a.open(0)
		for i := range n {
			at := uint32(1 + 10*i)
			l.carry(at, 10, l.mapped(at-min(at-1, 2000), uint64(10*i), 10)) // the mapping is for the payload of some 200 packets before
		}
	}},
	{"nothing is acknowledged", false, func(a *attacker, n int) {
		l := a.open(0)
		for range n {
			l.more(20)
		}
	}},
	{"the same data on many subflows", false, func(a *attacker, n int) {
		l := a.open(0)
		var ends [40]netip.AddrPort
		for i := range ends {
			ends[i] = l.join()
		}
		for i := range n {
			at := uint32(10 * (i / len(ends)))
			l.from = ends[i%len(ends)]
			l.put(1+at, uint64(at), 10)
		}
	}},
}

// holes sends n single bytes in the order of the subflow, each mapped to the offset that
// the function returns.
func (a *attacker) holes(n int, offset func(i int) uint64) {
	l := a.open(0)
	for i := range n {
		l.put(uint32(1+i), offset(i), 1)
	}
}
