package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/testrun"
)

// wantCut checks a capture that is cut within byte at, which is not the end of a unit. Its
// report must be that on the packets before it, and say that it is cut.
func wantCut(t *testing.T, m material, at int) {
	t.Helper()
	_, start, _ := m.before(at)
	wantCutAs(t, m, at, soundText(t, m, start))
}

// soundText is the report on a capture that is cut between two packets.
func soundText(t *testing.T, m material, start int) string {
	t.Helper()
	sound := analyzeBytes(t, m.file[:start])
	if sound.err != nil {
		t.Fatalf("%s, %d bytes: %v", m.name, start, sound.err)
	}
	return sound.text(t)
}

// wantCutAs is wantCut where the report on the packets in front of the cut is known.
func wantCutAs(t *testing.T, m material, at int, sound string) {
	t.Helper()
	packets, start, whole := m.before(at)
	cut := analyzeBytes(t, m.file[:at])
	if diff := cmp.Diff(sound, cut.text(t)); diff != "" {
		t.Fatalf("%s cut at %d: not the report on the %d packets before (-want +got):\n%s", m.name, at, packets, diff)
	}
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
			wantCutAs(t, m, at, sound)
		}
	}
}

func TestCutRealCaptures(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range realCaptures {
		m := load(t, name, 1500)
		for range testrun.Cases(max(1, 4/scale)) {
			wantCut(t, m, m.head+rng.IntN(len(m.file)-m.head))
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

// The exit status and the message of the whole program.
func TestCutExitStatus(t *testing.T) {
	m := load(t, "v1/l-spurious/server.pcap.zst", 200)
	last := m.units[len(m.units)-1]
	tests := []struct {
		name string
		file []byte
		code cli.ExitCode
		err  string
	}{
		{"whole", m.file, cli.ExitOK, ""},
		{"cut", m.file[:last.at+20], cli.ExitDamaged, fmt.Sprintf("mpanalyze: -: packet 200, byte offset %d: ", last.at)},
		{"cut in its header", m.file[:10], cli.ExitFailed, "mpanalyze: -: packet 1, byte offset 0: "},
		{"no capture", []byte("GET / HTTP/1.1\r\n"), cli.ExitFailed, "mpanalyze: -: not a capture"},
	}
	for _, test := range tests {
		var out, errs bytes.Buffer
		s := cli.Streams{
			In: bytes.NewReader(test.file), Out: &out, Err: &errs,
			Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Time{} },
		}
		e := cli.Engine{Stored: engine.AnalyzeStored}
		code := cli.Main([]string{"analyze", "--json", "-"}, s, e, "test")
		if code != test.code || !strings.HasPrefix(errs.String(), test.err) || (test.err == "") != (errs.Len() == 0) {
			t.Errorf("%s: status %d, message %q; want %d, %q", test.name, code, errs.String(), test.code, test.err)
		}
		if (out.Len() > 0) == (test.name == "no capture") { // there is a report on the capture that is cut in its header, too: it has no packets
			t.Errorf("%s: %d bytes of report", test.name, out.Len())
		}
	}
}

// Flipped bits must not crash the analysis, break a rule of the report or lose a packet
// before them.
func TestFlipAnyByte(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, name := range realCaptures {
		m := load(t, name, 60)
		for range testrun.Cases(200 / scale) {
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
