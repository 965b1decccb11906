package differential

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/testrun"
)

// bundled is the folder with the captures that come with the source.
const bundled = "../../testdata/sessions"

// outside are the captures in the folder beside the repository that are compared as well, for
// what the bundled ones lack. Each is named, so that new captures there do not decide whether
// a change passes.
var outside = []string{
	"campaign/reno/run2/server.pcap.zst", // ACKs that overtake each other; Linux cooked v1

	"v0/addr/client.pcap.zst",            // addresses come and go
	"v0/backup/client.pcap.zst",          // a backup path takes over
	"v0/full-v0-csum0/client.pcap.zst",   // whole packets without checksums
	"v0/full-v1-csum1/client.pcap.zst",   // version 1 with checksums, of the other stack
	"v0/ndiffports/server.pcap.zst",      // two subflows on a path; ACKs that overtake each other
	"v0/sched-redundant/client.pcap.zst", // all data on all subflows
	"v0/strip-synack/client.pcap.zst",    // fallback at the SYN/ACK

	"v1/d-three-bulk/client.pcap.zst",    // three subflows with bursts of losses
	"v1/e-slow-reader/server.pcap.zst",   // closed windows
	"v1/f-rmaddr/client.pcap.zst",        // REMOVE_ADDR, and a join after it
	"v1/g-backup/client.pcap.zst",        // MP_PRIO; a connection without an end
	"v1/h-csum-client/client.pcap.zst",   // one end requires checksums; nanoseconds
	"v1/h-csum-flip-one/client.pcap.zst", // MP_FAIL and an infinite mapping
	"v1/h-csum-flip-two/server.pcap.zst", // MP_FAIL with a reset
	"v1/i-v4-v6/client.pcap.zst",         // IPv6 joins IPv4
	"v1/j-plain-client/client.pcap.zst",  // the client has no MPTCP
	"v1/j-strip-join/client.pcap.zst",    // joins fail
	"v1/j-strip-late/client.pcap.zst",    // options vanish amid the data
	"v1/j-strip-syn/client.pcap.zst",     // fallback at the SYN
	"v1/k-many-short/client.pcap.zst",    // 200 connections; Linux cooked v2
	"v1/o-tso-emu/server.pcap.zst",       // super-segments of the receiver
	"v1/p-addaddr-port/client.pcap.zst",  // ADD_ADDR with a port
	"v1/p-bidir/server.pcapng.zst",       // pcapng; data in both directions
	"v1/p-fullmesh/client.pcap.zst",      // four subflows
	"v1/p-mtu/client.pcap.zst",           // two sizes of segments
	"v1/p-no-ts/client.pcap.zst",         // neither timestamps nor SACK
	"v1/p-reorder/client.pcap.zst",       // late and duplicated packets

	"suites/conn-a9YPCk-ns1-ns1-MPTCP-MPTCP-10.0.1.1-10000-listener.pcap.zst", // loopback with its large MSS
	"suites/conn-a9YPCk-ns2-ns1-MPTCP-TCP-10.0.1.1-10064-connector.pcap.zst",  // the server has no MPTCP
	"suites/join-009-ns1.pcap.zst",                                            // a subflow fails
	"suites/join-029-ns1.pcap.zst",                                            // a backup subflow after a link failure; packets below what is acknowledged
	"suites/join-033-ns1.pcap.zst",                                            // ADD_ADDR again and again
	"suites/join-069-ns1.pcap.zst",                                            // four subflows of both families
	"suites/join-085-ns1.pcap.zst",                                            // MP_CAPABLE to a port that takes joins only
	"suites/join-091-ns1.pcap.zst",                                            // SYN cookies
	"suites/join-111-ns1.pcap.zst",                                            // MP_FASTCLOSE
	"suites/join-113-ns1.pcap.zst",                                            // an infinite mapping
	"suites/join-117-ns1.pcap.zst",                                            // a join that is rejected
	"suites/pd-add_addr_add_addr_client-ipv6.pcap.zst",                        // ADD_ADDR over IPv6
	"suites/pd-dss_dss_ssn_specified_server-ipv4.pcap.zst",                    // mappings of 4-byte numbers
	"suites/pd-dss_mpc_with_data_client-ipv6.pcap.zst",                        // data on MP_CAPABLE
	"suites/pd-fastclose_receive_fastclose_with_ack_multi_v4-ipv4.pcap.zst",   // MP_FASTCLOSE ends several subflows
	sameISN, // a port used again
	"suites/pd-mp_capable_v1_bind_tcpfallback_flagB-ipv6.pcap.zst",            // an unknown flag in MP_CAPABLE
	"suites/pd-mp_capable_v1_bind_tcpfallback_wrongver_3rd_ack-ipv4.pcap.zst", // another version in the third ACK
	"suites/pd-mp_join_mp_join_server_bad_token-ipv6.pcap.zst",                // an unknown token
	"suites/pd-syscalls_connect_reset_poll-ipv4.pcap.zst",                     // a RST answers the SYN
	"suites/simult-gNo1SK-10003-listener.pcap.zst",                            // ACKs into super-segments
	"suites/simult-gNo1SK-10008-connector.pcap.zst",                           // DSACKs above the ACK
}

