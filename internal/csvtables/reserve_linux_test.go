package csvtables

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// longTable returns rows of more than a table needs to ask for room.
func longTable() (row, all []byte) {
	row = bytes.Repeat([]byte("0123456789abcdef"), 64)
	row[len(row)-1] = '\n'
	return row, bytes.Repeat(row, 5*leastReserve/len(row))
}

// writeLong writes longTable behind what the table has.
func writeLong(t *table) {
	row, all := longTable()
	for range len(all) / len(row) {
		t.write(append(t.row(), row[:len(row)-1]...))
	}
}

// allocated returns how many octets of its file system a file has, and its length.
func allocated(t *testing.T, name string) (octets, length int64) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Blocks * 512, info.Size()
}

// TestReserve: a long table has room ahead of it, which is given back in the end.
func TestReserve(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.csv")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	out := newTable(f, "h")
	writeLong(out)
	if out.room.until == math.MaxInt64 {
		t.Log("the file system of this directory sets nothing aside")
	} else if octets, length := allocated(t, name); octets < length+leastReserve || octets > 2*length+2*leastReserve {
		t.Errorf("%d octets are set aside for a table of %d", octets, length)
	}
	if err := out.close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, want := longTable(); !bytes.Equal(got, append([]byte("h\n"), want...)) {
		t.Errorf("the table has %d octets, want %d, or others", len(got), len(want)+2)
	}
	if octets, length := allocated(t, name); octets > length+leastReserve/2 {
		t.Errorf("%d octets stay set aside for a table of %d", octets, length)
	}
}

// TestReserveSpare: what would take much of the room that is left is not set aside,
// and a table that was refused once does not ask again.
func TestReserveSpare(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.csv")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var fs syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &fs); err != nil {
		t.Fatal(err)
	}
	if reserve(f, 0, int64(fs.Bsize)*int64(fs.Bavail)/(spare/2)) {
		t.Errorf("a table may have two %dths of the room that is left", spare)
	}
	if octets, length := allocated(t, name); octets != 0 || length != 0 {
		t.Errorf("%d octets are set aside for a table that was refused, of %d octets", octets, length)
	}
	closed, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil { // nothing is to be had of it
		t.Fatal(err)
	}
	r := reserved{written: leastReserve}
	r.grow(closed, 1)
	r.grow(f, mostReserve)
	if octets, _ := allocated(t, name); octets != 0 {
		t.Errorf("a table that was refused asked again for %d octets", octets)
	}
}

// TestReserveNone: a table that goes into a pipe is written without.
func TestReserveNone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan []byte)
	go func() {
		all, err := io.ReadAll(r)
		if err != nil {
			t.Error(err)
		}
		read <- all
	}()
	out := &table{file: w, buf: make([]byte, 0, len(tableRoom{}))}
	writeLong(out)
	if err := out.close(); err != nil {
		t.Fatal(err)
	}
	if _, want := longTable(); !bytes.Equal(<-read, want) {
		t.Error("what came out of the pipe is not what was written")
	}
}

// TestReserveFull: what could not be written is not made up when room is given
// back.
func TestReserveFull(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.csv")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	out := newTable(f, "h")
	const end = 3*leastReserve + 5 // where the disk is full
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: end, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	writeLong(out)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if err := out.close(); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("error %v, want that of a file that is too long", err)
	}
	if _, length := allocated(t, name); length != end {
		t.Errorf("the file has %d octets, want the %d that were written", length, end)
	}
}
