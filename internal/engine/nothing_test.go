package engine_test

import (
	"errors"
	"path/filepath"
	"testing"

	"mpanalyze/internal/engine"
)

// A capture of which no packet could be read is told from one that was read up to its damage.
func TestNothingRead(t *testing.T) {
	sound := unpacked(t, 4000, filepath.Join(sessions, "v1/l-single-loss/client.pcap.zst"))
	second := 24 + 16 + int(sound[24+8]) // offset of the second record
	change := func(at int, b ...byte) []byte {
		file := append([]byte(nil), sound...)
		copy(file[at:], b)
		return file
	}
	for _, c := range []struct {
		name    string
		file    []byte
		nothing bool
	}{
		{"first record damaged", change(24+8, 0xff, 0xff, 0xff, 0x7f), true},
		{"second record damaged", change(second+8, 0xff, 0xff, 0xff, 0x7f), false},
		{"cut in the file header", sound[:10], true},
		{"cut in the first record", sound[:24+16+10], true},
		{"cut in the second record", sound[:second+20], false},
		{"zeros from the first record on", append(change(0)[:24], make([]byte, 200)...), true},
		{"unknown link type", change(20, 0xe7, 0x03)[:second], true},
	} {
		got := analyzeBytes(t, c.file)
		var d *engine.DamageError
		if !errors.As(got.err, &d) || d.Nothing != c.nothing {
			t.Errorf("%s: %#v; want an error with Nothing %v", c.name, got.err, c.nothing)
		}
	}
	if got := analyzeBytes(t, sound[:second]); got.err != nil {
		t.Errorf("sound: %v", got.err)
	}
}
