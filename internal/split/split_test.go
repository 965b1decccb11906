package split_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/report"
	"mpanalyze/internal/split"
	"mpanalyze/internal/testrun"
)

// options are those of analyze --json.
func options() engine.Options {
	return engine.Options{Connection: engine.AllConnections, Detail: report.WithData, Interval: 100 * time.Millisecond, HashLimit: 64 << 20}
}

// text returns a report as JSON.
func text(t *testing.T, s *report.Stored) string {
	t.Helper()
	defer s.Close()
	var b bytes.Buffer
	if err := jsonreport.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// divide splits captures, and returns the directory; refused says why they cannot be split.
func divide(t *testing.T, o engine.Options, parts int) (dir string, refused error) {
	t.Helper()
	rec, err := split.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	x, err := engine.Record(context.Background(), o, rec)
	if x == nil {
		if !errors.As(err, new(*engine.InputError)) {
			t.Fatal(err)
		}
		return "", err
	}
	dir = t.TempDir()
	if err := rec.Write(context.Background(), dir, o.Paths, parts, x); err != nil {
		t.Fatal(err)
	}
	return dir, nil
}

// compare compares the report on parts with that on the whole.
func compare(t *testing.T, o engine.Options, parts int) {
	t.Helper()
	whole, damage := engine.AnalyzeStored(context.Background(), o)
	if whole == nil {
		t.Fatal(damage)
	}
	want := text(t, whole)
	dir, refused := divide(t, o, parts)
	if refused != nil {
		t.Fatal(refused)
	}
	o.Paths = nil
	merged, met := engine.Merge(context.Background(), dir, o)
	if merged == nil {
		t.Fatal(met)
	}
	if fmt.Sprint(met) != fmt.Sprint(damage) {
		t.Errorf("merged: %v; whole: %v", met, damage)
	}
	if got := text(t, merged); got != want {
		t.Errorf("%d parts: %s", parts, difference(got, want))
	}
	results(t, o, dir)
	merged, _ = engine.Merge(context.Background(), dir, o)
	if got := text(t, merged); got != want {
		t.Errorf("results of %d parts: %s", parts, difference(got, want))
	}
}

// results analyses each part alone, and then removes the captures, so that a merge must use the
// stored results.
func results(t *testing.T, o engine.Options, dir string) {
	t.Helper()
	x, err := split.ReadIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Parts {
		if err := engine.MergePart(context.Background(), dir, i+1, o); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, x.Parts[i].File)); err != nil {
			t.Fatal(err)
		}
	}
}

// difference returns the first lines in which two texts differ.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: merged %q, whole %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("merged has %d lines, the whole %d", len(g), len(w))
}

// captures returns the captures below a directory.
func captures(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.Contains(e.Name(), ".pcap") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// bundled are the captures that come with the source.
const bundled = "../../testdata/sessions"

// TestSessions: the report on the parts of every capture is that on the whole.
func TestSessions(t *testing.T) {
	list := captures(t, bundled)
	for _, path := range list[:testrun.Cases(len(list))] {
		inParts(t, bundled, path)
	}
	if !testrun.All() {
		inParts(t, bundled, bursts) // the one with most connections
	}
}

// more are captures in the folder beside the repository, for what the bundled ones lack.
var more = []string{
	"v0/full-v0-csum0/client.pcap.zst",                                        // whole packets
	"v0/ndiffports/server.pcap.zst",                                           // version 0; two subflows of the same addresses
	"v1/e-slow-reader/client.pcap.zst",                                        // closed windows; Linux cooked v2
	"v1/f-rmaddr/client.pcap.zst",                                             // a join after a subflow was removed
	"v1/h-csum-flip-one/client.pcap.zst",                                      // an infinite mapping
	"v1/i-v4-v6/client.pcap.zst",                                              // IPv4 and IPv6 in one connection
	"v1/j-plain-client/client.pcap.zst",                                       // plain TCP only
	"v1/j-strip-join/client.pcap.zst",                                         // joins fail
	"v1/k-many-short/client.pcap.zst",                                         // 200 connections
	"v1/m-two-down-joins/client.pcap.zst",                                     // two connections whose joins interleave
	"v1/p-bidir/client.pcapng.zst",                                            // pcapng; data in both directions
	"v1/p-reorder/client.pcap.zst",                                            // late and duplicated packets
	"suites/conn-a9YPCk-ns1-ns1-MPTCP-MPTCP-10.0.1.1-10000-listener.pcap.zst", // loopback
	"suites/join-085-ns1.pcap.zst",                                            // MP_CAPABLE to a port that takes joins only
	"suites/join-113-ns1.pcap.zst",                                            // an infinite mapping
	"suites/join-117-ns1.pcap.zst",                                            // a join that is rejected
	"suites/pd-fastclose_receive_fastclose_with_rst_v4-ipv4.pcap.zst",         // a port used again
	"suites/pd-mp_join_mp_join_server_bad_token-ipv6.pcap.zst",                // a join of no connection
	"suites/simult-gNo1SK-10003-listener.pcap.zst",                            // super-segments
}

// TestMoreSessions does so for captures beside the source.
func TestMoreSessions(t *testing.T) {
	if !testrun.All() {
		t.Skipf("%s=all takes captures in %s, too", testrun.Variable, testrun.Shared)
	}
	paths := testrun.SharedFiles(t, more...)
	if len(paths) == 0 {
		t.Skip("none of these captures is there")
	}
	for _, path := range paths {
		inParts(t, testrun.Shared, path)
	}
}

func inParts(t *testing.T, dir, path string) {
	o := options()
	o.Paths = []string{path}
	for _, parts := range []int{1, 2, 16} {
		t.Run(fmt.Sprintf("%s/%d", strings.TrimPrefix(path, dir+"/"), parts), func(t *testing.T) { compare(t, o, parts) })
	}
}
