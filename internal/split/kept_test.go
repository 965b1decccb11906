package split_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/split"
	"mpanalyze/internal/tracegen"
)

const bursts = "../../testdata/sessions/v1/k-short-bursts/client.pcap.zst"

// packetsOf reads all packets of captures, by number.
func packetsOf(t *testing.T, paths ...string) map[uint64]capture.Raw {
	t.Helper()
	s, err := capture.Open(paths, capture.Options{Comments: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := map[uint64]capture.Raw{}
	for {
		var raw capture.Raw
		if s.Next(&raw) != nil {
			return all
		}
		raw.Data = bytes.Clone(raw.Data)
		raw.Offset, raw.FileNum, raw.File, raw.Iface = 0, 0, 0, 0
		all[raw.Num] = raw
	}
}

// TestPacketsAreKept: the parts have every packet once, with its number, time, lengths and
// bytes.
func TestPacketsAreKept(t *testing.T) {
	want := packetsOf(t, bursts)
	o := options()
	o.Paths = []string{bursts}
	dir, refused := divide(t, o, 5)
	if refused != nil {
		t.Fatal(refused)
	}
	files := captures(t, dir)
	if len(files) != 5 {
		t.Fatalf("%d files", len(files))
	}
	got := 0
	for _, file := range files {
		for num, p := range packetsOf(t, file) {
			if w := want[num]; fmt.Sprintf("%+v", p) != fmt.Sprintf("%+v", w) {
				t.Fatalf("packet %d of %s: %+v, in the original %+v", num, file, p, w)
			}
			got++
		}
	}
	if got != len(want) {
		t.Errorf("%d packets in the parts, %d in the original", got, len(want))
	}
}

// TestConnectionsAreWhole: parts are about as large as each other, and each connection is in
// one of them with all its subflows, so that goodputs are those of the whole.
func TestConnectionsAreWhole(t *testing.T) {
	o := options()
	o.Paths = []string{bursts}
	dir, _ := divide(t, o, 4)
	x, err := split.ReadIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, p := range x.Parts {
		o.Paths = []string{filepath.Join(dir, p.File)}
		doc, err := engine.Analyze(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(doc.Connections) != p.Multipath || p.Multipath != 15 {
			t.Errorf("%s: %d connections, the index says %d of 60", p.File, len(doc.Connections), p.Multipath)
		}
		sum += len(doc.Connections)
	}
	if sum != 60 {
		t.Errorf("%d connections in all", sum)
	}
}

// inFiles cuts a classic capture after every n-th packet into rotated files.
func inFiles(t *testing.T, file []byte, n int) (names []string) {
	t.Helper()
	const head = 24
	dir, at, out := t.TempDir(), head, bytes.Clone(file[:head])
	for i := 1; at < len(file); i++ {
		size := 16 + int(binary.LittleEndian.Uint32(file[at+8:]))
		out = append(out, file[at:at+size]...)
		if at += size; i%n == 0 || at == len(file) {
			name := filepath.Join(dir, fmt.Sprintf("dump.pcap%03d", i))
			if err := os.WriteFile(name, out, 0o600); err != nil {
				t.Fatal(err)
			}
			names, out = append(names, name), out[:head:head]
		}
	}
	return names
}

// sessions returns a capture of sessions of two subflows, and a plain connection.
func sessions(t *testing.T, f tracegen.Format) []byte {
	t.Helper()
	n := tracegen.NewNetwork(time.Unix(1_700_000_000, 0))
	for i := range 7 {
		s := n.Session(tracegen.Config{Version: 1, Plain: i == 6, Keys: [2]uint64{uint64(2*i + 1), uint64(2*i + 2)}})
		var at time.Duration
		for k := range 2 {
			if i == 6 && k == 1 {
				break
			}
			sub := s.Subflow(tracegen.Path{
				A: netip.MustParseAddrPort(fmt.Sprintf("10.0.%d.1:%d", k, 1000+i)), B: netip.MustParseAddrPort("10.0.9.1:80"),
				Delay: [2]time.Duration{5 * time.Millisecond, 5 * time.Millisecond},
			})
			h := sub.Open(at + time.Duration(i)*time.Millisecond)
			at = h.Established()
			for j := range 20 {
				at += 10 * time.Millisecond
				sub.Data(tracegen.A2B, at, int64((20*k+j)*1000), 1000)
			}
		}
	}
	var file bytes.Buffer
	if err := n.Write(&file, tracegen.View(0), f); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestRotated: rotated files are one capture.
func TestRotated(t *testing.T) {
	o := options()
	o.Paths = inFiles(t, sessions(t, tracegen.Format{}), 50)
	if len(o.Paths) < 5 {
		t.Fatalf("%d files", len(o.Paths))
	}
	for _, parts := range []int{1, 3} {
		compare(t, o, parts)
	}
}

// TestDamaged: the report on the parts of a cut capture equals that on the whole capture.
func TestDamaged(t *testing.T) {
	file := sessions(t, tracegen.Format{})
	o := options()
	o.Paths = []string{filepath.Join(t.TempDir(), "cut.pcap")}
	if err := os.WriteFile(o.Paths[0], file[:len(file)*2/3-5], 0o600); err != nil {
		t.Fatal(err)
	}
	compare(t, o, 3)
}

// TestRefused: a capture whose report could not be made from parts is refused.
func TestRefused(t *testing.T) {
	file := sessions(t, tracegen.Format{})
	o := options()
	for name, c := range map[string]struct {
		alter func([]byte)
		want  string
	}{
		"a clock that was set": {func(b []byte) { shift(b, 200, 1<<31-1, -3_600_000_000) }, "clock of the capture was set"},
		"a late packet":        {func(b []byte) { shift(b, 200, 201, -20_000) }, "stands far behind its place"},
	} {
		b := bytes.Clone(file)
		c.alter(b)
		o.Paths = []string{filepath.Join(t.TempDir(), "odd.pcap")}
		if err := os.WriteFile(o.Paths[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := divide(t, o, 2); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// shift adds microseconds to the times of packets of a classic capture.
func shift(b []byte, from, to, by int) {
	const second = 1_000_000
	for i, at := 0, 24; at < len(b); i++ {
		if i >= from && i < to {
			now := int(binary.LittleEndian.Uint32(b[at:]))*second + int(binary.LittleEndian.Uint32(b[at+4:])) + by
			binary.LittleEndian.PutUint32(b[at:], uint32(now/second))
			binary.LittleEndian.PutUint32(b[at+4:], uint32(now%second))
		}
		at += 16 + int(binary.LittleEndian.Uint32(b[at+8:]))
	}
}

// TestChanged: parts that changed after they were written are refused, and so is a changed index.
func TestChanged(t *testing.T) {
	o := options()
	o.Paths = []string{bursts}
	for name, c := range map[string]struct {
		file  string
		alter func([]byte) []byte
		want  string
	}{
		"a part without its last packets": {"part-002.pcapng", withoutLast, "something else than the whole capture"},
		"a part that is cut":              {"part-002.pcapng", func(b []byte) []byte { return b[:len(b)/2-1] }, "the file ends after"},
		"steps that are cut":              {"part-001.steps", func(b []byte) []byte { return b[:len(b)-1] }, "it is cut or damaged"},
		"steps of no connections":         {"part-001.steps", func([]byte) []byte { return []byte("mpanalyze steps 1\n\x00\x00\x80") }, "something else than the whole capture"},
		"steps of another kind":           {"part-001.steps", func(b []byte) []byte { return b[1:] }, "holds no steps"},
		"an index of another kind":        {split.IndexName, func([]byte) []byte { return []byte("{}") }, "its schema is"},
		"an index that is no JSON":        {split.IndexName, func(b []byte) []byte { return b[1:] }, "not the index of a split"},
		"an index of files elsewhere": {split.IndexName, func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("part-001.pcapng"), []byte("../part-001.pcapng"))
		}, "is not in this directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := divide(t, o, 2)
			path := filepath.Join(dir, c.file)
			b, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, c.alter(b), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			s, err := engine.Merge(context.Background(), dir, o)
			if s != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// withoutLast leaves out the last block of a pcapng file.
func withoutLast(b []byte) []byte {
	return b[:len(b)-int(binary.LittleEndian.Uint32(b[len(b)-4:]))]
}
