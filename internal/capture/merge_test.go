package capture

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/testrun"
)

// event is a packet of a test: its interface and its time in milliseconds.
type event struct{ Iface, At int }

// several builds a file of several interfaces with these events in this order. The bytes of each
// packet depend on its place in the file.
func several(interfaces int, events []event) *ng {
	n := new(ng).section(binary.LittleEndian)
	for range interfaces {
		n.iface(1, 0)
	}
	for i, e := range events {
		n.event(e, payload(i, 60))
	}
	return n
}

func (n *ng) event(e event, data []byte) { n.enhanced(uint32(e.Iface), uint64(e.At)*1000, 1500, data) }

// events returns which packets were delivered, and checks that each has the bytes of its place in
// the file.
func events(t *testing.T, packets []got, length int) (all []event) {
	t.Helper()
	for _, g := range packets {
		all = append(all, event{g.Iface, int(g.Time / 1e6)})
		if want := string(payload(int(g.FileNum-1), length)); g.Data != want {
			t.Errorf("packet %d of the file has other bytes than it should", g.FileNum)
		}
	}
	return all
}

// eventsOf reads events that are written as interface:time.
func eventsOf(t *testing.T, text string) (all []event) {
	t.Helper()
	for word := range strings.FieldsSeq(text) {
		var e event
		_, err := fmt.Sscanf(word, "%d:%d", &e.Iface, &e.At)
		assert.NilError(t, err)
		all = append(all, e)
	}
	return all
}

func TestMergeInterfaces(t *testing.T) {
	for _, test := range []struct {
		name       string
		interfaces int
		file, want string // interface and time in ms of each packet
	}{
		{"runs in turn", 2, "0:0 0:100 0:200 1:50 1:150 1:250 0:240 0:300", "0:0 1:50 0:100 1:150 0:200 0:240 1:250 0:300"},
		{"same time keeps the order of the file", 2, "1:5 0:5 0:6 1:6", "1:5 0:5 0:6 1:6"},
		{"an interface steps back", 2, "0:10 0:5 1:7 1:20", "1:7 0:10 0:5 1:20"},
		{"one interface steps back and is left alone", 1, "0:10 0:5 0:7", "0:10 0:5 0:7"},
		{"exactly the horizon", 2, "0:1000 0:2000 1:1000 1:999", "0:1000 1:1000 1:999 0:2000"},
		{"beyond the horizon", 2, "0:1000 0:1900 0:2001 1:999 1:1800", "0:1000 1:999 1:1800 0:1900 0:2001"},
		{"an interface is silent for longer than the horizon", 2, "0:1000 0:2001 1:999 1:2000", "1:999 0:1000 1:2000 0:2001"},
		{"both show that the clock is set forward by an hour", 2, "0:10 0:100 0:3600110 1:20 1:90 1:3600105", "0:10 1:20 1:90 0:100 1:3600105 0:3600110"},
		{
			"both show that the clock is set back by half a second", 2,
			"0:1000 0:1100 0:610 0:700 1:1050 1:1090 1:620 1:690",
			"0:1000 1:1050 1:1090 0:1100 0:610 1:620 1:690 0:700",
		},
		{"the clock is set back by an hour", 2, "0:3600000 0:3600001 0:1 0:2 1:3 0:4", "0:3600000 0:3600001 0:1 0:2 1:3 0:4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := eventsOf(t, test.file)
			packets, s := readBytes(t, several(test.interfaces, file).file)
			assert.Check(t, is.DeepEqual(events(t, packets, 60), eventsOf(t, test.want)), "delivered")
			assert.Check(t, s.Damage() == nil && s.Files()[0].Packets == uint64(len(file)), "damage %v, %+v", s.Damage(), s.Files()[0])
		})
	}
}

