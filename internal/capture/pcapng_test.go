package capture

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// mixed is a file with most of what pcapng allows, in one byte order, and the
// packets that it holds.
func mixed(n *ng, order binary.AppendByteOrder, iface int) []got {
	const sec = 1_700_000_000
	n.section(order)
	offset := order.AppendUint64(nil, uint64(math.MaxUint64-99)) // -100 s
	n.iface(1, 128, n.option(2, []byte("eth0")...), n.option(0))
	n.iface(276, 0, n.option(optionResolution, 9))
	n.block(0x0bad, []byte("a block of no known type"))
	n.iface(101, 65535, n.option(optionResolution, 0x80|30), n.option(optionOffset, offset...), n.option(0))
	n.enhanced(0, sec*1e6+250_000, 1500, payload(1, 60), n.option(2, 0, 0, 0, 1), n.option(0))
	n.enhanced(1, sec*1e9+250_000_007, 61, payload(2, 61))
	n.enhanced(2, (sec+100)<<30+3<<28, 62, payload(3, 62)) // three quarters of a second
	n.block(4, append(n.u32s(0x0001_0006), 10, 0, 0, 1, 'h', 0, 0, 0, 0, 0, 0, 0))
	n.block(blockSimple, append(n.u32s(200), payload(4, 128)...))
	n.block(5, n.u32s(0, 0, 0))
	old := order.AppendUint16(nil, 1) // interface
	old = order.AppendUint16(old, 9)  // drops
	const old9 = uint64(sec*1e9 + 1e9)
	n.block(blockPacket, append(append(old, n.u32s(uint32(old9>>32), uint32(old9&math.MaxUint32), 5, 99)...), payload(5, 5)...))
	var want []got
	add := func(at int64, wire, ifc int, link LinkType, data []byte) {
		want = append(want, got{Data: string(data), Raw: Raw{Time: at, WireLen: wire, Iface: iface + ifc, Link: link}})
	}
	add(sec*1e9+250_000_000, 1500, 0, LinkEthernet, payload(1, 60))
	add(sec*1e9+250_000_007, 61, 1, LinkSLL2, payload(2, 61))
	add(sec*1e9+750_000_000, 62, 2, LinkRaw, payload(3, 62))
	add(sec*1e9+750_000_000, 200, 0, LinkEthernet, payload(4, 128)) // no time of its own
	add(sec*1e9+1e9, 99, 1, LinkSLL2, payload(5, 5))
	return want
}

func TestPcapNG(t *testing.T) {
	var n ng
	want := mixed(&n, binary.LittleEndian, 0)
	want = append(want, mixed(&n, binary.BigEndian, 3)...)
	packet := 0
	for i, start := range n.starts {
		if n.packet[i] {
			want[packet].Offset = int64(start)
			packet++
			want[packet-1].Num, want[packet-1].FileNum = uint64(packet), uint64(packet)
		}
	}
	packets, s := readBytes(t, n.file)
	assert.Check(t, is.DeepEqual(packets, want), "packets")
	wantInfo := []FileInfo{{
		File: "-", Format: "pcapng", LinkTypes: []LinkType{LinkEthernet, LinkSLL2, LinkRaw},
		SnapLen: 0, Packets: 10, WireBytes: 2 * (1500 + 61 + 62 + 200 + 99), Snapped: 2 * 3,
		First: 1_700_000_000.25e9, Last: 1_700_000_001e9,
	}}
	assert.Check(t, is.DeepEqual(s.Files(), wantInfo), "files")
	if d := s.Damage(); d != nil {
		t.Errorf("damage: %v", d)
	}
}

func TestPcapNGDamage(t *testing.T) {
	le := binary.LittleEndian
	tests := []struct {
		name    string
		damage  func(n *ng)
		packets int
		block   int // index of the damaged block
		at      int // offset within it
		what    string
	}{
		{"byte-order magic", func(n *ng) { n.file[8] = 0 }, 0, 0, 8, "no byte-order magic"},
		{"version", func(n *ng) { n.file[12] = 2 }, 0, 0, 12, "pcapng version 2.0"},
		{"length below the least", func(n *ng) { le.PutUint32(n.file[n.starts[3]+4:], 8) }, 1, 3, 4, "impossible length of 8"},
		{"odd length", func(n *ng) { le.PutUint32(n.file[n.starts[3]+4:], 103) }, 1, 3, 4, "impossible length of 103"},
		{"huge packet", func(n *ng) { le.PutUint32(n.file[n.starts[3]+4:], 0xfffffff0) }, 1, 3, 4, "claims 4294967280 bytes"},
		{"two lengths", func(n *ng) { n.file[n.starts[4]-4]++ }, 1, 3, 0, "bytes at its start and"},
		{"no such interface", func(n *ng) { n.file[n.starts[3]+8] = 7 }, 1, 3, 8, "interface 7, the section describes 1"},
		{"captured beyond the block", func(n *ng) { n.file[n.starts[3]+20] = 200 }, 1, 3, 20, "claims 200 captured bytes"},
		{"option overruns", func(n *ng) { n.file[n.starts[1]+18] = 200 }, 0, 1, 16, "an option of 200 bytes overruns"},
		{"time unit", func(n *ng) { n.file[n.starts[1]+20] = 0xc0 }, 0, 1, 16, "time resolution 0xc0"},
		{
			"unknown block that lasts", func(n *ng) { le.PutUint32(n.file[n.starts[4]:], 99); le.PutUint32(n.file[n.starts[4]+4:], 1<<31) },
			2, 4, 0, "the file ends after",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := new(ng).section(le)
			n.iface(1, 96, n.option(optionResolution, 6))
			for i := range 3 {
				n.enhanced(0, uint64(i), 60, payload(i, 60))
			}
			tt.damage(n)
			packets, s := readBytes(t, n.file)
			wantDamage(t, s, len(packets), tt.packets, n.starts[tt.block]+tt.at, tt.what)
		})
	}
}

