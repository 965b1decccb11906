package capture

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestClassic(t *testing.T) {
	samples := someSamples(20)
	samples[7].sec, samples[7].frac, samples[7].wire = 1<<32-1, 3_999_999, 1<<31 // of one bit more than an int32 has, and of several seconds
	tests := []struct {
		name   string
		order  binary.AppendByteOrder
		magic  uint32
		link   uint32
		format string
		unit   int64 // nanoseconds
		want   LinkType
	}{
		{"little endian", binary.LittleEndian, magicMicro, 1, "pcap", 1000, LinkEthernet},
		{"big endian", binary.BigEndian, magicMicro, 276, "pcap", 1000, LinkSLL2},
		{"little endian, nanoseconds", binary.LittleEndian, magicNano, 101, "pcap-ns", 1, LinkRaw},
		{"big endian, nanoseconds", binary.BigEndian, magicNano, 113, "pcap-ns", 1, LinkSLL},
		// FCS length 4 in the upper bits, which are no part of the type.
		{"frame check sequence", binary.LittleEndian, magicMicro, 0x24000001, "pcap", 1000, LinkEthernet},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file, starts := classic(tt.order, tt.magic, tt.link, samples)
			packets, s := readBytes(t, file)
			var want []got
			info := FileInfo{File: "-", Format: tt.format, LinkTypes: []LinkType{tt.want}, SnapLen: 96, Packets: 20}
			for i, p := range samples {
				at := int64(p.sec)*1e9 + int64(p.frac)*tt.unit
				want = append(want, got{Data: string(p.data), Raw: Raw{
					Num: uint64(i + 1), FileNum: uint64(i + 1),
					Offset: int64(starts[i]), Time: at, WireLen: int(p.wire), Link: tt.want,
				}})
				info.WireBytes += uint64(p.wire)
				if len(p.data) < int(p.wire) {
					info.Snapped++
				}
			}
			info.First, info.Last = want[0].Time, want[7].Time
			assert.Check(t, is.DeepEqual(packets, want), "packets")
			assert.Check(t, is.DeepEqual(s.Files(), []FileInfo{info}), "files")
			if d := s.Damage(); d != nil {
				t.Errorf("damage: %v", d)
			}
		})
	}
}

// Old versions have the lengths of a record in the other order. Writers of version 2.3 differed.
func TestClassicVersions(t *testing.T) {
	samples := someSamples(20)
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		file, starts := classic(order, magicMicro, 1, samples)
		want, _ := readBytes(t, file)
		exchanged := slices.Clone(file)
		for _, at := range starts[:20] {
			copy(exchanged[at+8:], file[at+12:at+16])
			copy(exchanged[at+12:], file[at+8:at+12])
		}
		for _, c := range []struct {
			major, minor uint16
			file         []byte
		}{
			{2, 4, file}, {2, 3, file}, {2, 3, exchanged}, {2, 2, exchanged}, {2, 1, exchanged}, {2, 0, exchanged}, {543, 0, exchanged},
		} {
			copy(c.file[4:], order.AppendUint16(order.AppendUint16(nil, c.major), c.minor))
			got, s := readBytes(t, c.file)
			if diff := cmp.Diff(want, got); diff != "" || s.Damage() != nil || s.Files()[0].Longer.Count > 0 {
				t.Errorf("%v, version %d.%d: damage %v, packets (-want +got):\n%s", order, c.major, c.minor, s.Damage(), diff)
			}
		}
	}
}

// Super-segments exceed the snap length that a writer announces, and the
// largest snap length of libpcap.
func TestClassicLongPackets(t *testing.T) {
	var samples []sample
	for i, n := range []int{97, 65_536 + 14, 262_145, 512<<10 + 14, maxCaptured, 60} {
		samples = append(samples, sample{sec: uint32(i), wire: uint32(n), data: payload(i, n)})
	}
	file, _ := classic(binary.LittleEndian, magicMicro, 1, samples)
	packets, s := readBytes(t, file)
	if len(packets) != len(samples) || s.Damage() != nil {
		t.Fatalf("%d of %d packets, damage %v", len(packets), len(samples), s.Damage())
	}
	for i, p := range packets {
		if p.Data != string(samples[i].data) {
			t.Errorf("packet %d of %d bytes differs", i+1, len(samples[i].data))
		}
	}
}

func TestClassicDamage(t *testing.T) {
	samples := someSamples(5)
	_, starts := classic(binary.BigEndian, magicMicro, 1, samples)
	third := starts[2]
	tests := []struct {
		name    string
		at      int    // where to put value
		value   uint32 // big endian
		packets int    // before the damage
		offset  int
		what    string
	}{
		{"version", 4, 3<<16 | 1, 0, 4, "pcap version 3.1"},
		{"later version", 4, 2<<16 | 5, 0, 4, "pcap version 2.5, only 2.0 to 2.4 are known"},
		{"earlier version", 4, 1<<16 | 2, 0, 4, "pcap version 1.2"},
		{"huge record", third + 8, 0xfffffff0, 2, third, "claims 4294967280 captured bytes"},
		{"just too long", third + 8, maxCaptured + 1, 2, third, "claims 1048513 captured bytes"},
		{"longer than the packet and any snap length", third + 8, largestSnapLen + 1, 2, third, "claims 262145 captured bytes of a packet of"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file, _ := classic(binary.BigEndian, magicMicro, 1, samples)
			binary.BigEndian.PutUint32(file[tt.at:], tt.value)
			packets, s := readBytes(t, file)
			wantDamage(t, s, len(packets), tt.packets, tt.offset, tt.what)
		})
	}
}

