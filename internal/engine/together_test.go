package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/tracegen"
)

// On one processor the goroutine that writes rows also reads; on more, another one reads.
// Tables and report must be the same bytes.
func TestReaderOfRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, name := range realCaptures {
		m := load(t, name, 4000/scale)
		var want map[string][]byte
		for processors := 1; processors <= 2; processors++ {
			runtime.GOMAXPROCS(processors)
			got := written(t, m.file)
			if want == nil {
				want = got
			}
			for file, text := range got {
				if !bytes.Equal(text, want[file]) {
					t.Errorf("%s: %s of two processors is not that of one", name, file)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: %d files on two processors, %d on one", name, len(got), len(want))
			}
		}
	}
}

// written returns the tables and the report of a capture, by the names of their files.
func written(t *testing.T, file []byte) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	tables, err := csvtables.New(dir, csvtables.Options{Series: true, Chunks: true})
	if err != nil {
		t.Fatal(err)
	}
	o := everything(bytes.NewReader(file))
	o.Rows, o.Changes = tables, true
	doc, err := engine.Analyze(context.Background(), o)
	if err := errors.Join(err, tables.Document(doc), tables.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{"report": text}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestReaderOfPair: a pair is the same report if one goroutine reads and tracks, for
// whole captures and for damaged ones.
func TestReaderOfPair(t *testing.T) {
	s := transferOfTwo(0, 4000)
	sender := writeView(t, "sender.pcap", s.Packets(tracegen.HostA), tracegen.Format{SnapLen: 128}, nil)
	receiver := writeView(t, "receiver.pcap", s.Packets(tracegen.HostB), tracegen.Format{SnapLen: 128}, nil)
	for _, cut := range []int64{0, 50_001} {
		if err := os.Truncate(receiver, sizeOf(t, receiver)-cut); err != nil {
			t.Fatal(err)
		}
		o := engine.Options{Paths: []string{sender}, Receiver: []string{receiver}, Interval: 100 * time.Millisecond, Connection: engine.AllConnections}
		var texts [2][]byte
		for i, o := range [2]engine.Options{o, o.Alone()} {
			doc, err := engine.Analyze(context.Background(), o)
			var d *engine.DamageError
			if damaged := errors.As(err, &d); damaged != (cut > 0) || err != nil && !damaged {
				t.Fatalf("cut by %d bytes: error %v", cut, err)
			}
			if texts[i], err = json.Marshal(doc); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(texts[0], texts[1]) {
			t.Errorf("cut by %d bytes: the report of one goroutine is not that of several", cut)
		}
	}
}

// sizeOf returns the length of a file, bytes.
func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// The number of goroutines depends on the work.
func TestTogether(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	report, rows := engine.Options{}, engine.Options{Rows: new(csvtables.Writer)}
	for _, c := range []struct {
		what       string
		o          engine.Options
		processors int
		want       bool
	}{
		{"a report on one processor", report, 1, true},
		{"a report on two", report, 2, false},
		{"a report while other runs are analysed", report.Alone(), 8, true},
		{"rows on two", rows, 2, false},
	} {
		runtime.GOMAXPROCS(c.processors)
		if got := c.o.Together(); got != c.want {
			t.Errorf("%s: together %v, want %v", c.what, got, c.want)
		}
	}
}