// interleave simulates a host whose interfaces write their packets in runs. No packet is older
// than limit milliseconds when it is written. Interface 0 has a packet at least every
// millisecond, so that the horizon is never exceeded.
func interleave(rng *rand.Rand, interfaces, n, limit int) (file []event) {
	buffers := make([][]event, interfaces)
	for now := range n {
		for i := range buffers {
			if i == 0 || rng.IntN(1+4*i) == 0 {
				buffers[i] = append(buffers[i], event{i, now})
			}
			full := len(buffers[i]) > 0 && now-buffers[i][0].At >= limit
			if full || rng.IntN(limit) == 0 {
				file = append(file, buffers[i]...)
				buffers[i] = nil
			}
		}
	}
	return append(file, slices.Concat(buffers...)...)
}

// In any order of writing, packets within the horizon come out in the order of time, and those of
// each interface in the order of the file.
func TestMergeSorts(t *testing.T) {
	for seed := range uint64(testrun.Cases(60)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		interfaces := 2 + rng.IntN(5)
		file := interleave(rng, interfaces, 3000, 1+rng.IntN(450))
		want := slices.Clone(file)
		slices.SortStableFunc(want, func(a, b event) int { return a.At - b.At })
		packets, _ := readBytes(t, several(interfaces, file).file)
		assert.Assert(t, is.DeepEqual(events(t, packets, 60), want), "seed %d", seed)
	}
}

// Damage ends the file. The packets that were read before it and still wait are delivered, and
// the damage names the packet after all of them.
func TestMergeBeforeDamage(t *testing.T) {
	n := several(2, []event{{0, 0}, {0, 100}, {0, 200}, {1, 50}})
	at := len(n.file)
	n.event(event{1, 60}, payload(4, 60))
	tests := map[string]struct {
		file   []byte
		offset int
	}{
		"cut":               {n.file[:at+40], at},
		"impossible length": {slices.Concat(n.file[:at+4], []byte{1}, n.file[at+5:]), at + 4},
	}
	for name, test := range tests {
		packets, s := readBytes(t, test.file)
		assert.Check(t, is.DeepEqual(events(t, packets, 60), []event{{0, 0}, {1, 50}, {0, 100}, {0, 200}}), "%s: delivered", name)
		d := s.Damage()
		assert.Check(t, len(d) == 1 && d[0].Packet == 5 && d[0].Offset == int64(test.offset), "%s: damage %v, want packet 5 at %d", name, d, test.offset)
	}
}

// An interface without packets makes the others wait. Their packets must not take more memory
// than the bound, and none may be lost.
func TestMergeMemoryBounded(t *testing.T) {
	const packets, length = 1500, 60_000 // 90 MB within a millisecond
	n := new(ng).section(binary.LittleEndian).iface(1, 0).iface(1, 0)
	for i := range packets {
		n.enhanced(0, uint64(i), length, payload(i, length))
	}
	s, err := openBytes(n.file)
	assert.NilError(t, err)
	defer s.Close()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var raw Raw
	for i := range packets {
		if err := s.Next(&raw); err != nil || raw.FileNum != uint64(i+1) {
			t.Fatalf("packet %d: %+v, %v", i+1, raw, err)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > mergeRoom+1<<20 {
		t.Errorf("%d bytes were allocated for what has room in %d", took, mergeRoom)
	}
}

// The pool stays within its bound for any sequence of lengths.
func TestCopyPoolBounded(t *testing.T) {
	var p copyPool
	var out []*packetCopy
	for length := 1; length <= bufferSize; length *= 2 {
		for p.used < mergeRoom {
			out = append(out, p.get(&Raw{Data: payload(0, length)}))
		}
		for _, c := range out {
			p.put(c)
		}
		out = out[:0]
		kept := 0
		for _, c := range p.free {
			for ; c != nil; c = c.next {
				kept += len(c.room)
			}
		}
		assert.Assert(t, p.used == 0 && kept == p.spare && kept <= mergeRoom, "behind packets of %d bytes: %d in use, %d kept, %d counted", length, p.used, kept, p.spare)
	}
}
