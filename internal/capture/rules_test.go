package capture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestLimits: the limits have these values. Other tests show what happens at each, by its name.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"longest record", bufferSize, 1 << 20},
		{"most captured bytes of a packet", maxCaptured, 1<<20 - 64},
		{"largest snap length of libpcap", largestSnapLen, 262_144},
		{"interfaces of a section", maxInterfaces, 65_536},
		{"link types of a file", maxLinkTypes, 64},
		{"name of an interface", maxName, 256},
		{"sorting, ns", mergeHorizon, 1e9},
		{"sorting, bytes", mergeRoom, 16 << 20},
		{"step back, ns", minStepBack, 10e6},
		{"packets behind a jump", packetsAfterJump, 1024},
		{"window of zstd -22", maxZstdWindow, 128 << 20},
		{"dictionary of xz -9", maxXZDictionary, 64 << 20},
		{"latest time, in 2116", LatestTime, 1<<62 - 1},
		{"earliest time, in 1896", EarliestTime, -639_999 * 3600 * 1e9},
	} {
		assert.Check(t, c.got == c.want, "%s: %d, want %d", c.name, c.got, c.want)
	}
}

// TestMergeNewSection: a section knows nothing of a step or a jump of the clock in the one before it.
func TestMergeNewSection(t *testing.T) {
	for name, c := range map[string]struct{ before, behind, want []event }{
		"a step back": {
			[]event{{0, 1000}, {1, 1000}, {0, 500}, {1, 500}},
			[]event{{0, 990}, {1, 510}},
			[]event{{3, 510}, {2, 990}},
		},
		"a jump forward": {
			[]event{{0, 1000}, {0, 9000}},
			[]event{{0, 1000}, {0, 1900}, {0, 2700}, {1, 990}},
			[]event{{2, 1000}, {3, 990}, {2, 1900}, {2, 2700}},
		},
	} {
		n := several(2, c.before)
		n.section(binary.BigEndian).iface(1, 0).iface(1, 0)
		for i, e := range c.behind {
			n.event(e, payload(len(c.before)+i, 60))
		}
		packets, _ := readBytes(t, n.file)
		got := events(t, packets, 60)
		assert.Check(t, is.DeepEqual(got[min(len(c.before), len(got)):], c.want), "%s: the second section", name)
	}
}

// TestInterfaceOptions: each option of an interface, in both byte orders. Those that are too short are
// ignored, and names have a limit.
func TestInterfaceOptions(t *testing.T) {
	long := strings.Repeat("n", maxName)
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		n := new(ng).section(order)
		offset := func(seconds uint64) []byte { return order.AppendUint64(nil, seconds) }
		for _, c := range []struct {
			options []byte
			want    Interface
			time    int64 // of a packet with the timestamp 2000
		}{
			{nil, Interface{}, 2_000_000},
			{n.option(optionName, []byte("eth0")...), Interface{Name: "eth0"}, 2_000_000},
			{n.option(optionDescribed, []byte("uplink")...), Interface{Description: "uplink"}, 2_000_000},
			{n.option(optionName, []byte(long+"x")...), Interface{Name: long}, 2_000_000},
			{n.option(optionResolution, 3), Interface{}, 2e9},
			{n.option(optionResolution), Interface{}, 2_000_000},
			{n.option(optionResolution, 0x8a), Interface{}, 1_953_125_000}, // 2000 / 1024 s
			{n.option(optionOffset, offset(7)...), Interface{}, 7_002_000_000},
			{n.option(optionOffset, offset(1<<64-7)...), Interface{}, -6_998_000_000},
			{n.option(optionOffset, offset(7)[:7]...), Interface{}, 2_000_000},
			{n.option(4, offset(7)...), Interface{}, 2_000_000}, // an address
			{slices.Concat(n.option(optionOffset, offset(7)...), n.option(optionResolution, 9)), Interface{}, 7_000_002_000},
			{slices.Concat(n.option(optionEnd), n.option(optionResolution, 9)), Interface{}, 2_000_000},
		} {
			file := new(ng).section(order).iface(113, 96, c.options)
			file.enhanced(0, 2000, 60, payload(1, 60))
			s, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(file.file), Comments: true})
			assert.NilError(t, err)
			packets := readAll(t, s)
			if c.want.Link, c.want.SnapLen = LinkSLL, 96; len(packets) != 1 || packets[0].Time != c.time || s.Interface(&packets[0].Raw) != c.want || s.Interfaces() != 1 {
				t.Errorf("%v, options % x: %+v, %+v; want %+v and the time %d", order, c.options, packets, s.Interface(&packets[0].Raw), c.want, c.time)
			}
			s.Close()
		}
	}
}

