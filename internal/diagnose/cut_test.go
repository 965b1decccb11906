package diagnose_test

import (
	"bytes"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// fixed is the length of the headers before the options: Ethernet, IPv4, TCP.
const fixed = 14 + 20 + 20

// TestOptionsCut cuts each packet so that no option is whole, or so that only the longest
// options, those of data packets, are cut. The only verdict says that options were cut, and in
// how many packets.
func TestOptionsCut(t *testing.T) {
	s, f := begin()
	for i := range 150 {
		f.Data(tracegen.A2B, 100*ms+time.Duration(i)*10*ms, int64(i)*1000, 1000)
	}
	packets, longest := s.Packets(tracegen.HostB), 0
	for i := range packets {
		longest = max(longest, len(packets[i].Options))
	}
	for _, left := range []int{4, longest - 1} {
		cut := 0
		for i := range packets {
			if len(packets[i].Options) > left {
				cut++
			}
		}
		var file bytes.Buffer
		assert.NilError(t, s.Network().Write(&file, tracegen.HostB, tracegen.Format{Nanosecond: true, SnapLen: fixed + left}))
		doc := read(t, &file)
		v := find(t, doc, report.VerdictOptionsCut)
		wantNumber(t, v, "packets", float64(cut))
		for _, plain := range doc.TCP {
			assert.Check(t, len(plain.Verdicts) == 1, "%d bytes of options: %+v is said of options that were not seen", left, plain.Verdicts)
		}
		if w := doc.Warnings; len(w) != 1 || w[0].Code != "options_cut" || w[0].Count != int64(cut) {
			t.Errorf("%d bytes of options: warnings %+v, want options_cut %d times", left, w, cut)
		}
	}
}