// Records that hold more bytes than they say were on the wire are read whole, and counted with the
// place of the first. They may be in memory or across the border of two reads.
func TestRecordLonger(t *testing.T) {
	samples := someSamples(6)[1:]
	sound, starts := classic(binary.LittleEndian, magicMicro, 1, samples)
	want, _ := readBytes(t, sound)
	short := slices.Clone(samples)
	for _, i := range []int{2, 4} {
		short[i].wire = 3
		want[i].WireLen, want[i].Longer = len(samples[i].data), true
	}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		file, _ := classic(order, magicMicro, 1, short)
		for _, step := range []int{1, 7, len(file)} {
			s, err := Open([]string{"-"}, Options{Stdin: inPieces{bytes.NewReader(file), func() int { return step }}})
			assert.NilError(t, err)
			defer s.Close()
			if diff := cmp.Diff(want, readAll(t, s)); diff != "" || s.Damage() != nil {
				t.Errorf("%v, pieces of %d bytes: damage %v, packets (-want +got):\n%s", order, step, s.Damage(), diff)
			}
			place := Place{Num: 3, FileNum: 3, Offset: int64(starts[2])}
			if f := s.Files()[0]; f.Longer.Count != 2 || f.Longer.First != place {
				t.Errorf("%v: %d longer, first %+v; want 2, %+v", order, f.Longer.Count, f.Longer.First, place)
			}
		}
	}
}

// Zeros that begin in the second length of a record are no packet.
func TestRecordLongerOfZeros(t *testing.T) {
	file, starts := classic(binary.LittleEndian, magicMicro, 1, someSamples(5))
	clear(file[starts[2]+12:])
	packets, s := readBytes(t, file)
	wantDamage(t, s, len(packets), 2, starts[2], "zeros where packets should be")
}

// In pcapng such packets are counted, too.
func TestRecordLongerPcapng(t *testing.T) {
	file := new(ng).section(binary.LittleEndian)
	file.iface(1, 0)
	for i, wire := range []uint32{60, 59, 60, 0} {
		file.enhanced(0, uint64(i), wire, payload(i, 60))
	}
	packets, s := readBytes(t, file.file)
	place := Place{Num: 2, FileNum: 2, Offset: packets[1].Offset}
	if f := s.Files()[0]; len(packets) != 4 || f.Longer.Count != 2 || f.Longer.First != place || f.WireBytes != 240 {
		t.Errorf("%d packets, %+v; want 4, 2 longer, %+v", len(packets), f, place)
	}
}

// wantDamage checks how many packets a source of one file has before its damage, and the place
// and the text of the damage.
func wantDamage(t *testing.T, s *Source, packets, wantPackets, offset int, what string) {
	t.Helper()
	assert.Check(t, packets == wantPackets, "%d packets before the damage, want %d", packets, wantPackets)
	all := s.Damage()
	assert.Assert(t, len(all) == 1, "damage %v, want one", all)
	d := all[0]
	if d.File != "-" || d.Packet != uint64(wantPackets+1) || d.Offset != int64(offset) || !strings.Contains(d.What, what) || d.Hint == "" {
		t.Errorf("damage %+v, want packet %d, offset %d, %q", d, wantPackets+1, offset, what)
	}
	assert.Check(t, s.Files()[0].Truncated, "the file is not marked as truncated")
}

// In both byte orders, a packet comes as soon as its record is whole, and what follows is damage.
func TestClassicRecords(t *testing.T) {
	samples := someSamples(6)[1:] // the first one has nothing captured
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		file, starts := classic(order, magicMicro, 1, samples)
		for end := starts[3]; end <= len(file); end++ {
			in := newWindow(bytes.NewReader(file[:end]))
			p, err := newPcapReader(in, "", true, &format{unit: 1000, bigEndian: order == binary.BigEndian}, func(Interface) int { return 3 })
			assert.NilError(t, err)
			want := 3 // records
			for _, start := range starts[4:] {
				if start <= end {
					want++
				}
			}
			for i := range want {
				raw := Raw{Num: 7, File: 9, Longer: true, Uncountable: true}
				assert.NilError(t, p.next(&raw))
				wanted := Raw{
					Num: 7, FileNum: uint64(i + 1), Offset: int64(starts[i]), File: 9, Iface: 3, Link: 1,
					Time: int64(samples[i].sec)*1e9 + int64(samples[i].frac)*1e3, WireLen: int(samples[i].wire), Data: samples[i].data,
				}
				assert.Check(t, is.DeepEqual(raw, wanted), "file of %d bytes, record %d", end, i)
			}
			if err := p.next(new(Raw)); err == nil {
				t.Errorf("file of %d bytes: a record more than there are", end)
			}
		}
	}
}
