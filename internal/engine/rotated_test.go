package engine_test

import (
	"context"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestRotatedIsWhole: a capture that was cut into files, as tcpdump -C does, has the same report
// as in one file, whatever the order in which the files are named. These captures have equal
// packets shortly after each other: duplicates by the network and repeated RSTs.
func TestRotatedIsWhole(t *testing.T) {
	for _, name := range []string{"v1/l-spurious/client.pcap.zst", "v1/l-spurious/server.pcap.zst", "v1/p-abort/client.pcap.zst"} {
		m := load(t, name, 0)
		whole := connections(t, filepath.Join(sessions, name))
		for _, files := range []int{2, 3, 7, 20} {
			var paths []string
			for i := range files {
				paths = append([]string{window(t, m, float64(i)/float64(files), float64(i+1)/float64(files))}, paths...)
			}
			if diff := cmp.Diff(whole, connections(t, paths...), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s in %d files: (-whole +files)\n%s", name, files, diff)
			}
		}
	}
}

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
		whole := connections(t, part(0, len(packets)))
		for cut := 10; cut < len(packets); cut += 10 {
			for _, paths := range [][]string{
				{part(0, cut), part(cut, len(packets))},
				{part(cut, len(packets)), part(0, cut/4), part(cut/4, cut/2), part(cut/2, cut-cut/4), part(cut-cut/4, cut)},
			} {
				if diff := cmp.Diff(whole, connections(t, paths...), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("without timestamps: %v, %d files, cut behind packet %d: (-whole +files)\n%s", without, len(paths), cut, diff)
				}
			}
		}
	}
}

// connections returns the report on the connections of a capture.
func connections(t *testing.T, paths ...string) []report.Connection {
	t.Helper()
	d, err := engine.Analyze(context.Background(), engine.Options{Paths: paths, Connection: engine.AllConnections})
	if err != nil {
		t.Fatal(err)
	}
	return d.Connections
}
