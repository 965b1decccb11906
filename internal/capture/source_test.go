package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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

// openFiles opens files with these contents.
func openFiles(t *testing.T, contents ...[]byte) (s *Source, paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i, content := range contents {
		paths = append(paths, store(t, dir, string(rune('a'+i)), content))
	}
	s, err := Open(paths, Options{})
	assert.NilError(t, err)
	t.Cleanup(func() { s.Close() })
	return s, paths
}

// order is the packets as they were delivered: file, number in it and time in seconds.
func order(all []got) (o string) {
	for _, g := range all {
		o += fmt.Sprintf(" %d.%d:%d", g.File, g.FileNum, g.Time/1e9)
	}
	return o
}

// TestMerge: the packets of several files are in the order of their times. A group begins where a file
// begins after all others ended. Interfaces of one file and other files are put in order together.
func TestMerge(t *testing.T) {
	two := func(events ...event) []byte { return several(2, events).file }
	for _, tt := range []struct {
		name   string
		files  [][]byte
		want   string
		groups []int
	}{
		{"interleaved", [][]byte{at(10, 13, 14), at(11, 12, 15)}, " 0.1:10 1.1:11 1.2:12 0.2:13 0.3:14 1.3:15", []int{0, 0, 0, 0, 0, 0}},
		{"rotated, given backwards", [][]byte{at(20, 21), at(10, 11), at(1)}, " 2.1:1 1.1:10 1.2:11 0.1:20 0.2:21", []int{0, 1, 1, 2, 2}},
		{"equal times in the order given", [][]byte{at(5, 6), at(5), at(5)}, " 0.1:5 1.1:5 2.1:5 0.2:6", []int{0, 0, 0, 0}},
		{"order within a file stands", [][]byte{at(10, 8, 9, 20), at(12)}, " 0.1:10 0.2:8 0.3:9 1.1:12 0.4:20", []int{0, 0, 0, 0, 0}},
		{"empty captures", [][]byte{at(), at(3), at()}, " 1.1:3", []int{0}},
		{"groups", [][]byte{at(30, 31), at(1, 2), at(10, 12), at(11, 13), at(20)}, " 1.1:1 1.2:2 2.1:10 3.1:11 2.2:12 3.2:13 4.1:20 0.1:30 0.2:31", []int{0, 0, 1, 1, 1, 1, 2, 3, 3}},
		{"interfaces", [][]byte{two(event{0, 10_000}, event{0, 12_000}, event{1, 11_000}), two(event{1, 11_500}, event{0, 10_500})}, " 0.1:10 1.2:10 0.3:11 1.1:11 0.2:12", []int{0, 0, 0, 0, 0}},
	} {
		s, _ := openFiles(t, tt.files...)
		all := readAll(t, s)
		assert.Check(t, order(all) == tt.want, "%s:%s, want%s", tt.name, order(all), tt.want)
		var groups []int
		ifaces := map[int]int{}
		for i, g := range all {
			assert.Check(t, g.Num == uint64(i+1), "%s: packet %d has the number %d", tt.name, i+1, g.Num)
			file, known := ifaces[g.Iface]
			assert.Check(t, !known || file == g.File, "%s: files %d and %d share interface %d", tt.name, file, g.File, g.Iface)
			ifaces[g.Iface] = g.File
			groups = append(groups, g.Group)
		}
		assert.Check(t, is.DeepEqual(groups, tt.groups), "%s: groups", tt.name)
		assert.Check(t, s.Damage() == nil, "%s: damage %v", tt.name, s.Damage())
	}
}

// Rotated files must be neither open nor buffered all at once.
func TestRotatedFiles(t *testing.T) {
	const files, packets = 100, 20
	var contents [][]byte
	for i := range files {
		var seconds []uint32
		for j := range packets {
			seconds = append(seconds, uint32(i*packets+j))
		}
		contents = append(contents, packers["zstd"](t, at(seconds...)))
	}
	s, _ := openFiles(t, contents...)
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
	cut, sound := at(10, 12, 14), at(11, 13, 15)
	s, paths := openFiles(t, sound[:20], cut[:len(cut)-1], sound, cut[:50])
	assert.Check(t, is.Equal(order(readAll(t, s)), " 1.1:10 2.1:11 1.2:12 2.2:13 2.3:15"))
	var places []DamageError
	for _, d := range s.Damage() {
		places = append(places, DamageError{File: filepath.Base(d.File), Packet: d.Packet, Offset: d.Offset})
	}
	const record = recordHeaderLen + 60
	wantPlaces := []DamageError{
		{File: "a", Packet: 1},
		{File: "b", Packet: 3, Offset: pcapHeaderLen + 2*record},
		{File: "d", Packet: 1, Offset: pcapHeaderLen},
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
	s, paths := openFiles(t, at(1), at(2), at(3))
	assert.NilError(t, os.Remove(paths[1]))
	assert.Check(t, is.Equal(order(readAll(t, s)), " 0.1:1 2.1:3"))
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
	merged := several(3, interleave(rand.New(rand.NewPCG(7, 7)), 3, packets, 200)).file
	for name, file := range map[string][]byte{
		"pcap": many(packets), "pcap-ns, big-endian": swapped, "pcapng": manyNG(packets, false), "pcapng with options": manyNG(packets, true), "interfaces": merged,
	} {
		s, err := openBytes(file)
		assert.NilError(t, err)
		var raw Raw
		next := func() {
			assert.NilError(t, s.Next(&raw))
		}
		for range packets / 2 { // until the buffers have their final size
			next()
		}
		if allocs := testing.AllocsPerRun(packets/2-10, next); allocs != 0 {
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
