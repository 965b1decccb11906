package engine_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stamps returns where the times in a capture file (little endian) are, and their unit as a
// part of a second. A classic pcap has two words for seconds and their parts, a pcapng one
// number in two words.
func stamps(t *testing.T, file []byte) (at []int, unit float64, blocks bool) {
	t.Helper()
	le := binary.LittleEndian
	switch magic := le.Uint32(file); magic {
	case 0xa1b2c3d4, 0xa1b23c4d:
		unit = 1e-6
		if magic == 0xa1b23c4d {
			unit = 1e-9
		}
		for i := 24; i+16 <= len(file); i += 16 + int(le.Uint32(file[i+8:])) {
			at = append(at, i)
		}
		return at, unit, false
	case 0x0a0d0d0a:
		for i := 0; i+12 <= len(file); i += int(le.Uint32(file[i+4:])) {
			switch le.Uint32(file[i:]) {
			case 1: // interface description: its resolution is the microsecond unless an option says otherwise
				unit = 1e-6
				for o := i + 16; o+4 <= i+int(le.Uint32(file[i+4:]))-4; {
					code, n := le.Uint16(file[o:]), int(le.Uint16(file[o+2:]))
					if code == 9 {
						unit = math.Pow(10, -float64(file[o+4]))
					}
					o += 4 + (n+3)/4*4
				}
			case 6:
				at = append(at, i+12)
			}
		}
		return at, unit, true
	}
	t.Fatalf("a capture begins with %x", file[:4])
	return nil, 0, false
}

// rewrite changes the times of one host's captures. It returns their new names, when they
// begin, in seconds of the day, and how long they last.
func rewrite(t *testing.T, names []string, w tamper) (out []string, begin, span float64) {
	t.Helper()
	files := make([][]byte, len(names))
	for i, name := range names {
		files[i] = unpacked(t, math.MaxInt64, name)
	}
	first, last := math.Inf(1), 0.0
	restamp(t, files, func(now float64) float64 {
		first, last = min(first, now), max(last, now)
		return now
	})
	restamp(t, files, func(now float64) float64 {
		if w.step != 0 && now-first > 0.4*(last-first) {
			return now + w.step/1e3
		}
		return now + (now-first)*w.ppm/1e6
	})
	dir := t.TempDir()
	for i, name := range names {
		to := filepath.Join(dir, fmt.Sprint(i, strings.TrimSuffix(filepath.Base(name), ".zst")))
		if err := os.WriteFile(to, files[i], 0o600); err != nil {
			t.Fatal(err)
		}
		out = append(out, to)
	}
	return out, first, last - first
}

// restamp replaces each time, in seconds of its day, by what do returns.
func restamp(t *testing.T, files [][]byte, do func(now float64) float64) {
	t.Helper()
	le := binary.LittleEndian
	for _, file := range files {
		at, unit, blocks := stamps(t, file)
		per := uint64(math.Round(1 / unit))
		for _, i := range at {
			hi, lo := uint64(le.Uint32(file[i:])), uint64(le.Uint32(file[i+4:]))
			whole := hi*per + lo
			if blocks {
				whole = hi<<32 | lo
			}
			day := whole / per / 86400 * 86400 * per
			whole = day + uint64(math.Round(do(float64(whole-day)*unit)/unit))
			hi, lo = whole/per, whole%per
			if blocks {
				hi, lo = whole>>32, whole&math.MaxUint32
			}
			le.PutUint32(file[i:], uint32(hi))
			le.PutUint32(file[i+4:], uint32(lo))
		}
	}
}
