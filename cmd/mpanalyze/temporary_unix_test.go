//go:build unix

package main

import (
	"bytes"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// The number of connections, and of addresses that each of them announces. Each announcement is
// an event with a text of its own; together they are more than the program keeps in memory.
const (
	manyConnections = 60
	manyAddresses   = 1900
)

// announcements returns a capture of connections, one after the other, in which one host
// announces many addresses. It is made once.
var announcements = sync.OnceValue(func() []byte {
	n := tracegen.NewNetwork(time.Time{})
	server := netip.MustParseAddrPort("192.0.2.1:443")
	for i := range manyConnections {
		at := time.Duration(i) * 10 * time.Second
		s := n.Session(tracegen.Config{Version: 1, Keys: [2]uint64{uint64(i), ^uint64(i)}})
		f := s.Subflow(tracegen.Path{A: netip.AddrPortFrom(netip.MustParseAddr("192.0.2.2"), uint16(1024+i)), B: server})
		h := f.Open(at)
		at = h.Established()
		for k := range manyAddresses {
			at += time.Millisecond
			addr := [16]byte{0: 0x20, 1: 0x01, 2: byte(i), 6: 0xab, 8: 0xcd, 10: 0xef, 12: 0x12, 13: byte(i), 14: byte(k >> 8), 15: byte(k)}
			f.Signal(tracegen.B2A, at, &mptcp.AddAddr{Version: 1, Echo: true, AddressID: byte(k), Addr: netip.AddrFrom16(addr)})
		}
		s.Close(at, 0, 0)
	}
	n.Run()
	var file bytes.Buffer
	if err := n.Write(&file, tracegen.Middle, tracegen.Format{}); err != nil {
		panic(err) // it writes into memory
	}
	return file.Bytes()
})

// saved writes a file for a test.
func saved(t *testing.T, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "capture.pcap")
	assert.NilError(t, os.WriteFile(name, data, 0o600))
	return name
}

// isEmpty expects that a program left nothing in a directory.
func isEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	assert.Check(t, err == nil && len(left) == 0, "left in %s: %v, %v", dir, left, err)
}

// TestTemporaryFile: where reports do not fit into memory and cannot be written elsewhere,
// nothing is reported, the message names the directory, and no file stays.
func TestTemporaryFile(t *testing.T) {
	capture := saved(t, announcements())
	for _, c := range []struct{ name, dir, shell, cause string }{
		{"no directory", filepath.Join(t.TempDir(), "missing"), "", "no such file or directory"},
		{"a file for a directory", capture, "", "not a directory"},
		{"a limit of the size of files", t.TempDir(), "ulimit -f 2000; ", "file too large"},
		{"a full disk", smallDisk(t), "", "no space left on device"},
	} {
		if c.dir == "" {
			continue // there is no such disk
		}
		var out, said bytes.Buffer
		x := testrun.Command(t, "sh", "-c", c.shell+`exec "$0" analyze --json "$1"`, os.Args[0], capture)
		x.Env = append(command(t).Env, "TMPDIR="+c.dir)
		x.Stdout, x.Stderr = &out, &said
		assert.NilError(t, x.Start())
		want := "mpanalyze: writing a temporary file in " + c.dir + " (TMPDIR names another directory): " + c.cause + "\n"
		if got := status(t, x); got != 1 || said.String() != want || out.Len() > 0 {
			t.Errorf("%s: exit status %d, %d bytes of output, message %q, want %q", c.name, got, out.Len(), said.String(), want)
		}
		if info, err := os.Stat(c.dir); err == nil && info.IsDir() {
			isEmpty(t, c.dir)
		}
	}
}

// smallDisk mounts a disk of 1 MiB; "" where that is not possible.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := testrun.Command(t, "mount", "-t", "tmpfs", "-o", "size=1m", "none", dir).Run(); err != nil {
		t.Logf("no disk of a bounded size: %v", err)
		return ""
	}
	t.Cleanup(func() {
		assert.Check(t, testrun.Command(t, "umount", dir).Run(), "umount %s", dir)
	})
	return dir
}

// TestSecondSignal: after SIGTERM the program stops reading and prints the reports in the temporary
// file. A second SIGTERM ends the program, and no file is left.
func TestSecondSignal(t *testing.T) {
	temporary := t.TempDir()
	c := command(t, "analyze", "-", "--json")
	c.Env = append(c.Env, "TMPDIR="+temporary)
	in, err := c.StdinPipe()
	assert.NilError(t, err)
	out, err := c.StdoutPipe()
	assert.NilError(t, err)
	assert.NilError(t, c.Start())
	// The program has read all but the bytes that a pipe and the buffers behind it hold, and
	// waits for more.
	_, err = in.Write(announcements())
	assert.NilError(t, err)
	assert.NilError(t, c.Process.Signal(syscall.SIGTERM))
	// The report begins, and does not fit into the pipe.
	_, err = io.ReadFull(out, make([]byte, 1))
	assert.NilError(t, err)
	// On a busy machine a signal may come before the program expects a second one, so it is sent
	// until the program ends.
	again := make(chan struct{})
	go func() {
		defer close(again)
		for c.Process.Signal(syscall.SIGTERM) == nil {
			time.Sleep(50 * time.Millisecond)
		}
	}()
	_ = c.Wait() // it says how the program ended
	<-again
	w := c.ProcessState.Sys().(syscall.WaitStatus)
	assert.Check(t, w.Signaled() && w.Signal() == syscall.SIGTERM, "the second signal: %v", c.ProcessState)
	isEmpty(t, temporary)
}
