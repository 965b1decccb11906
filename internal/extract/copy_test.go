package extract_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/extract"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// copied returns a copy of captures with comments.
func copied(t *testing.T, verdicts extract.Verdicts, paths ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	copyWith(t, &out, extract.What{Comments: true, Verdicts: verdicts}, paths...)
	return out.Bytes()
}

// copyWith copies captures.
func copyWith(t *testing.T, out *bytes.Buffer, what extract.What, paths ...string) {
	t.Helper()
	c, err := extract.New(out, paths, what)
	assert.NilError(t, err)
	defer c.Close()
	l := packets.NewComments(c.Comment)
	if what.Comments {
		if err := tracked(l, paths...); err != nil && !engine.Damaged(err) {
			t.Fatal(paths, err)
		}
	}
	if err := errors.Join(l.Flush(), c.Finish(t.Context())); err != nil || c.Late() > 0 {
		t.Fatalf("%v: %d packets without a comment, error %v", paths, c.Late(), err)
	}
}

// packet is a packet of a file with its interface.
type packet struct {
	raw   capture.Raw
	iface capture.Interface
}

// read returns the packets of captures.
func read(t *testing.T, o capture.Options, paths ...string) (list []packet) {
	t.Helper()
	o.Comments = true
	s, err := capture.Open(paths, o)
	assert.NilError(t, err)
	defer s.Close()
	for {
		var raw capture.Raw
		if err := s.Next(&raw); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		raw.Data = bytes.Clone(raw.Data)
		raw.Offset, raw.File, raw.Group = 0, 0, 0
		list = append(list, packet{raw, s.Interface(&raw)})
	}
}

// TestCopy: a copy has every packet with number, time, length, bytes, interface and comments, and
// behind them the comment of packets, if packets has a line of it.
func TestCopy(t *testing.T) {
	var all [][]string
	for _, pattern := range []string{"../../testdata/sessions/*/*/*.pcap*", "../../testdata/cases/*.pcap*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) < 20 {
			t.Fatal(paths, err)
		}
		for _, path := range paths {
			all = append(all, []string{path})
		}
	}
	both := "../../testdata/sessions/v1/p-perif/client.p" // a capture of each interface
	all = append(all, []string{both + "1.pcap.zst", both + "2.pcap.zst"})
	for _, paths := range testrun.Few(all) {
		want := read(t, capture.Options{}, paths...)
		got := read(t, capture.Options{Stdin: bytes.NewReader(copied(t, nil, paths...))}, "-")
		slices.SortFunc(got, func(a, b packet) int { return cmp.Compare(a.raw.FileNum, b.raw.FileNum) }) // as in the file
		if len(got) != len(want) {
			t.Errorf("%v: %d packets, want %d", paths, len(got), len(want))
			continue
		}
		lines := map[uint64]string{}
		l := packets.NewComments(func(num uint64, text []byte) error { lines[num] = string(text); return nil })
		if _, err := engine.Track(context.Background(), engine.Options{Paths: paths, Modules: []conn.Module{l}}); err != nil && !engine.Damaged(err) || l.Flush() != nil {
			t.Fatal(err)
		}
		for i := range got {
			g, w := &got[i], &want[i]
			g.raw.Num, g.raw.FileNum, w.raw.FileNum = g.raw.FileNum, 0, 0
			if n, line := len(g.raw.Comments), lines[w.raw.Num]; line != "" {
				assert.Assert(t, n != 0 && g.raw.Comments[n-1] == line, "%v: packet %d has the comments %q, want %q", paths, w.raw.Num, g.raw.Comments, line)
				g.raw.Comments = g.raw.Comments[:n-1]
			}
			if len(g.raw.Comments) == 0 {
				g.raw.Comments, w.raw.Comments = nil, w.raw.Comments[:len(w.raw.Comments):len(w.raw.Comments)]
			}
			if !reflect.DeepEqual(w, g) {
				t.Fatalf("%v: (-original +copy)\n%s", paths, gocmp.Diff(w, g, gocmp.AllowUnexported(packet{})))
			}
		}
	}
}

// TestCopyOfCopy: a second copy is the same as the first, since its comments are those of the first.
func TestCopyOfCopy(t *testing.T) {
	first := copied(t, nil, "../../testdata/sessions/v0/abort/client.pcap.zst")
	path := filepath.Join(t.TempDir(), "first.pcapng")
	assert.NilError(t, os.WriteFile(path, first, 0o600))
	if second := copied(t, nil, path); !bytes.Equal(first, second) {
		t.Errorf("%d bytes, the first copy has %d", len(second), len(first))
	}
}

// TestVerdicts: each packet that proves a verdict of the report has its code in its comment, and
// no other packet has one.
func TestVerdicts(t *testing.T) {
	path := "../../testdata/sessions/v1/f-handover/client.pcap.zst"
	doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{path}, Connection: engine.AllConnections})
	assert.NilError(t, err)
	of, left, err := extract.VerdictsOf(doc)
	if err != nil || left > 0 {
		t.Fatal(left, err)
	}
	want, got := map[uint64][]string{}, map[uint64][]string{}
	for i := range doc.Connections {
		for _, v := range report.Known(doc.Connections[i].Verdicts) {
			for _, proof := range v.Evidence {
				if proof.Packet == nil {
					continue
				}
				num := uint64(*proof.Packet)
				want[num] = append(want[num], string(v.Code))
			}
		}
	}
	assert.Assert(t, len(want) >= 3, "only %d packets prove a verdict", len(want))
	for _, p := range read(t, capture.Options{Stdin: bytes.NewReader(copied(t, of, path))}, "-") {
		for _, c := range p.raw.Comments {
			if _, codes, ok := strings.Cut(c, " verdict="); ok {
				got[p.raw.Num] = strings.Split(codes, ",")
			}
		}
	}
	for num := range want {
		slices.Sort(want[num])
		want[num] = slices.Compact(want[num])
		slices.Sort(got[num])
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-report +comments)\n%s", diff)
	}
}

// TestLate: a comment that comes more than a window behind others is counted and not written.
func TestLate(t *testing.T) {
	path := "../../testdata/sessions/v0/abort/client.pcap.zst"
	var out bytes.Buffer
	c, err := extract.New(&out, []string{path}, extract.What{Comments: true})
	assert.NilError(t, err)
	defer c.Close()
	for _, num := range []uint64{2, 1, 2 + 1<<16, 2, 3} { // of the third on, packets 1 and 2 are copied
		assert.NilError(t, c.Comment(num, []byte("mpanalyze: packet")))
	}
	if err := c.Finish(t.Context()); err != nil || c.Late() != 1 {
		t.Errorf("%v, %d late comments", err, c.Late())
	}
	for _, p := range read(t, capture.Options{Stdin: &out}, "-") {
		if n := len(p.raw.Comments); (n == 1) != (p.raw.Num <= 3) {
			t.Errorf("packet %d has %d comments", p.raw.Num, n)
		}
	}
}

// TestStop: an interrupted copy says so.
func TestStop(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := extract.New(io.Discard, []string{"../../testdata/sessions/v0/abort/client.pcap.zst"}, extract.What{})
	assert.NilError(t, err)
	assert.Check(t, errors.Is(errors.Join(c.Finish(ended), c.Close()), context.Canceled))
}
