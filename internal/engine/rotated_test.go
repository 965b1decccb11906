package engine_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/tracegen"
)

// TestRotatedInRecovery: a segment is lost, and the file ends while the receiver repeats its
// acknowledgment. Without timestamps the second file begins with packets that the first one has, too,
// tens of milliseconds later. Both are one capture, wherever it is cut.
func TestRotatedInRecovery(t *testing.T) {
	const ms = time.Millisecond
	for _, without := range []bool{true, false} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, NoTimestamps: without})
		f := s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:1000"), B: netip.MustParseAddrPort("10.0.0.2:2000"), Delay: [2]time.Duration{20 * ms, 20 * ms}})
		f.Open(0)
		for i := range 100 {
			sent := f.Data(tracegen.A2B, 200*ms+time.Duration(i)*ms, int64(1000*i), 1000)
			if i == 20 {
				sent.Lose().Again(330 * ms)
			}
		}
		packets := s.Network().Packets(tracegen.HostA)
		part := func(from, to int) string {
			i := 0
			return writeView(t, "part.pcap", packets, tracegen.Format{Nanosecond: true}, func(*tracegen.Packet) bool {
				i++
				return from < i && i <= to
			})
		}
		whole := analyzed(t, wholly(part(0, len(packets)))).Connections
		for cut := 10; cut < len(packets); cut += 20 {
			for _, paths := range [][]string{
				{part(0, cut), part(cut, len(packets))},
				{part(cut, len(packets)), part(0, cut/4), part(cut/4, cut/2), part(cut/2, cut-cut/4), part(cut-cut/4, cut)},
			} {
				assert.Check(t, is.DeepEqual(analyzed(t, wholly(paths...)).Connections, whole, cmpopts.EquateEmpty()), "without timestamps: %v, %d files, cut behind packet %d:", without, len(paths), cut)
			}
		}
	}
}
