package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// store writes a file for a test and returns its path.
func store(t *testing.T, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	assert.NilError(t, os.WriteFile(path, content, 0o600))
	return path
}

// at builds a capture whose packets have the given times in seconds.
func at(seconds ...uint32) []byte {
	var samples []sample
	for _, s := range seconds {
		samples = append(samples, sample{sec: s, wire: 60, data: payload(int(s), 60)})
	}
	file, _ := classic(binary.LittleEndian, magicMicro, 1, samples)
	return file
}

// delivered has what tests of the order of delivery compare.
type delivered struct {
	File, FileNum, Sec int
}

func order(all []got) (o []delivered) {
	for _, g := range all {
		o = append(o, delivered{g.File, int(g.FileNum), int(g.Time / 1e9)})
	}
	return o
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name  string
		files [][]byte
		want  []delivered
	}{
		{
			"interleaved",
			[][]byte{at(10, 13, 14), at(11, 12, 15)},
			[]delivered{{0, 1, 10}, {1, 1, 11}, {1, 2, 12}, {0, 2, 13}, {0, 3, 14}, {1, 3, 15}},
		},
		{
			"rotated, given backwards",
			[][]byte{at(20, 21), at(10, 11), at(1)},
			[]delivered{{2, 1, 1}, {1, 1, 10}, {1, 2, 11}, {0, 1, 20}, {0, 2, 21}},
		},
		{
			"equal times in the order given",
			[][]byte{at(5, 6), at(5), at(5)},
			[]delivered{{0, 1, 5}, {1, 1, 5}, {2, 1, 5}, {0, 2, 6}},
		},
		{
			"order within a file stands",
			[][]byte{at(10, 8, 9, 20), at(12)},
			[]delivered{{0, 1, 10}, {0, 2, 8}, {0, 3, 9}, {1, 1, 12}, {0, 4, 20}},
		},
		{"empty captures", [][]byte{at(), at(3), at()}, []delivered{{1, 1, 3}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, paths := t.TempDir(), []string(nil)
			for i, content := range tt.files {
				paths = append(paths, store(t, dir, string(rune('a'+i)), content))
			}
			s, err := Open(paths, Options{})
			assert.NilError(t, err)
			defer s.Close()
			all := readAll(t, s)
			assert.Check(t, is.DeepEqual(order(all), tt.want), "order")
			ifaces := map[int]int{}
			for i, g := range all {
				assert.Check(t, g.Num == uint64(i+1), "packet %d has the number %d", i+1, g.Num)
				if file, known := ifaces[g.Iface]; known && file != g.File {
					t.Errorf("files %d and %d share interface %d", file, g.File, g.Iface)
				}
				ifaces[g.Iface] = g.File
			}
			if d := s.Damage(); d != nil {
				t.Errorf("damage: %v", d)
			}
		})
	}
}

// Rotated files must be neither open nor buffered all at once.
func TestRotatedFiles(t *testing.T) {
	const files, packets = 100, 20
	dir, paths := t.TempDir(), []string(nil)
	for i := range files {
		var seconds []uint32
		for j := range packets {
			seconds = append(seconds, uint32(i*packets+j))
		}
		paths = append(paths, store(t, dir, string(rune(0x4e00+i)), packers["zstd"](t, at(seconds...))))
	}
	s, err := Open(paths, Options{})
	assert.NilError(t, err)
	defer s.Close()
	var raw Raw
	for n := 0; ; n++ {
		err := s.Next(&raw)
		if err == io.EOF {
			assert.Check(t, n == files*packets, "%d packets, want %d", n, files*packets)
			break
		}
		if err != nil || raw.Time != int64(n)*1e9 || raw.File != n/packets {
			t.Fatalf("packet %d: %+v, %v", n+1, raw, err)
		}
		open := 0
		for _, f := range s.files {
			if f.packets != nil || f.pending.Data != nil {
				open++
			}
		}
		assert.Assert(t, open <= 1, "%d files are open at packet %d", open, n+1)
	}
	if done, total := s.Progress(); done != total || total == 0 {
		t.Errorf("progress %d of %d at the end", done, total)
	}
}

