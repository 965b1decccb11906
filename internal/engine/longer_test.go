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
