package differential

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/extract"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// script makes fields of the comments of extract.
const script = "../../packaging/wireshark/mpanalyze.lua"

// TestWiresharkFields: tshark with the script shows, of an annotated copy of each bundled session,
// what packets -e writes, field by field. That has the fields of the header, too, which
// tshark takes from the packet. The copies are sections of one file, because tshark needs longer to
// start than to read one. The script keeps nothing from packet to packet, so tshark gets some of
// each kind; all of them if all cases are tried. [annotated] compares
// all comments with the fields, and internal/extract the packets and comments of copies.
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
	names := packets.FieldNames()
	args := []string{"-n", "-r", "-", "-X", "lua_script:" + script, "-Y", "mpanalyze", "-T", "fields"}
	for _, name := range names {
		args = append(args, "-e", name)
	}
	var file []byte
	var want, of []string // lines, and the captures that they are of
	for _, path := range testrun.Few(paths) {
		copied, list := annotated(t, path, nil, names...)
		copied, list = someOfEach(t, copied, list)
		file, want = append(file, copied...), append(want, list...)
		of = append(of, slices.Repeat([]string{path}, len(list))...)
	}
	number, n, seen := slices.Index(names, "frame.number"), 0, make([]bool, len(names))
	err := lines(t, bytes.NewReader(file), func(line []byte) bool {
		if n >= len(want) {
			t.Errorf("tshark shows more than %d packets: %s", n, line)
			return false
		}
		f := strings.Split(want[n], "\t")
		for i := range f {
			seen[i] = seen[i] || f[i] != ""
		}
		n++
		f[number] = strconv.Itoa(n) // in this file
		if diff := cmp.Diff(strings.Join(f, "\t"), string(line)); diff != "" {
			t.Errorf("%s: (-packets +tshark)\n%s", of[n-1], diff)
			return false
		}
		return true
	}, "tshark", args...)
	assert.Assert(t, err == nil && n >= len(want), "tshark shows %d packets of %d, %v", n, len(want), err)
	for i, name := range names {
		assert.Check(t, seen[i] || testing.Short(), "no packet of all captures has %s", name)
	}
}

// someOfEach returns the part of a copy and of its lines that tshark gets: the first packets with
// the same fields and words, and the last of all, which have the largest numbers. Packets without a
// line are left out, so that tshark counts the lines.
func someOfEach(t *testing.T, copied []byte, list []string) (part []byte, kept []string) {
	t.Helper()
	const first, last = 8, 32
	words := regexp.MustCompile(`[^\t]*[0-9][^\t]*`) // of what has digits, that it is there
	count := map[string]int{}
	for packet := uint64(1); len(copied) > 0; {
		block := copied[:binary.LittleEndian.Uint32(copied[4:])]
		copied = copied[len(block):]
		if binary.LittleEndian.Uint32(block) != enhancedPacket {
			part = append(part, block...)
			continue
		}
		if len(list) > 0 && strings.HasPrefix(list[0], strconv.FormatUint(packet, 10)+"\t") {
			kind := words.ReplaceAllString(list[0], "0")
			if count[kind]++; testrun.All() || count[kind] <= first || len(list) <= last {
				part, kept = append(part, block...), append(kept, list[0])
			}
			list = list[1:]
		}
		packet++
	}
	assert.Assert(t, len(list) == 0, "the copy lacks packets of these lines")
	return part, kept
}

// enhancedPacket is the type of a block of pcapng that has a packet.
const enhancedPacket = 6

