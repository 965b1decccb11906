package engine_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"time"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// storm plays connections of all kinds over few addresses and ports, so that ports are
// reused, some of them with the keys of other connections. The higher rarity is, the fewer
// unusual packets there are.
func storm(r *rand.Rand, connections, rarity int, span time.Duration) *tracegen.Network {
	n := tracegen.NewNetwork(time.Unix(1_700_000_000, 0))
	var keys [][2]uint64
	host := func(net, of int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(net), byte(1 + r.IntN(of))}) }
	ports := connections * (1 + r.IntN(8))
	path := func(server netip.Addr) tracegen.Path {
		return tracegen.Path{
			A: netip.AddrPortFrom(host(0, 3), uint16(1024+r.IntN(ports))), B: netip.AddrPortFrom(server, 80),
			ISN:   [2]seq.Wire{seq.Wire(r.Uint32()), seq.Wire(r.Uint32())},
			Delay: [2]time.Duration{time.Duration(r.IntN(20e6)), time.Duration(r.IntN(20e6))},
		}
	}
	pause := func() time.Duration {
		switch r.IntN(100 * rarity) {
		case 0:
			return time.Duration(r.Int64N(400e9))
		case 1, 2, 3:
			return time.Duration(r.Int64N(9e9))
		}
		return time.Duration(r.Int64N(30e6))
	}
	for range connections {
		keys = append(keys, [2]uint64{r.Uint64(), r.Uint64()})
		cfg := tracegen.Config{
			Version: uint8(r.IntN(2)), Plain: r.IntN(5) == 0, AckEvery: 1 + r.IntN(2), Keys: keys[len(keys)-1], HeaderOnly: 1,
		}
		if r.IntN(20*rarity) == 0 {
			cfg.Keys = keys[r.IntN(len(keys))]
		}
		s := n.Session(cfg)
		server := host(1, 2)
		first := s.Subflow(path(server))
		at := time.Duration(r.Int64N(int64(span)))
		subs := []*tracegen.Subflow{first}
		h := first.Open(at)
		at = h.Established()
		var length int64
		for range r.IntN(40) {
			if !cfg.Plain && len(subs) < 4 && r.IntN(15) == 0 {
				p := path(server)
				p.FromB = r.IntN(4*rarity) == 0
				f := s.Subflow(p)
				h := f.Open(at + pause())
				at = h.Established()
				subs = append(subs, f)
			}
			at += pause()
			subs[r.IntN(len(subs))].Data(tracegen.A2B, at, length, 1000)
			length += 1000
		}
		switch at += pause(); r.IntN(4) {
		case 0:
			subs[0].RST(tracegen.A2B, at)
		case 1, 2:
			s.Close(at+100*time.Millisecond, length, 0)
		}
	}
	return n
}

// disturbed returns a capture some of whose packets are missing, altered, cut,
// repeated or shown later.
func disturbed(r *rand.Rand, m material, often int) []byte {
	file := bytes.Clone(m.file[:m.head])
	for _, u := range m.units {
		rec := bytes.Clone(m.file[u.at : u.at+u.size])
		if r.IntN(often) == 0 {
			switch r.IntN(8) {
			case 0, 1, 2:
				continue
			case 3:
				rec[16+r.IntN(len(rec)-16)] ^= 1 << r.IntN(8)
			case 4:
				file = append(file, rec...)
			case 5:
				snap := min(len(rec)-16, 54+r.IntN(40))
				rec = rec[:16+snap]
				binary.LittleEndian.PutUint32(rec[8:], uint32(snap))
			case 6:
				binary.LittleEndian.PutUint32(rec, binary.LittleEndian.Uint32(rec)+uint32(r.IntN(20))-10)
			case 7:
				file = append(file, rec...)
				again := bytes.Clone(rec)
				again[29] ^= 8 // another sender, of the same tokens
				file = append(file, again...)
			}
		}
		file = append(file, rec...)
	}
	return file
}