// TestSimpleBlocks: what was captured of a packet without a captured length: no more than was on the wire,
// than the block has room for, and than the snap length (draft-ietf-opsawg-pcapng, Section 4.4).
func TestSimpleBlocks(t *testing.T) {
	for _, c := range []struct {
		snapLen, wire uint32
		room, want    int
	}{
		{0, 61, 64, 61},
		{0, 200, 64, 64},
		{50, 200, 64, 50},
		{50, 49, 52, 49},
		{64, 64, 64, 64},
		{100, 64, 64, 64},
	} {
		n := new(ng).section(binary.LittleEndian).iface(1, c.snapLen)
		n.block(blockSimple, append(n.u32s(c.wire), payload(4, c.room)...))
		packets, s := readBytes(t, n.file)
		if len(packets) != 1 || len(packets[0].Data) != c.want || packets[0].WireLen != int(c.wire) || s.Damage() != nil {
			t.Errorf("%+v: %+v, %v", c, packets, s.Damage())
		}
	}
}

// TestLongestBlock: a block may have the length of the buffer and no more; what is captured may fill it.
func TestLongestBlock(t *testing.T) {
	for extra, want := range map[int]int{0: 1, 4: 0} {
		n := new(ng).section(binary.LittleEndian).iface(1, 0)
		data := payload(1, bufferSize-32+extra)
		n.enhanced(0, 5, uint32(len(data)), data)
		n.enhanced(0, 6, 60, payload(2, 60))
		packets, s := readBytes(t, n.file)
		if len(packets) != 2*want || (len(s.Damage()) == 0) != (want == 1) || want == 1 && packets[0].Data != string(data) {
			t.Errorf("%d bytes beyond the limit: %d packets, damage %v", extra, len(packets), s.Damage())
		}
	}
}

// TestEpochs: an interface that goes back by more than 10 ms begins an epoch. Others join it when their
// times or the number of packets say so; a new interface belongs where its time is nearer.
func TestEpochs(t *testing.T) {
	const ms, hour = int64(1e6), int64(3600e9)
	for _, c := range []struct {
		name   string
		shared clockEpochs
		own    clockEpoch
		time   int64
		over   bool
		want   int
		after  clockEpochs
	}{
		{"forward", clockEpochs{}, clockEpoch{begun: true, prev: hour}, hour + 1, false, 0, clockEpochs{}},
		{"back by 10 ms", clockEpochs{}, clockEpoch{begun: true, prev: hour}, hour - 10*ms, false, 0, clockEpochs{}},
		{"back by more", clockEpochs{}, clockEpoch{begun: true, prev: hour}, hour - 10*ms - 1, false, 1, clockEpochs{1, hour, hour - 10*ms - 1}},
		{"another one goes back, too", clockEpochs{1, hour, 5}, clockEpoch{begun: true, prev: hour + 7}, 8, false, 1, clockEpochs{1, hour, 5}},
		{"one goes back again", clockEpochs{1, hour, 5}, clockEpoch{n: 1, begun: true, prev: hour}, 8, false, 2, clockEpochs{2, hour, 8}},
		{"still before the step", clockEpochs{1, hour, 5}, clockEpoch{begun: true, prev: hour}, hour + 1000*ms, false, 0, clockEpochs{1, hour, 5}},
		{"beyond it", clockEpochs{1, hour, 5}, clockEpoch{begun: true, prev: hour}, hour + 1000*ms + 1, false, 1, clockEpochs{1, hour, 5}},
		{"enough packets", clockEpochs{1, hour, 5}, clockEpoch{begun: true, prev: hour}, hour, true, 1, clockEpochs{1, hour, 5}},
		{"new, nearer to the end", clockEpochs{1, hour, 0}, clockEpoch{}, hour/2 + 1, false, 0, clockEpochs{1, hour, 0}},
		{"new, in the middle", clockEpochs{1, hour, 0}, clockEpoch{}, hour / 2, false, 1, clockEpochs{1, hour, 0}},
		{"new, at the horizon", clockEpochs{1, hour, 0}, clockEpoch{}, hour + 1000*ms, false, 0, clockEpochs{1, hour, 0}},
		{"new, beyond it", clockEpochs{1, hour, 0}, clockEpoch{}, hour + 1000*ms + 1, false, 1, clockEpochs{1, hour, 0}},
		{"new, after enough packets", clockEpochs{1, hour, 0}, clockEpoch{}, hour, true, 1, clockEpochs{1, hour, 0}},
		{"the first one of all", clockEpochs{}, clockEpoch{}, 0, false, 0, clockEpochs{}},
	} {
		got := c.shared.next(&c.own, c.time, c.over)
		if got != c.want || c.shared != c.after || c.own != (clockEpoch{c.want, true, c.time}) {
			t.Errorf("%s: epoch %d, want %d; %+v, want %+v; %+v", c.name, got, c.want, c.shared, c.after, c.own)
		}
	}
}

