package diagnose_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// The captures of real sessions: some stand in the repository, all of them in
// a folder beside it, which need not be there.
const (
	inside  = "../../testdata/sessions"
	outside = "../../../shared/captures"
)

// analyze returns the report on captures.
func analyze(t *testing.T, paths ...string) *report.Document {
	t.Helper()
	return analyzeAs(t, engine.Options{Paths: paths})
}

// analyzeAs returns the report on all connections, in intervals of 100 ms.
func analyzeAs(t *testing.T, o engine.Options) *report.Document {
	t.Helper()
	o.Interval, o.Connection = 100*ms, engine.AllConnections
	doc, err := engine.Analyze(context.Background(), o)
	assert.NilError(t, err)
	return doc
}

// session returns the files of one end of a real session; the test is skipped
// where they are not there.
func session(t *testing.T, name, end string) []string {
	t.Helper()
	for _, root := range []string{inside, outside} {
		files, _ := filepath.Glob(filepath.Join(root, name, end+".*"))
		if len(files) > 0 {
			return files
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Fatalf("no capture of %s at the %s in %s or %s", name, end, inside, outside)
	}
	t.Skipf("the session is not in the repository, and %s is absent", outside)
	return nil
}

// measured are the verdicts that compare a figure with a limit. The other verdicts say what
// happened; of these, none may be missing, and there may be no others.
var measured = []report.VerdictCode{
	report.VerdictHoLBlocked, report.VerdictWindowClosed, report.VerdictHeavyLoss, report.VerdictUnequalPaths, report.VerdictPathIdle,
	report.VerdictPathUnused, report.VerdictApplication, report.VerdictCopies, report.VerdictStalled, report.VerdictAggregates,
	report.VerdictPathFull, report.VerdictLossLimited, report.VerdictSlowStart, report.VerdictSenderLimited,
}

// names returns the verdicts of a report as "code", with ".subflow" where they
// concern one and "tcp:" before those of plain connections: what happened, and
// what was measured.
func names(d *report.Document) (happened, figures []string) {
	put := func(prefix string, all []report.Verdict) {
		for _, v := range all {
			name := prefix + string(v.Code)
			if v.Subflow != nil {
				name += "." + strconv.Itoa(*v.Subflow)
			}
			if slices.Contains(measured, v.Code) {
				figures = append(figures, name)
			} else {
				happened = append(happened, name)
			}
		}
	}
	for i := range d.Connections {
		put("", *d.Connections[i].Verdicts)
	}
	for i := range d.TCP {
		put("tcp:", d.TCP[i].Verdicts)
	}
	slices.Sort(happened)
	return slices.Compact(happened), figures
}

// TestSessions compares the verdicts with what was done to each session.
func TestSessions(t *testing.T) {
	for _, c := range []struct {
		sessions string // folders with the end of the capture
		happened string // every verdict on what happened
		figures  string // verdicts on figures that must be among those given
	}{
		// Healthy sessions: several paths, and nothing wrong.
		{"v1/a-sym-down/client v1/a-sym-down/server v1/a-sym-up/client v1/b-lte-bbr/client v1/b-lte-bbr/server v1/b-lte-cubic/client v1/b-lte-cubic/server " +
			"v1/b-lte-reno/client v1/b-lte-reno/server v1/c-stream-bbr/client v1/i-v6-v4/client v1/m-two-conns/client v1/m-two-conns/server v1/p-fullmesh/client " +
			"v1/p-addaddr-port/client v1/p-nat/client v1/p-skew/server v1/h-csum/client v1/h-csum/server v1/h-csum-client/client " +
			"v0/upload/client", "", "aggregates"},
		{"v1/o-tso-veth/client v1/h-csum-client/server", "", ""}, // too little was lost, and no queue stood for long: what limited the sender does not show here
		{"v0/sched-redundant/client v0/sched-redundant/server", "", "redundant_copies"},

		// Three paths, one of them slow and the initial one: it holds the others up.
		{"v1/d-three-bulk/client v1/d-three-bulk/server", "", "hol_blocked.0 unequal_paths.0 receive_window"},
		{"v1/d-three-stream/client v1/d-three-stream/server", "", "hol_blocked.0 unequal_paths.0"},

		// Receive windows: a slow reader, a small buffer with unequal paths.
		{"v1/e-slow-reader/client v1/e-slow-reader/server", "", "receive_window"},
		{"v1/e-small-rcvbuf/client v1/e-small-rcvbuf/server", "", "receive_window hol_blocked.1 unequal_paths.1"},

		// Path 2 of an upload dies; the initial path of a download is down for 3 s.
		{"v1/f-dead-stream/client", "path_died.1", "application_limited"}, // a stream
		{"v1/f-dead-stream/server", "path_died.1", "receive_window"},
		{"v1/f-handover/client v1/f-handover/server", "path_died.0", "aggregates"},
		{"v1/f-rmaddr/client v1/f-rmaddr/server", "path_removed.1", "aggregates"},
		{"v1/g-backup/client v1/g-backup/server v0/backup/client v0/backup/server", "backup.1 path_died.0", ""},

		// Changed payload. With a second subflow the changed one is reset.
		{"v1/h-csum-flip-one/client v1/h-csum-flip-one/server", "checksum_failed.0 single_path", ""},
		{"v1/h-csum-flip-two/client", "checksum_failed.1", ""},
		{"v1/h-csum-flip-two/server", "checksum_failed.1", "receive_window"},

		// Plain hosts and removed options. What was done to the SYN on its
		// way shows at neither end alone.
		{"v1/j-plain-client/client v1/j-plain-client/server", "tcp:mptcp_not_requested", ""},
		{"v1/j-plain-server/client", "tcp:mptcp_not_granted", ""},
		{"v1/j-plain-server/server", "tcp:peer_plain", ""},
		{"v1/j-strip-syn/client", "tcp:mptcp_not_granted", ""},
		{"v1/j-strip-syn/server", "tcp:mptcp_not_requested", ""},
		{"v1/j-strip-synack/client", "tcp:mptcp_not_granted", ""},
		{"v1/j-strip-synack/server", "stripped_handshake.0", ""},
		{"v0/strip-synack/client", "tcp:mptcp_not_granted", ""},
		{"v0/strip-synack/server v1/j-strip-data/client v1/j-strip-data/server", "stripped_handshake.0", ""},
		{"v1/j-strip-late/client", "stripped_data.0", ""},
		{"v1/j-strip-late/server", "single_path stripped_data.0", "stalled"},
		{"v1/j-strip-join/client", "join_not_granted.1", ""},
		{"v1/j-strip-join/server", "join_stripped tcp:join_stripped", ""},

		// Lost handshakes. The SYN that was lost never reached the server.
		{"v1/l-lost-setup/client", "join_slow.1 setup_slow.0", ""},
		{"v1/l-lost-setup/server", "join_slow.1", ""},

		// One of two interfaces each.
		{"v1/p-perif/client.p1 v1/p-perif/client.p2", "path_not_captured", ""},
		{"v1/p-perif/client", "", "aggregates"},

		// 20 kB are over before a join is.
		{"v1/k-many-short/client", "setup_slow.0 too_short.1", ""},
		{"v1/p-abort/client v1/p-abort/server", "aborted.0", "aggregates"},
	} {
		for name := range strings.FieldsSeq(c.sessions) {
			t.Run(name, func(t *testing.T) {
				happened, figures := names(analyze(t, session(t, filepath.Dir(name), filepath.Base(name))...))
				assert.Check(t, is.DeepEqual(append([]string{}, happened...), strings.Fields(c.happened)), "what happened")
				for want := range strings.FieldsSeq(c.figures) {
					assert.Check(t, slices.Contains(figures, want), "no verdict %s among %v", want, figures)
				}
			})
		}
	}
}

// TestProofs compares the packets of verdicts with those that tshark shows.
func TestProofs(t *testing.T) {
	for _, c := range []struct {
		name, end string
		code      report.VerdictCode
		packets   []int64
	}{
		// SYN with MP_CAPABLE, SYN/ACK without.
		{"v1/j-strip-synack", "client", report.VerdictNotGranted, []int64{1, 2}},
		// SYN, SYN/ACK, the client's third packet.
		{"v0/strip-synack", "server", report.VerdictStrippedHandshake, []int64{1, 2, 3}},
		// The last packet of the client with an option (a DATA_ACK), the first without.
		{"v1/j-strip-late", "server", report.VerdictStrippedData, []int64{836, 838}},
		// MP_FAIL and RST are one packet; then subflow 0 goes on.
		{"v1/h-csum-flip-two", "client", report.VerdictChecksum, []int64{915, 917, 917, 918}},
		// The client's MP_FAIL.
		{"v1/h-csum-flip-one", "server", report.VerdictChecksum, []int64{557}},
	} {
		t.Run(c.name+"/"+c.end, func(t *testing.T) {
			d := analyze(t, session(t, c.name, c.end)...)
			var got []int64
			for _, v := range verdictsOf(d, c.code) {
				for _, e := range v.Evidence {
					if e.Packet != nil {
						got = append(got, *e.Packet)
					}
				}
			}
			assert.Check(t, is.DeepEqual(got, c.packets), "packets of %s", c.code)
		})
	}
}

// TestChecksumText: where the payload was changed behind the place of the capture, no checksum
// fails in it, and the verdict names the host that says so.
func TestChecksumText(t *testing.T) {
	for end, want := range map[string]string{
		"client": "payload on subflow 0 was changed on the way: its DSS checksum fails here; a reports the failure by MP_FAIL",
		"server": "a reports by MP_FAIL that payload on subflow 0 was changed on the way; no checksum fails in this capture",
	} {
		d := analyze(t, session(t, "v1/h-csum-flip-one", end)...)
		if found := verdictsOf(d, report.VerdictChecksum); len(found) != 1 || !strings.HasPrefix(found[0].Text, want) {
			t.Errorf("%s: %+v, want %q", end, found, want)
		}
	}
}
