package engine_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
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

// connections returns the report on the connections of a capture.
func connections(t *testing.T, paths ...string) []report.Connection {
	t.Helper()
	d, err := engine.Analyze(context.Background(), engine.Options{Paths: paths, Connection: engine.AllConnections})
	if err != nil {
		t.Fatal(err)
	}
	return d.Connections
}
