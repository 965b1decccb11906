package engine_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Records that hold more bytes than they say were on the wire end no reading. The report is that
// on sound records, with one warning that says how many there are and where the first is.
func TestRecordsLongerThanTheirPackets(t *testing.T) {
	const first, every = 40, 50 // the 40th packet, and each 50th from there on
	// Packets of the second file are sorted by their times, so that their numbers in the report differ.
	for _, name := range []string{"v1/l-single-loss/client.pcap.zst", "v1/c-stream-bbr/client.pcapng.zst"} {
		sound := unpacked(t, math.MaxInt64, filepath.Join(sessions, name))
		file := append([]byte(nil), sound...)
		at, _, blocks := stamps(t, file)
		offset, n := 0, int64(0)
		for i := first - 1; i < len(at); i += every {
			lengths, start := at[i]+8, at[i]
			if blocks {
				start = at[i] - 12
			}
			if n++; n == 1 {
				offset = start
			}
			captured := binary.LittleEndian.Uint32(file[lengths:])
			binary.LittleEndian.PutUint32(sound[lengths+4:], captured)
			binary.LittleEndian.PutUint32(file[lengths+4:], captured-1)
		}
		want, got := analyzeBytes(t, sound), analyzeBytes(t, file)
		if want.err != nil || got.err != nil {
			t.Fatalf("%s: %v, %v", name, want.err, got.err)
		}
		w := got.doc.Warnings[0]
		place := fmt.Sprintf("packet %d, byte offset %d", first, offset)
		if w.Code != "record_longer" || w.Count != n || !blocks && *w.Packet != first || !strings.Contains(w.Message, place) {
			t.Errorf("%s: %+v; want %d records, %s", name, w, n, place)
		}
		got.doc.Warnings = got.doc.Warnings[1:]
		if diff := cmp.Diff(want.text(t), got.text(t)); diff != "" {
			t.Errorf("%s (-sound +longer):\n%s", name, diff)
		}
	}
}

// Times that cannot be counted are no steps of the clock: the packets and the first place are said,
// and the connection has no figures of time. The counts are those of the sound capture.
func TestTimesOutOfRange(t *testing.T) {
	file := unpacked(t, math.MaxInt64, filepath.Join(sessions, "v1/c-stream-bbr/client.pcapng.zst"))
	want := analyzeBytes(t, file)
	at, _, blocks := stamps(t, file)
	if !blocks {
		t.Fatal("not pcapng")
	}
	for i := 39; i < 50; i++ {
		binary.LittleEndian.PutUint32(file[at[i]:], math.MaxUint32)
	}
	got := analyzeBytes(t, file)
	if want.err != nil || got.err != nil {
		t.Fatal(want.err, got.err)
	}
	for _, w := range got.doc.Warnings {
		if strings.HasPrefix(w.Code, "clock") || strings.HasPrefix(w.Code, "packets_out") {
			t.Errorf("%+v", w)
		}
	}
	w, place := got.doc.Warnings[0], fmt.Sprintf("packet 40, byte offset %d", at[39]-12)
	if w.Code != "time_out_of_range" || w.Count != 11 || !strings.Contains(w.Message, place) {
		t.Errorf("%+v; want 11 packets, %s", w, place)
	}
	x, y := got.doc.Connections[0].Subflows[0], want.doc.Connections[0].Subflows[0]
	if *x.B2A.Bytes != *y.B2A.Bytes || x.B2A.Segments != y.B2A.Segments {
		t.Errorf("%d B in %d segments, want %d in %d", *x.B2A.Bytes, x.B2A.Segments, *y.B2A.Bytes, y.B2A.Segments)
	}
	if why, _ := x.B2A.Unavailable.Of("srtt_ms"); x.B2A.SRTT != nil || !strings.Contains(why, "time_out_of_range") {
		t.Errorf("SRTT %+v, absent because %q", x.B2A.SRTT, why)
	}
}
