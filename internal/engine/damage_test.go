package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/testrun"
)

// soundText is the report on a capture that is cut between two packets.
func soundText(t *testing.T, m material, start int) string {
	t.Helper()
	sound := analyzeBytes(t, m.file[:start])
	if sound.err != nil {
		t.Fatalf("%s, %d bytes: %v", m.name, start, sound.err)
	}
	return sound.text(t)
}

// wantCut checks a capture that is cut within byte at. Its report must be sound, that on the packets
// before it, and say that it is cut.
func wantCut(t *testing.T, m material, at int, sound string) {
	t.Helper()
	packets, start, whole := m.before(at)
	cut := analyzeBytes(t, m.file[:at])
	assert.Assert(t, is.DeepEqual(cut.text(t), sound), "%s cut at %d: not the report on the %d packets before", m.name, at, packets)
	if whole {
		if cut.err != nil {
			t.Errorf("%s cut at %d, between packets: %v", m.name, at, cut.err)
		}
		return
	}
	var d *capture.DamageError
	if !engine.Damaged(cut.err) || !errors.As(cut.err, &d) || d.Packet != uint64(packets+1) || d.Offset != int64(start) {
		t.Fatalf("%s cut at %d: error %v, want damage of packet %d at offset %d", m.name, at, cut.err, packets+1, start)
	}
	c := cut.doc.Captures[0]
	if !c.Truncated || c.Damage == nil || c.Damage.Packet != int64(packets) || c.Damage.Offset != int64(start) || c.Packets != int64(packets) {
		t.Fatalf("%s cut at %d: %+v with damage %+v, want %d packets and offset %d", m.name, at, c, c.Damage, packets, start)
	}
	for _, word := range []string{fmt.Sprintf("packet %d,", packets+1), fmt.Sprintf("offset %d", start)} {
		if !strings.Contains(cut.err.Error(), word) {
			t.Errorf("%s cut at %d: %q does not say %q", m.name, at, cut.err, word)
		}
	}
}

func TestCutAtEveryByte(t *testing.T) {
	t.Parallel()
	small := load(t, "v1/p-abort/client.pcap.zst", 12)
	ng := load(t, "v1/c-stream-bbr/client.pcapng.zst", 5)
	step := scale * 16 / testrun.Cases(16)
	for _, m := range []material{small, ng} {
		sound, of := "", -1 // the report on the units in front of that place
		for at := m.head; at <= len(m.file); at += step {
			if _, start, _ := m.before(at); start != of {
				sound, of = soundText(t, m, start), start
			}
			wantCut(t, m, at, sound)
		}
	}
}

// A file that ends within its own header has no packet. The message must not say that it is
// no capture.
func TestCutInHeader(t *testing.T) {
	m := load(t, "v1/p-abort/client.pcap.zst", 1)
	for at := 4; at < m.head; at++ {
		r := analyzeBytes(t, m.file[:at])
		if !engine.Damaged(r.err) || r.doc.Captures[0].Packets != 0 || len(r.doc.Connections) != 0 {
			t.Errorf("cut at %d: %v", at, r.err)
		}
	}
	if r := analyzeBytes(t, m.file[:3]); r.err == nil || engine.Damaged(r.err) {
		t.Errorf("cut at 3: %v, want an error without a report", r.err)
	}
}

// Flipped bits must not crash the analysis, break a rule of the report or lose a packet
// before them.
func TestFlipAnyByte(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, name := range realCaptures {
		m := load(t, name, 60)
		for range testrun.Cases(120 / scale) {
			file := bytes.Clone(m.file)
			at := m.head + rng.IntN(len(file)-m.head)
			mask := byte(1 + rng.IntN(255))
			file[at] ^= mask
			want, _, _ := m.before(at)
			if r := analyzeBytes(t, file); r.doc == nil || r.doc.Captures[0].Packets < int64(want) {
				t.Fatalf("%s, byte %d ^ %#x: %v", name, at, mask, r.err)
			}
		}
	}
}