// A description of an interface takes more memory than it has bytes in the file.
func TestPcapNGInterfacesBounded(t *testing.T) {
	n := new(ng).section(binary.LittleEndian)
	for range maxInterfaces + 1 {
		n.iface(1, 0)
	}
	packets, s := readBytes(t, n.file)
	wantDamage(t, s, len(packets), 0, n.starts[maxInterfaces+1], "more than 65536 interfaces")
}

func TestInterfaceTime(t *testing.T) {
	const sec = 1_700_000_000
	tests := []struct {
		name      string
		tsresol   byte
		offset    int64
		timestamp uint64
		want      int64
	}{
		{"seconds", 0, 0, sec, sec * 1e9},
		{"microseconds", 6, 0, sec*1e6 + 1, sec*1e9 + 1000},
		{"nanoseconds", 9, 0, sec*1e9 + 1, sec*1e9 + 1},
		{"picoseconds round down", 12, 0, 5e12 + 1999, 5e9 + 1},
		{"finest decimal", 19, 0, 15e18, 15e8},
		{"2^-10", 0x8a, 0, 5<<10 + 1, 5e9 + 976_562}, // 10^9 / 1024 = 976562.5
		{"2^-20", 0x94, 0, sec<<20 + 1<<19, sec*1e9 + 5e8},
		{"2^-29", 0x9d, 0, 5<<29 + 3<<27, 5e9 + 75e7},
		{"2^-32", 0xa0, 0, sec<<32 + 1<<31, sec*1e9 + 5e8},
		{"2^-63", 0xbf, 0, 1<<63 + 1<<62, 15e8},
		{"offset", 6, sec, 1, sec*1e9 + 1000},
		{"negative offset", 6, -3, 1e6, -2e9},
		{"the last second", 0, 0, 4_611_686_017, 4_611_686_017e9}, // 2^62 ns are 4,611,686,018.4 s
		{"the first second", 0, -639_999 * 3600, 0, EarliestTime},
	}
	for _, tt := range tests {
		i := ngInterface{units: resolution(tt.tsresol), offset: tt.offset}
		if got, ok := i.time(tt.timestamp); got != tt.want || !ok {
			t.Errorf("%s: %d %v, want %d", tt.name, got, ok, tt.want)
		}
	}
	for name, x := range map[string]struct {
		offset    int64
		timestamp uint64
	}{
		"in 2116": {0, 4_611_686_018}, "far behind": {0, math.MaxUint64}, "in 1896": {-639_999*3600 - 1, 0}, "far before": {math.MinInt64, 0},
		"far before and behind": {math.MinInt64, 1 << 63},
	} {
		i := ngInterface{units: 1, offset: x.offset}
		if got, ok := i.time(x.timestamp); ok {
			t.Errorf("%s: %d is a time", name, got)
		}
	}
	for _, tsresol := range []byte{20, 127, 0x80 | 64, 0xff} {
		if got := resolution(tsresol); got != 0 {
			t.Errorf("resolution(0x%02x) = %d, want 0", tsresol, got)
		}
	}
}

// Timestamps that are computed without a division equal those that are computed with one.
func TestInterfaceTimeIsQuick(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for tsresol := range byte(0xc0) {
		units := resolution(tsresol)
		if units == 0 {
			continue
		}
		for _, offset := range []int64{0, 1, -1, 1_700_000_000, 1 << 31, -1 << 31, 1 << 32, -1 << 32, math.MaxInt64, math.MinInt64} {
			i := ngInterface{units: units, offset: offset}
			i.prepare()
			for _, timestamp := range []uint64{0, 1, i.quick - 1, i.quick, i.quick + 1, math.MaxUint64, rng.Uint64(), rng.Uint64() >> 20} {
				got, ok := i.at(timestamp)
				if want, wantOK := i.time(timestamp); ok != wantOK || ok && got != want {
					t.Errorf("%d units a second, offset %d, timestamp %d: %d %v, want %d %v", units, offset, timestamp, got, ok, want, wantOK)
				}
			}
		}
	}
	nanoseconds := ngInterface{units: 1e9}
	if nanoseconds.prepare(); nanoseconds.quick <= 1<<32*1e9 {
		t.Error("times of this century are not quick")
	}
}
