package differential

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/tcptrace"
	"mpanalyze/internal/testrun"
)

// TestMptcptrace compares every file that --mptcptrace writes with mptcptrace's, row by row, for
// the sessions that mptcptrace understands: those of version 0 with DSS options of 4-byte
// numbers, over IPv4.
func TestMptcptrace(t *testing.T) {
	need(t, "mptcptrace")
	files, _ := captures(t, "v0/")
	compared := 0
	for name, path := range files {
		if strings.Contains(name, "v1") {
			continue
		}
		if doc := analyze(t, path); len(doc.Connections) == 0 {
			continue // there, too, but for empty lists of addresses
		}
		compared++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			theirs, ours := t.TempDir(), t.TempDir()
			if err := mptcptraced(t, theirs, uncooked(t, unpacked(t, path), false)); err != nil {
				unreadable(t, path, "mptcptrace", err)
			}
			written(t, ours, path)
			compareFiles(t, theirs, ours)
		})
	}
	assert.Check(t, compared != 0, "no session of version 0")
}

// read is the name that the capture has in the files.
const read = "capture.pcap"

// mptcptraced has mptcptrace write its files into dir.
func mptcptraced(t *testing.T, dir string, capture io.Reader) error {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, read))
	if err == nil {
		_, err = io.Copy(f, capture)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return err
	}
	cmd := testrun.Command(t, "mptcptrace", "-f", read, "-s", "-S", "-a", "-r", "3", "-F", "3", "-G", "10", "-A", "-R", "-w", "2")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// written has our module write its files into dir, of packets as they stand in
// the file.
func written(t *testing.T, dir, path string) {
	t.Helper()
	m, err := tcptrace.NewStatistics(dir, read)
	assert.NilError(t, err)
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, FileOrder: true, Modules: []conn.Module{m}}); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, m.Finish())
}

// notCounted are the rows of file_stats.csv that we do not write.
var notCounted = regexp.MustCompile(`(?m)^(joinFailed|DiffKeyInSynack|capaToJoinReuse|thirdAckKeyDiff),.*\n`)

// compareFiles compares every table in theirs with that in ours.
func compareFiles(t *testing.T, theirs, ours string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(theirs, "*.csv"))
	if err != nil || len(list) == 0 {
		t.Fatalf("mptcptrace wrote nothing: %v", err)
	}
	for _, file := range list {
		name := filepath.Base(file)
		want, err := os.ReadFile(file)
		assert.NilError(t, err)
		if name == "file_stats.csv" {
			want = notCounted.ReplaceAll(want, nil)
		}
		got, err := os.ReadFile(filepath.Join(ours, name))
		if err != nil {
			t.Error(err)
			continue
		}
		sameLines(t, name, strings.Split(string(want), "\n"), strings.Split(string(got), "\n"))
	}
	all, _ := filepath.Glob(filepath.Join(ours, "*.csv"))
	assert.Check(t, len(all) == len(list), "%d files, mptcptrace %d", len(all), len(list))
}
