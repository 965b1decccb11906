package differential

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/annotate"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// script makes fields of the comments of annotate.
const script = "../../packaging/wireshark/mpanalyze.lua"

// TestWiresharkFields: tshark with the script shows, of an annotated copy of each bundled session,
// what packets -T fields writes, field by field. That has the fields of the header, too, which
// tshark takes from the packet.
func TestWiresharkFields(t *testing.T) {
	t.Parallel()
	need(t, "tshark")
	var paths []string
	for _, folders := range []string{"*/*", "*/*/*"} {
		found, err := filepath.Glob(filepath.Join(bundled, folders, "*.pcap*"))
		if err != nil || len(found) == 0 {
			t.Fatal(folders, err)
		}
		paths = append(paths, found...)
	}
	args := []string{"-n", "-r", "-", "-X", "lua_script:" + script, "-Y", "mpanalyze", "-T", "fields"}
	var fields []packets.Field
	for _, name := range packets.FieldNames() {
		f, err := packets.FieldNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		fields, args = append(fields, f), append(args, "-e", name)
	}
	for _, path := range testrun.Few(paths) {
		t.Run(strings.TrimPrefix(path, bundled), func(t *testing.T) {
			t.Parallel()
			want := fieldLines(t, path, fields)
			err := lines(t, bytes.NewReader(annotated(t, path, nil)), func(line []byte) bool {
				if len(want) == 0 || string(line) != want[0] {
					t.Errorf("(-packets +tshark)\n%s", cmp.Diff(want[:min(1, len(want))], []string{string(line)}))
					return false
				}
				want = want[1:]
				return true
			}, "tshark", args...)
			if err != nil || len(want) > 0 {
				t.Errorf("%d packets are missing, %v", len(want), err)
			}
		})
	}
}

// fieldLines returns what packets writes of the fields, in the order of the capture.
func fieldLines(t *testing.T, path string, fields []packets.Field) []string {
	t.Helper()
	var out bytes.Buffer
	l := packets.New(&out, packets.Options{Connection: packets.AllConnections, Fields: fields, Separator: "\t"})
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{l}}); err != nil {
		t.Fatal(err)
	}
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	number := func(line string) int { // the first field
		first, _, _ := strings.Cut(line, "\t")
		n := 0
		for _, digit := range first {
			n = 10*n + int(digit-'0')
		}
		return n
	}
	slices.SortFunc(list, func(a, b string) int { return number(a) - number(b) })
	return list
}

// annotated returns a copy of a capture with comments.
func annotated(t *testing.T, path string, verdicts annotate.Verdicts) []byte {
	t.Helper()
	var out bytes.Buffer
	c, err := annotate.New(&out, []string{path}, verdicts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	l := packets.NewComments(c.Comment)
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{l}}); err != nil {
		t.Fatal(err)
	}
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := c.Finish(t.Context()); err != nil || c.Late() > 0 {
		t.Fatalf("%v, %d packets without a comment", err, c.Late())
	}
	return out.Bytes()
}

// TestWiresharkProfile: the columns of the profile show the fields, and its rules colour packets as
// docs/wireshark.md says.
func TestWiresharkProfile(t *testing.T) {
	t.Parallel()
	need(t, "tshark")
	const session = bundled + "/v1/f-handover/client.pcap.zst"
	config := t.TempDir()
	if err := os.CopyFS(filepath.Join(config, "profiles", "mpanalyze"), os.DirFS("../../packaging/wireshark/profile")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(config, "annotated.pcapng")
	proof := annotate.Verdicts{11: {"heavy_loss"}}
	if err := os.WriteFile(file, annotated(t, session, proof), 0o600); err != nil {
		t.Fatal(err)
	}
	shown := func(args ...string) []string {
		cmd := testrun.Command(t, "tshark", append([]string{"-n", "-C", "mpanalyze", "-r", file, "-X", "lua_script:" + script}, args...)...)
		cmd.Env = append(os.Environ(), "WIRESHARK_CONFIG_DIR="+config)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || strings.Contains(errs.String(), "filter") {
			t.Fatalf("%v: %v, %s", args, err, &errs)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	var fields []packets.Field
	for _, name := range []string{"packet", "connection", "subflow", "direction", "dsn", "data_ack", "transmission", "retransmission_of", "reinjection_of", "event"} {
		f, err := packets.FieldNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
	}
	want, rows := fieldLines(t, session, fields), shown("-T", "tabs")
	colours := shown("--color", "-T", "fields", "-e", "frame.coloring_rule.name")
	if len(rows) != len(want) || len(colours) != len(want) {
		t.Fatalf("%d rows and %d colours of %d packets", len(rows), len(colours), len(want))
	}
	seen := map[string]bool{}
	for i, line := range want {
		f, row := strings.Split(line, "\t"), strings.Split(rows[i], "\t")
		verdict := strings.Join(codes(proof[uint64(i+1)]), ",")
		got := []string{row[0], row[2], row[3], row[4], row[9], row[10], row[11], row[12], row[13], row[14], row[15]}
		for j := range got {
			got[j] = strings.TrimSpace(got[j])
		}
		if diff := cmp.Diff(append(f, verdict), got); diff != "" {
			t.Fatalf("packet %d: (-packets +columns)\n%s", i+1, diff)
		}
		colour, sent := "subflow "+f[2], strings.Split(f[6], ",")
		switch {
		case verdict != "":
			colour = "proves a verdict"
		case slices.Contains(sent, "reinjection"):
			colour = "reinjection"
		case slices.Contains(sent, "retransmission") || slices.Contains(sent, "reinjection_same_subflow"):
			colour = "sent again on the subflow"
		case f[9] != "":
			colour = "event"
		}
		seen[colour] = true
		if colours[i] != "mpanalyze: "+colour {
			t.Fatalf("packet %d is coloured as %q, want %q", i+1, colours[i], colour)
		}
	}
	if len(seen) != 6 {
		t.Errorf("the session has only the colours %v", seen)
	}
}

// codes returns the codes of verdicts as texts.
func codes(list []report.VerdictCode) (texts []string) {
	for _, c := range list {
		texts = append(texts, string(c))
	}
	return texts
}
