package tcptrace

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/output"
)

func newFolder(t *testing.T, name string) folder {
	t.Helper()
	dir, err := output.OpenDir(name)
	assert.NilError(t, err)
	return folder{dir: dir}
}

// contents returns what stands in a file of a folder.
func contents(t *testing.T, d *folder, name string) string {
	t.Helper()
	path, err := d.dir.Path(name)
	assert.NilError(t, err)
	b, err := os.ReadFile(path)
	assert.NilError(t, err)
	return string(b)
}

// Files are written in turns, more of them than may be open; each holds its
// own lines in their order.
func TestFilesTakeTurns(t *testing.T) {
	d := newFolder(t, t.TempDir())
	const files, rounds = maxOpen + 10, 3
	part := strings.Repeat("x", bufferSize)
	list := make([]file, files)
	for i := range list {
		list[i] = file{folder: &d, name: fmt.Sprint(i)}
	}
	for round := range rounds {
		for i := range list {
			list[i].buf = fmt.Appendf(list[i].buf, "%d %s\n", round, part)
			list[i].spill()
		}
		assert.Assert(t, len(d.open) <= maxOpen, "%d files open, want at most %d", len(d.open), maxOpen)
	}
	for i := range list {
		list[i].close()
	}
	if d.err != nil || len(d.open) != 0 || len(d.waiting) != 0 || d.held != 0 {
		t.Errorf("after the end: error %v, %d open, %d waiting, %d bytes", d.err, len(d.open), len(d.waiting), d.held)
	}
	want := fmt.Sprintf("0 %s\n1 %s\n2 %s\n", part, part, part)
	for i := range list {
		if got := contents(t, &d, list[i].name); got != want {
			t.Fatalf("file %d holds %d bytes, want %d", i, len(got), len(want))
		}
	}
}

// The buffers of many files together stay below their bound, at the cost of
// one line, and nothing is lost.
func TestBuffersAreBounded(t *testing.T) {
	d := newFolder(t, t.TempDir())
	const files = 3 * maxHeld / bufferSize
	line := strings.Repeat("y", bufferSize/2-1) + "\n"
	list := make([]file, files)
	for i := range list {
		list[i] = file{folder: &d, name: fmt.Sprint(i)}
		list[i].buf = append(list[i].buf, line...)
		list[i].spill()
		held := 0
		for j := range list[:i+1] {
			held += cap(list[j].buf)
		}
		assert.Assert(t, held == d.held && held <= maxHeld, "%d bytes in buffers after %d files, counted %d, want at most %d", held, i+1, d.held, maxHeld)
	}
	for i := range list {
		list[i].close()
		if got := contents(t, &d, list[i].name); got != line {
			t.Fatalf("file %d holds %d bytes, want %d", i, len(got), len(line))
		}
	}
}

// A new file replaces one of the same name, and a file without content is written too.
func TestFilesBeginAnew(t *testing.T) {
	d := newFolder(t, t.TempDir())
	for _, size := range []int{2 * bufferSize, 10, 0} {
		f := file{folder: &d, name: "f"}
		f.buf = append(f.buf, make([]byte, size)...)
		f.spill()
		f.close()
		if got := contents(t, &d, "f"); d.err != nil || len(got) != size {
			t.Errorf("%d bytes, error %v, want %d", len(got), d.err, size)
		}
	}
}

func TestWriteErrorEndsTheWriting(t *testing.T) {
	for _, size := range []int{10, 2 * bufferSize} {
		dir := t.TempDir()
		d := newFolder(t, dir)
		assert.NilError(t, errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)))
		f := file{folder: &d, name: "f"}
		f.buf = append(f.buf, make([]byte, size)...)
		f.spill()
		f.close()
		if !errors.Is(d.err, syscall.ENOTDIR) {
			t.Errorf("%d bytes: error %v, want that this is no directory", size, d.err)
		}
	}
}

func TestAppendTime(t *testing.T) {
	for us, want := range map[int64]string{
		0: "0.000000", 1: "0.000001", 999_999: "0.999999", 1_000_000: "1.000000", 1_700_000_000_000_010: "1700000000.000010", -1_500_000: "-1.500000",
	} {
		if got := string(appendTime(nil, us)); got != want {
			t.Errorf("%d us: %s, want %s", us, got, want)
		}
	}
}