// sample keeps a part of the captures, always the same, unless all are requested, because another
// program needs a third of a second for each. Of those outside testdata/sessions it keeps a
// smaller part. It reports whether it left any out.
func sample(t *testing.T, files map[string]string) (less bool) {
	t.Helper()
	var inside, others []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if isBundled(files[name]) {
			inside = append(inside, name)
		} else {
			others = append(others, name)
		}
	}
	kept := append(testrun.Sample(inside), testrun.Sample(testrun.Sample(others))...)
	n := len(files) - len(kept)
	maps.DeleteFunc(files, func(name, _ string) bool { return !slices.Contains(kept, name) })
	if n > 0 {
		t.Logf("%d captures left out; %s=all compares them, too", n, testrun.Variable)
	}
	return n > 0
}

// captures returns the capture files to compare, by their name below their
// folder, and whether these are all that there can be.
func captures(t *testing.T) (files map[string]string, all bool) {
	t.Helper()
	files = inside(t)
	if testing.Short() {
		t.Log("-short: only captures of testdata/sessions")
	} else {
		paths := testrun.SharedFiles(t, outside...)
		for _, path := range paths {
			files[nameBelow(t, testrun.Shared, path)] = path
		}
		all = len(paths) == len(outside)
	}
	less := sample(t, files)
	return files, all && !less
}

// inside returns the bundled captures by name.
func inside(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(bundled, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(path), ".zst")
		if ext := filepath.Ext(name); ext == ".pcap" || ext == ".pcapng" {
			files[nameBelow(t, bundled, path)] = path
		}
		return nil
	})
	assert.Assert(t, err == nil && len(files) != 0, "no captures in %s: %v", bundled, err)
	return files
}

// nameBelow returns the name of a file below a folder.
func nameBelow(t *testing.T, root, path string) string {
	t.Helper()
	rel, err := filepath.Rel(root, path)
	assert.NilError(t, err)
	return filepath.ToSlash(rel)
}

// isBundled reports whether a capture comes with the source.
func isBundled(path string) bool { return strings.HasPrefix(path, filepath.FromSlash(bundled)) }

// unpacked opens a capture and undoes its compression. The other programs get
// the bytes of the file in this way, not through the reader under test.
func unpacked(t *testing.T, path string) io.Reader {
	t.Helper()
	f, err := os.Open(path)
	assert.NilError(t, err)
	t.Cleanup(func() { f.Close() })
	if filepath.Ext(path) != ".zst" {
		return f
	}
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	assert.NilError(t, err)
	t.Cleanup(z.Close)
	return z
}