// annotated returns a copy of a capture with comments, and what packets -e writes of the
// fields, in the order of the capture. Every comment must have the same values.
func annotated(t *testing.T, path string, verdicts extract.Verdicts, names ...string) (copied []byte, list []string) {
	t.Helper()
	var out, text bytes.Buffer
	c, err := extract.New(&out, []string{path}, extract.What{Comments: true, Verdicts: verdicts})
	assert.NilError(t, err)
	defer c.Close()
	all := packets.FieldNames()
	var fields []packets.Field
	for _, name := range all {
		f, err := packets.FieldNamed(name)
		assert.NilError(t, err)
		fields = append(fields, f)
	}
	said := map[uint64]string{}
	comments := packets.NewComments(func(num uint64, text []byte) error {
		said[num] = string(text)
		return c.Comment(num, text)
	})
	l := packets.New(&text, packets.Options{Connection: packets.AllConnections, Fields: fields})
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{comments, l}}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(comments.Flush(), l.Flush(), c.Finish(t.Context())); err != nil || c.Late() > 0 {
		t.Fatalf("%v, %d packets without a comment", err, c.Late())
	}
	rows := make([][]string, 0, len(said))
	for line := range strings.Lines(text.String()) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	slices.SortFunc(rows, func(a, b []string) int { return int(number(t, a[0])) - int(number(t, b[0])) })
	assert.Assert(t, len(rows) == len(said), "%s: %d lines, but %d comments", path, len(rows), len(said))
	for _, row := range rows {
		var want strings.Builder
		want.WriteString(packets.Prefix + ":")
		for i, value := range row {
			if name, ours := strings.CutPrefix(all[i], packets.Prefix+"."); ours && value != "" {
				want.WriteString(" " + name + "=" + value)
			}
		}
		got := said[number(t, row[0])]
		assert.Assert(t, got == want.String(), "%s: the comment is %q, want %q", path, got, want.String())
		var chosen []string
		for _, name := range names {
			chosen = append(chosen, row[slices.Index(all, name)])
		}
		list = append(list, strings.Join(chosen, "\t"))
	}
	return out.Bytes(), list
}

func number(t *testing.T, digits string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(digits, 10, 64)
	assert.NilError(t, err)
	return n
}

// TestWiresharkProfile: the columns of the profile show the fields, and its rules colour packets as
// docs/other-tools.md says.
func TestWiresharkProfile(t *testing.T) {
	t.Parallel()
	need(t, "tshark")
	const session = bundled + "/v1/f-handover/client.pcap.zst"
	config := t.TempDir()
	assert.NilError(t, os.CopyFS(filepath.Join(config, "profiles", "mpanalyze"), os.DirFS("../../packaging/wireshark/profile")))
	file := filepath.Join(config, "annotated.pcapng")
	proof := extract.Verdicts{11: {"heavy_loss"}}
	copied, want := annotated(t, session, proof, "mpanalyze.packet", "mpanalyze.connection", "mpanalyze.subflow", "mpanalyze.direction",
		"mpanalyze.dsn", "mpanalyze.data_ack", "mpanalyze.transmission", "mpanalyze.retransmission_of", "mpanalyze.reinjection_of", "mpanalyze.event")
	assert.NilError(t, os.WriteFile(file, copied, 0o600))
	shown := func(args ...string) []string {
		cmd := testrun.Command(t, "tshark", append([]string{"-n", "-C", "mpanalyze", "-r", file, "-X", "lua_script:" + script}, args...)...)
		cmd.Env = append(os.Environ(), "WIRESHARK_CONFIG_DIR="+config)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		assert.Assert(t, err == nil && !strings.Contains(errs.String(), "filter"), "%v: %v, %s", args, err, &errs)
		return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	rows := shown("-T", "tabs")
	colours := shown("--color", "-T", "fields", "-e", "frame.coloring_rule.name")
	assert.Assert(t, len(rows) == len(want) && len(colours) == len(want), "%d rows and %d colours of %d packets", len(rows), len(colours), len(want))
	seen := map[string]bool{}
	for i, line := range want {
		f, row := strings.Split(line, "\t"), strings.Split(rows[i], "\t")
		verdict := strings.Join(codes(proof[uint64(i+1)]), ",")
		got := []string{row[0], row[2], row[3], row[4], row[9], row[10], row[11], row[12], row[13], row[14], row[15]}
		for j := range got {
			got[j] = strings.TrimSpace(got[j])
		}
		assert.Assert(t, is.DeepEqual(got, append(f, verdict)), "packet %d:", i+1)
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
		assert.Assert(t, colours[i] == "mpanalyze: "+colour, "packet %d is coloured as %q, want %q", i+1, colours[i], colour)
	}
	assert.Check(t, len(seen) == 6, "the session has only the colours %v", seen)
}

// codes returns the codes of verdicts as texts.
func codes(list []report.VerdictCode) (texts []string) {
	for _, c := range list {
		texts = append(texts, string(c))
	}
	return texts
}