// TestFileSnapLen: the snap length of a file is the largest of its interfaces; 0 is the largest.
func TestFileSnapLen(t *testing.T) {
	for _, c := range []struct {
		all  []uint32
		want uint32
	}{{[]uint32{96}, 96}, {[]uint32{96, 128, 64}, 128}, {[]uint32{96, 0, 64}, 0}, {[]uint32{0, 64}, 0}} {
		var f FileInfo
		for i, n := range c.all {
			f.addInterface(i == 0, LinkType(1+i%2), n)
		}
		assert.Check(t, f.SnapLen == c.want && len(f.LinkTypes) == min(2, len(c.all)), "%v: %d, %v", c.all, f.SnapLen, f.LinkTypes)
	}
}

// TestFileFigures: times are the earliest and the latest, bytes and cut packets are sums, and what is
// odd has the place of the first.
func TestFileFigures(t *testing.T) {
	var got FileInfo
	for i, p := range []struct{ time, captured, wire int }{{5, 60, 60}, {3, 60, 61}, {9, 0, 7}} {
		got.addPacket(&Raw{Num: uint64(10 + i), FileNum: uint64(20 + i), Offset: int64(30 + i), Time: int64(p.time), WireLen: p.wire, Data: make([]byte, p.captured), Longer: i == 1, Uncountable: i > 0})
	}
	place := Place{Num: 11, FileNum: 21, Offset: 31}
	want := FileInfo{Packets: 3, WireBytes: 128, Snapped: 2, First: 3, Last: 9, Longer: Oddity{1, place}, Uncountable: Oddity{2, place}}
	assert.Check(t, is.DeepEqual(got, want))
}

// TestXZDictionarySizes: the size in the first block (The .xz File Format, Section 5.3.1), behind sizes of the
// block or not.
func TestXZDictionarySizes(t *testing.T) {
	for bits, want := range map[byte]int64{0: 4 << 10, 1: 6 << 10, 2: 8 << 10, 28: 64 << 20, 29: 96 << 20, 39: 3 << 30, 40: 1<<32 - 1, 0x40: 4 << 10} {
		for flags, sizes := range map[byte][]byte{0: nil, 0x40: {0x81, 0x82, 3}, 0x80: {7}, 0xc0: {0x80, 1, 9}} {
			head := slices.Concat(make([]byte, 13), []byte{flags}, sizes, []byte{0x21, 1, bits})
			if got := xzDictionary(bufio.NewReader(bytes.NewReader(head))); got != want {
				t.Errorf("%d behind % x: %d bytes, want %d", bits, sizes, got, want)
			}
		}
	}
	for name, head := range map[string][]byte{"another filter": {0x20, 1, 0}, "other properties": {0x21, 2, 0}, "cut": {0x21, 1}} {
		if got := xzDictionary(bufio.NewReader(bytes.NewReader(append(make([]byte, 14), head...)))); got != 0 {
			t.Errorf("%s: %d bytes", name, got)
		}
	}
}