func TestDamageEndsOnlyItsFile(t *testing.T) {
	dir := t.TempDir()
	cut, sound := at(10, 12, 14), at(11, 13, 15)
	paths := []string{
		store(t, dir, "header", sound[:20]),
		store(t, dir, "cut", cut[:len(cut)-1]),
		store(t, dir, "sound", sound),
		store(t, dir, "first", cut[:50]),
	}
	s, err := Open(paths, Options{})
	assert.NilError(t, err)
	defer s.Close()
	want := []delivered{{1, 1, 10}, {2, 1, 11}, {1, 2, 12}, {2, 2, 13}, {2, 3, 15}}
	assert.Check(t, is.DeepEqual(order(readAll(t, s)), want), "order")
	var places []DamageError
	for _, d := range s.Damage() {
		places = append(places, DamageError{File: filepath.Base(d.File), Packet: d.Packet, Offset: d.Offset})
	}
	const record = recordHeaderLen + 60
	wantPlaces := []DamageError{
		{File: "header", Packet: 1},
		{File: "cut", Packet: 3, Offset: pcapHeaderLen + 2*record},
		{File: "first", Packet: 1, Offset: pcapHeaderLen},
	}
	assert.Check(t, is.DeepEqual(places, wantPlaces), "damage")
	for i, f := range s.Files() {
		if want := i != 2; f.Truncated != want || f.Format != "pcap" {
			t.Errorf("file %d: truncated %v, format %q", i, f.Truncated, f.Format)
		}
	}
	wantText := paths[1] + ": packet 3, byte offset 176: the file ends after 75 of the 76 bytes of this record; " + hintCut
	if got := s.Damage()[1].Error(); got != wantText {
		t.Errorf("message %q,\n   want %q", got, wantText)
	}
	if done, total := s.Progress(); done != total {
		t.Errorf("progress %d of %d at the end", done, total)
	}
}

// A file that vanishes after it was checked must not prevent the others from being read.
func TestFileVanishes(t *testing.T) {
	dir := t.TempDir()
	paths := []string{store(t, dir, "a", at(1)), store(t, dir, "b", at(2)), store(t, dir, "c", at(3))}
	s, err := Open(paths, Options{})
	assert.NilError(t, err)
	defer s.Close()
	assert.NilError(t, os.Remove(paths[1]))
	assert.Check(t, is.DeepEqual(order(readAll(t, s)), []delivered{{0, 1, 1}, {2, 1, 3}}), "order")
	if d := s.Damage(); len(d) != 1 || !errors.Is(d[0], os.ErrNotExist) || d[0].File != paths[1] {
		t.Errorf("damage %v, want that %s does not exist", d, paths[1])
	}
}

// In a live capture each packet must be delivered before the next one is written, unless another
// interface may still have an earlier one.
func TestLivePipe(t *testing.T) {
	live := layouts()
	live["pcapng"] = oneInterface()
	for name, l := range live {
		r, w, err := os.Pipe()
		assert.NilError(t, err)
		defer r.Close()
		opened := make(chan *Source)
		go func() {
			s, err := Open([]string{"-"}, Options{Stdin: r})
			assert.Check(t, err, "%s", name)
			opened <- s
		}()
		write := func(b []byte) {
			if _, err := w.Write(b); err != nil {
				t.Error(err)
			}
		}
		write(l.file[:l.header])
		var s *Source
		var raw Raw
		packets := uint64(0)
		for i, isPacket := range l.packet {
			write(l.file[l.starts[i]:l.starts[i+1]])
			if !isPacket {
				continue
			}
			if s == nil {
				s = <-opened
			}
			packets++
			if err := s.Next(&raw); err != nil || raw.Num != packets {
				t.Fatalf("%s: packet %d: %v, %v", name, packets, raw, err)
			}
		}
		w.Close()
		if err := s.Next(&raw); err != io.EOF {
			t.Errorf("%s: at the end: %v", name, err)
		}
		if _, total := s.Progress(); total != 0 {
			t.Errorf("%s: a pipe has a total of %d", name, total)
		}
	}
}

func TestClose(t *testing.T) {
	s, err := openBytes(at(1, 2))
	assert.NilError(t, err)
	var raw Raw
	assert.NilError(t, s.Next(&raw))
	for range 2 {
		assert.Check(t, s.Close())
	}
	if err := s.Next(&raw); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Next after Close = %v", err)
	}
	if d := s.Damage(); d != nil {
		t.Errorf("damage %v", d)
	}
}

