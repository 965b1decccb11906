package engine_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// doubled writes a capture with a second copy of each frame that which selects, so many
// units of time later, changed by alter. It returns the new file and the number of copies.
func doubled(t *testing.T, name string, units uint64, which func(i int) bool, alter func(frame []byte)) (file string, copies int64) {
	t.Helper()
	le := binary.LittleEndian
	in := unpacked(t, math.MaxInt64, name)
	at, _, blocks := stamps(t, in)
	var out []byte
	end := 0
	for i, stamp := range at {
		from, header, size := stamp, 16, 16+int(le.Uint32(in[stamp+8:]))
		if blocks {
			from = stamp - 12
			header, size = 28, int(le.Uint32(in[from+4:]))
		}
		out = append(out, in[end:from+size]...)
		end = from + size
		if !which(i) {
			continue
		}
		copies++
		again := append([]byte(nil), in[from:end]...)
		if blocks {
			now := uint64(le.Uint32(again[12:]))<<32 | uint64(le.Uint32(again[16:])) + units
			le.PutUint32(again[12:], uint32(now>>32))
			le.PutUint32(again[16:], uint32(now))
		} else {
			le.PutUint32(again[4:], le.Uint32(again[4:])+uint32(units))
		}
		if alter != nil {
			alter(again[header:])
		}
		out = append(out, again...)
	}
	file = filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(name), ".zst"))
	if err := os.WriteFile(file, append(out, in[end:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, copies
}

func copiesToldOf(doc *report.Document) int64 {
	for _, w := range doc.Warnings {
		if w.Code == "copies_on_one_interface" {
			return w.Count
		}
	}
	return 0
}

// sameCounts compares the counts of two reports.
func sameCounts(t *testing.T, base, doc *report.Document) {
	t.Helper()
	sameFigures(t, base, doc)
	for i := range base.Connections {
		for k := range base.Connections[i].Subflows {
			x, y := &base.Connections[i].Subflows[k], &doc.Connections[i].Subflows[k]
			for dir, d := range [][2]*report.SubDir{{x.A2B, y.A2B}, {x.B2A, y.B2A}} {
				a, b := d[0], d[1]
				if *a.Bytes != *b.Bytes || a.Segments != b.Segments || a.PureAcks != b.PureAcks || *a.DupAcks != *b.DupAcks || a.OutOfOrderSegments != b.OutOfOrderSegments {
					t.Errorf("subflow %d, direction %d: %d bytes, %d segments, %d ACKs, %d of them duplicates; want %d, %d, %d, %d",
						k, dir, *b.Bytes, b.Segments, b.PureAcks, *b.DupAcks, *a.Bytes, a.Segments, a.PureAcks, *a.DupAcks)
				}
			}
		}
	}
}

// TestCopiesOnOneInterface adds a copy of each frame of real captures, a few microseconds
// later. Everything is counted once, also packets that the network had duplicated.
func TestCopiesOnOneInterface(t *testing.T) {
	for name, units := range map[string]uint64{
		"v1/b-lte-cubic/client.pcap.zst": 3, "v1/l-spurious/client.pcap.zst": 2, "v1/c-stream-bbr/client.pcapng.zst": 4000,
		"v1/i-v6-v4/client.pcap.zst": 1, "v1/f-handover/client.pcap.zst": 900,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(sessions, name)
			base := analyzed(t, wholly(file))
			if n := copiesToldOf(base); n != 0 {
				t.Errorf("%d copies in the capture as it is", n)
			}
			twice, n := doubled(t, file, units, func(int) bool { return true }, nil)
			doc := analyzed(t, wholly(twice))
			if err := reporttest.Check(doc); err != nil {
				t.Error(err)
			}
			if got := copiesToldOf(doc); got > n || got < n-base.Captures[0].Skipped.NotTCP-base.Captures[0].Skipped.NotIP {
				t.Errorf("%d copies, want %d", got, n)
			}
			sameCounts(t, base, doc)
		})
	}
}

// TestNetworkDuplicatesStay: a few packets that come twice count as duplicates of the network.
func TestNetworkDuplicatesStay(t *testing.T) {
	file := filepath.Join(sessions, "v1/b-lte-cubic/client.pcap.zst")
	r := rand.New(rand.NewPCG(1, 2))
	few, _ := doubled(t, file, 5, func(int) bool { return r.IntN(50) == 0 }, nil)
	if n := copiesToldOf(analyzed(t, wholly(few))); n != 0 {
		t.Errorf("%d copies", n)
	}
}

// TestTenthTwice: a tenth of the frames comes again 1 us later, as no host sends again and no network
// duplicates so many. Everything is counted once, with timestamps and without, with an IPv4
// identification and without.
func TestTenthTwice(t *testing.T) {
	for _, file := range []string{
		filepath.Join(sessions, "v1/b-lte-cubic/client.pcap.zst"), filepath.Join(sessions, "v1/l-spurious/server.pcap.zst"),
		filepath.Join(sessions, "v1/i-v6-v4/server.pcap.zst"), filepath.Join(outside, "v1/p-no-ts/client.pcap.zst"),
	} {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			if _, err := os.Stat(file); err != nil {
				t.Skip(err)
			}
			base := analyzed(t, wholly(file))
			r := rand.New(rand.NewPCG(3, 4))
			twice, n := doubled(t, file, 1, func(int) bool { return r.IntN(10) == 0 }, nil)
			doc := analyzed(t, wholly(twice))
			if got := copiesToldOf(doc); got > n || got < n-base.Captures[0].Skipped.NotTCP-base.Captures[0].Skipped.NotIP-1 {
				t.Errorf("%d copies, want %d", got, n)
			}
			sameCounts(t, base, doc)
		})
	}
}
