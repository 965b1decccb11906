package differential

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tcptrace"
	"mpanalyze/internal/testrun"
)

// drawn are sessions whose graphs are compared: clean, with losses, with
// spurious retransmissions, reset, of IPv6, and with super-segments.
var drawn = []string{
	"v1/j-plain-server/client.pcap.zst", "v1/l-single-loss/client.pcap.zst", "v1/l-single-loss/server.pcap.zst", "v1/l-spurious/client.pcap.zst",
	"v1/p-abort/client.pcap.zst", "v1/i-v6-v4/client.pcap.zst", "v1/l-lost-setup/client.pcap.zst", "v0/upload/client.pcap.zst",
}

// TestGraphs compares every line of the graphs that tcptrace -G draws with ours.
func TestGraphs(t *testing.T) {
	need(t, "tcptrace")
	for _, name := range drawn {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(bundled, name)
			sameGraphs(t, path, uncooked(t, unpacked(t, path), false))
		})
	}
}

// sameGraphs compares the graphs of a capture with those that tcptrace draws of it in the form
// that it reads.
func sameGraphs(t *testing.T, path string, readable io.Reader) {
	t.Helper()
	theirs, ours := t.TempDir(), t.TempDir()
	cmd := testrun.Command(t, "tcptrace", "-G", "-n", "stdin")
	cmd.Dir, cmd.Stdin = theirs, readable
	out, err := cmd.CombinedOutput()
	assert.Assert(t, err == nil, "tcptrace: %v\n%s", err, out)
	g, err := tcptrace.NewGraphs(ours)
	assert.NilError(t, err)
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{g}}); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, g.Finish())
	compareGraphs(t, theirs, ours)
}

// leadingZeros are those that tcptrace puts into IPv6 addresses.
var leadingZeros = regexp.MustCompile(":0+([0-9a-f])")

// positions are those in the words of a time line. tcptrace counts them from
// where the first connection of the capture began, in the others too.
var positions = regexp.MustCompile(`\b[0-9]+:[0-9]+(\([0-9]+\)) (?:ack [0-9]+ )?`)

func compareGraphs(t *testing.T, theirs, ours string) {
	files, err := filepath.Glob(filepath.Join(theirs, "*.xpl"))
	assert.Assert(t, err == nil && len(files) != 0, "tcptrace drew nothing: %v", err)
	for _, file := range files {
		name := filepath.Base(file)
		want, err := os.ReadFile(file)
		assert.NilError(t, err)
		got, err := os.ReadFile(filepath.Join(ours, name))
		switch {
		case os.IsNotExist(err) && len(objectsOf(t, file)) == 0: // tcptrace draws empty graphs of samples that it drops
			continue
		case err != nil:
			t.Error(err)
			continue
		}
		if strings.HasSuffix(name, "_tline.xpl") && name != "a_b_tline.xpl" {
			want, got = positions.ReplaceAll(want, []byte("$1")), positions.ReplaceAll(got, []byte("$1"))
		}
		a, b := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
		a[2] = leadingZeros.ReplaceAllString(a[2], ":$1") // the title
		sameLines(t, name, a, b)
	}
}

// TestDataGraphs compares what the graphs at the data level show with the report: the length of
// all lines is the payload of all subflows, of those with an R what was reinjected from another
// subflow.
func TestDataGraphs(t *testing.T) {
	reinjected := int64(0)
	for _, name := range []string{"v1/f-handover/client.pcap.zst", "v1/b-lte-cubic/server.pcap.zst", "v0/upload/client.pcap.zst", "v0/abort/client.pcap.zst"} {
		path, dir := filepath.Join(bundled, name), t.TempDir()
		g, err := tcptrace.NewGraphs(dir)
		assert.NilError(t, err)
		doc := analyzeWith(t, path, g)
		for i := range doc.Connections {
			c := &doc.Connections[i]
			var want [2]drawnBytes
			for j := range c.Subflows {
				for k, d := range []*report.SubDir{c.Subflows[j].A2B, c.Subflows[j].B2A} {
					want[k].all += *d.Bytes
					want[k].reinjected += *d.ReinjectedBytes - *d.ReinjectedSameSubflowBytes
				}
			}
			reinjected += want[0].reinjected + want[1].reinjected
			for k, side := range []string{"c2s", "s2c"} {
				file := filepath.Join(dir, fmt.Sprintf("%s_seq_%d.xpl", side, c.ID))
				if got := dataBytes(t, file); got != want[k] {
					t.Errorf("%s: %s shows %+v, the report %+v", name, filepath.Base(file), got, want[k])
				}
			}
		}
	}
	assert.Check(t, reinjected != 0, "none of the sessions has a reinjection")
}