// many is a capture of n packets of 128 bytes.
func many(n int) []byte {
	samples := make([]sample, n)
	for i := range samples {
		samples[i] = sample{sec: uint32(i), wire: 1500, data: payload(i, 128)}
	}
	file, _ := classic(binary.LittleEndian, magicMicro, 1, samples)
	return file
}

// manyNG is the same as pcapng; flags adds the option that dumpcap may write.
func manyNG(count int, flags bool) []byte {
	n := new(ng).section(binary.LittleEndian)
	n.iface(1, 128)
	var options [][]byte
	if flags {
		options = [][]byte{n.option(2, 1, 0, 0, 0), n.option(0)}
	}
	for i := range count {
		n.enhanced(0, uint64(i)*1e6, 1500, payload(i, 128), options...)
	}
	return n.file
}

func TestNoAllocationPerPacket(t *testing.T) {
	const packets = 3000
	swapped, _ := classic(binary.BigEndian, magicNano, 1, slices.Repeat([]sample{{wire: 1500, data: payload(0, 128)}}, packets))
	for name, file := range map[string][]byte{"pcap": many(packets), "pcap-ns, big-endian": swapped, "pcapng": manyNG(packets, false), "pcapng with options": manyNG(packets, true)} {
		s, err := openBytes(file)
		assert.NilError(t, err)
		var raw Raw
		next := func() {
			assert.NilError(t, s.Next(&raw))
		}
		next() // the buffer for packets is made for the first one
		if allocs := testing.AllocsPerRun(packets-10, next); allocs != 0 {
			t.Errorf("%s: %v allocations per packet", name, allocs)
		}
	}
}

// A length in a file must not decide how much memory is taken.
func TestMemoryBounded(t *testing.T) {
	l := classicLayout(binary.LittleEndian, someSamples(3))
	huge := bytes.Clone(l.file)
	binary.LittleEndian.PutUint32(huge[l.starts[1]+8:], 0x7fffffff)
	binary.LittleEndian.PutUint32(huge[l.starts[1]+12:], 0x7fffffff)
	n := new(ng).section(binary.LittleEndian).iface(1, 0).enhanced(0, 0, 60, payload(0, 60))
	for _, kind := range []uint32{blockEnhanced, blockInterface, 4, 10} {
		block := bytes.Clone(n.file)
		binary.LittleEndian.PutUint32(block[n.starts[2]:], kind)
		binary.LittleEndian.PutUint32(block[n.starts[2]+4:], 0xfffffff0)
		huge = append(huge, 0) // a new array each time
		for _, file := range [][]byte{huge, block} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, s := readBytes(t, file)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
				t.Errorf("block type %d: %d bytes were allocated for a file of %d", kind, took, len(file))
			}
			if len(s.Damage()) != 1 {
				t.Errorf("block type %d: damage %v", kind, s.Damage())
			}
		}
	}
}

func BenchmarkNext(b *testing.B) {
	const packets = 100_000
	for name, file := range map[string][]byte{
		"pcap": many(packets), "pcapng": manyNG(packets, true),
		"zstd": packers["zstd"](b, many(packets)),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var s *Source
			var raw Raw
			for b.Loop() {
				if s == nil || s.Next(&raw) == io.EOF {
					var err error
					if s, err = openBytes(file); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.SetBytes(144)
		})
	}
}

// TestGroups: a group begins where a file begins after all others ended.
func TestGroups(t *testing.T) {
	dir, paths := t.TempDir(), []string(nil)
	for i, content := range [][]byte{at(30, 31), at(1, 2), at(10, 12), at(11, 13), at(20)} {
		paths = append(paths, store(t, dir, string(rune('a'+i)), content))
	}
	s, err := Open(paths, Options{})
	assert.NilError(t, err)
	defer s.Close()
	var groups []int
	for _, g := range readAll(t, s) {
		groups = append(groups, g.Group)
	}
	assert.Check(t, is.DeepEqual(groups, []int{0, 0, 1, 1, 1, 1, 2, 3, 3}), "groups")
}
