package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// Records that hold more bytes than they say were on the wire end no reading. The report is that
// on sound records, with one warning that says how many there are and where the first is.
func TestRecordsLongerThanTheirPackets(t *testing.T) {
	const first, every = 40, 50 // the 40th packet, and each 50th from there on
	f := framesOf(t, session("v1/l-single-loss/client.pcap.zst"))
	offset, n := 24, int64(0)
	for i := range f.list {
		if i < first-1 {
			offset += 16 + len(f.list[i].Data)
		} else if (i-first+1)%every == 0 {
			f.list[i].WireLen = len(f.list[i].Data)
			n++
		}
	}
	want := analyzeBytes(t, f.pcap())
	for i := first - 1; i < len(f.list); i += every {
		f.list[i].WireLen--
	}
	for name, file := range map[string][]byte{"pcap": f.pcap(), "pcapng": f.pcapng()} {
		got := analyzeBytes(t, file)
		if want.err != nil || got.err != nil {
			t.Fatal(name, want.err, got.err)
		}
		w, place := got.doc.Warnings[0], fmt.Sprintf("packet %d, byte offset ", first)
		if name == "pcap" {
			place += fmt.Sprint(offset)
		}
		if w.Code != "record_longer" || w.Count != n || *w.Packet != first || !strings.Contains(w.Message, place) {
			t.Errorf("%s: %+v; want %d records, %s", name, w, n, place)
		}
		got.doc.Warnings = got.doc.Warnings[1:]
		got.doc.Captures[0].Format, got.doc.Captures[0].SnapLen = want.doc.Captures[0].Format, want.doc.Captures[0].SnapLen
		assert.Check(t, is.DeepEqual(got.text(t), want.text(t)), "%s", name)
	}
}

// Times that cannot be counted are no steps of the clock: the packets and the first place are said,
// and the connection has no figures of time. The counts are those of the sound capture.
func TestTimesOutOfRange(t *testing.T) {
	f := framesOf(t, session("v1/c-stream-bbr/client.pcapng.zst"))
	want := analyzed(t, piped(f.pcapng()))
	got := analyzed(t, piped(f.moved(func(i int) int64 {
		if 39 <= i && i < 50 {
			return -1 - f.list[i].Time // all bits of the stamp are set
		}
		return 0
	}).pcapng()))
	for _, w := range got.Warnings {
		assert.Check(t, !strings.HasPrefix(w.Code, "clock") && !strings.HasPrefix(w.Code, "packets_out"), "%+v", w)
	}
	if w := got.Warnings[0]; w.Code != "time_out_of_range" || w.Count != 11 || !strings.Contains(w.Message, "packet 40, byte offset") {
		t.Errorf("%+v; want 11 packets, from packet 40 on", w)
	}
	x, y := got.Connections[0].Subflows[0], want.Connections[0].Subflows[0]
	if *x.B2A.Bytes != *y.B2A.Bytes || x.B2A.Segments != y.B2A.Segments {
		t.Errorf("%d B in %d segments, want %d in %d", *x.B2A.Bytes, x.B2A.Segments, *y.B2A.Bytes, y.B2A.Segments)
	}
	if why, _ := x.B2A.Unavailable.Of("srtt_ms"); x.B2A.SRTT != nil || !strings.Contains(why, "time_out_of_range") {
		t.Errorf("SRTT %+v, absent because %q", x.B2A.SRTT, why)
	}
}