// TestDataGraphsMarkEvents: subflow 1 of the session joins, and later carries on where
// subflow 0 makes no progress; the graph of the data says so at these times, as the report does.
func TestDataGraphsMarkEvents(t *testing.T) {
	dir := t.TempDir()
	g, err := tcptrace.NewGraphs(dir)
	assert.NilError(t, err)
	doc := analyzeWith(t, filepath.Join(bundled, "v1/f-handover/client.pcap.zst"), g)
	c := &doc.Connections[0]
	var got, want []string
	for _, o := range objectsOf(t, filepath.Join(dir, fmt.Sprintf("s2c_seq_%d.xpl", c.ID))) {
		if o.kind == "rtext" {
			got = append(got, o.words[0]+o.text)
		}
	}
	for i := range c.Events {
		if e := &c.Events[i]; e.Kind == report.EventJoin || e.Kind == report.EventHandover {
			us := int64(c.Start)/1000 + int64(math.Round(e.TS*1e6))
			want = append(want, fmt.Sprintf("%d.%06d %s", us/1e6, us%1e6, e.Kind))
		}
	}
	diff := cmp.Diff(want, got)
	assert.Check(t, len(want) == 2 && diff == "", "events (-report +graph)\n%s", diff)
}

// drawnBytes is what lines of a graph at the data level cover.
type drawnBytes struct{ all, reinjected int64 }

// dataBytes adds up the lines of a graph.
func dataBytes(t *testing.T, file string) (sum drawnBytes) {
	t.Helper()
	last := int64(0)
	for _, o := range objectsOf(t, file) {
		switch o.kind {
		case "line":
			last = int64(uint32(int64(o.at[3]) - int64(o.at[1]))) // DSNs may wrap
			sum.all += last
		case "atext":
			sum.reinjected += last
		}
	}
	return sum
}

// object is one object of a file of xplot.
type object struct {
	kind  string   // xplot's word for it, such as line, dot, atext
	words []string // x and y of its one or two points: a time needs more digits than a float64 has
	at    []float64
	text  string // of the kinds that end in "text"
}

// objectsOf reads the objects of a file of xplot: a word, one or two points, perhaps a colour; a text is
// in the line below.
func objectsOf(t *testing.T, file string) (all []object) {
	t.Helper()
	text, err := os.ReadFile(file)
	assert.NilError(t, err)
	rows := strings.Split(string(text), "\n")
	for i := 1; i < len(rows); i++ { // the types of the axes come first
		words := strings.Fields(rows[i])
		switch {
		case len(words) == 1 && strings.HasSuffix(words[0], "label") || len(words) == 1 && words[0] == "title":
			i++ // its text
		case len(words) > 2:
			o := object{kind: words[0], words: words[1 : (len(words)-1)|1]}
			for _, word := range o.words {
				v, err := strconv.ParseFloat(word, 64)
				assert.NilError(t, err, "%s, line %d", file, i+1)
				o.at = append(o.at, v)
			}
			if strings.HasSuffix(o.kind, "text") {
				i++
				o.text = rows[i]
			}
			all = append(all, o)
		}
	}
	return all
}

// fileWriter is a module that writes files.
type fileWriter interface {
	conn.Module
	Finish() error
}

// analyzeWith reports on every connection of a capture, while m writes its files.
func analyzeWith(t *testing.T, path string, m fileWriter) *report.Document {
	t.Helper()
	doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{path}, Connection: engine.AllConnections, Modules: []conn.Module{m}})
	assert.NilError(t, err)
	assert.NilError(t, m.Finish())
	return doc
}
