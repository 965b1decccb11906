package output_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/output"
	"mpanalyze/internal/testrun"
)

// TestPipeIsWrittenDirectly: a named pipe has its reader, and stays.
func TestPipeIsWrittenDirectly(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "pipe")
	assert.NilError(t, syscall.Mkfifo(name, 0o600))
	write := map[string]func() error{
		"Write": func() error { return output.Write(name, saying("data")) },
		"Dir": func() error {
			d, err := output.OpenDir(dir)
			if err != nil {
				return err
			}
			f, err := d.Create("pipe")
			if err != nil {
				return err
			}
			_, err = f.WriteString("data")
			return errors.Join(err, f.Close(), d.Commit())
		},
	}
	for how, w := range write {
		read := make(chan string)
		go func() {
			f, err := os.Open(name)
			assert.Check(t, err)
			b, err := io.ReadAll(f)
			// The next writer is to wait for the next reader, and would not with this one there.
			assert.Check(t, errors.Join(err, f.Close()))
			read <- string(b)
		}()
		assert.Check(t, w(), "%v", how)
		got := <-read
		assert.Check(t, got == "data", "%s: the reader has %q", how, got)
		info, err := os.Stat(name)
		assert.Check(t, err == nil && info.Mode().Type() == os.ModeNamedPipe, "%s: the pipe is gone", how)
	}
	clean(t, dir)
}

// TestDevices: /dev/null takes everything and stays; a full device is an error.
func TestDevices(t *testing.T) {
	assert.Check(t, output.Write(os.DevNull, saying("data")))
	info, err := os.Stat(os.DevNull)
	assert.Check(t, err == nil && info.Mode()&os.ModeDevice != 0, "/dev/null is no device any more")
	if err := output.Write("/dev/full", saying("data")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("/dev/full: %v", err)
	}
}

// TestStandardOutputByName: what is written to /dev/stdout stands in the file that
// standard output goes to, in order with the rest.
func TestStandardOutputByName(t *testing.T) {
	if os.Getenv("OUTPUT_TEST_CHILD") != "" {
		err := output.Write("/dev/stdout", saying("first\n"))
		_, _ = os.Stdout.WriteString("second\n")
		assert.NilError(t, err)
		os.Exit(0)
	}
	name := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(name)
	assert.NilError(t, err)
	defer f.Close()
	c := testrun.Command(t, os.Args[0], "-test.run=^TestStandardOutputByName$")
	c.Env, c.Stdout = append(os.Environ(), "OUTPUT_TEST_CHILD=1"), f
	assert.NilError(t, c.Run())
	got := text(t, name)
	assert.Check(t, got == "first\nsecond\n", "the file holds %q", got)
}

// TestFullDisk: a file that cannot grow leaves the old one as it was.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	old := put(t, filepath.Join(dir, "x"), "old")
	var was syscall.Rlimit
	assert.NilError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	assert.NilError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: was.Max}))
	defer func() {
		assert.Check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
	}()
	err := output.Write(old, func(w io.Writer) error { _, err := w.Write(bytes.Repeat([]byte("n"), 8192)); return err })
	assert.Check(t, errors.Is(err, syscall.EFBIG) && errors.As(err, new(*output.Error)), "error %v", err)
	got := text(t, old)
	assert.Check(t, got == "old", "the old file holds %d bytes", len(got))
	clean(t, dir)
}
