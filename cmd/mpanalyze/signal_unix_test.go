//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// command returns a command that runs this program.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := testrun.Command(t, os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1", "GORACE=atexit_sleep_ms=0")
	return c
}

// status runs a command and returns its exit status.
func status(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	var exit *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

// TestSignals: after SIGINT, SIGTERM or SIGHUP the program stops reading and reports what it has read,
// with the exit status of a cut capture.
func TestSignals(t *testing.T) {
	capture := frames()
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		var out, said bytes.Buffer
		c := command(t, "analyze", "-", "--json")
		c.Stdout, c.Stderr = &out, &said
		in, err := c.StdinPipe()
		assert.NilError(t, err)
		assert.NilError(t, c.Start())
		// This is more than a pipe and the buffers behind it hold. So after the write, the
		// program has read from the pipe and waits for more.
		if _, err := in.Write(capture); err != nil {
			t.Fatal(err)
		}
		assert.NilError(t, c.Process.Signal(s))
		got := status(t, c)
		assert.Check(t, got == 2 && strings.Contains(said.String(), "interrupted"), "%v: exit status %d, messages %q", s, got, said.String())
		doc := &report.Document{}
		if err := json.Unmarshal(out.Bytes(), doc); err != nil {
			t.Errorf("%v: no report: %v", s, err)
		} else if doc.Captures[0].Packets == 0 {
			t.Errorf("%v: no packet was reported", s)
		}
	}
}

// TestSignalEndsExtract: after a signal extract ends with the exit status of an output that is missing.
func TestSignalEndsExtract(t *testing.T) {
	session := filepath.Join(sessions, "v1/b-lte-cubic/client.pcap.zst")
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		copyEnds(t, s, "extract", session, "--connection", "0", "-o", "-")
		copyEnds(t, s, "extract", session, "--comments", "-o", "-")
		copyEnds(t, s, "extract", session, "--connection", "0", "--comments", "-o", "-")
	}
}

// copyEnds sends a signal to a command that copies a session of 14,984 packets.
func copyEnds(t *testing.T, s os.Signal, args ...string) {
	t.Helper()
	var said bytes.Buffer
	c := command(t, args...)
	c.Stderr = &said
	out, err := c.StdoutPipe()
	assert.NilError(t, err)
	assert.NilError(t, c.Start())
	// The copy is longer than a pipe and the buffers behind it hold. So after its first bytes,
	// the program waits until somebody reads on.
	if _, err := io.ReadFull(out, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, c.Process.Signal(s))
	_, err = io.Copy(io.Discard, slowly{out})
	assert.NilError(t, err)
	got := status(t, c)
	assert.Check(t, got == 1 && said.String() == "mpanalyze: interrupted\n", "%v, %v: exit status %d, messages %q", args, s, got, said.String())
}

// slowly reads in small parts with pauses. A program that writes there takes a signal long before
// all is read, on a busy machine, too.
type slowly struct{ io.Reader }

func (s slowly) Read(b []byte) (int, error) {
	time.Sleep(5 * time.Millisecond)
	return s.Reader.Read(b[:min(len(b), 4096)])
}

// TestSignalWhileFiguresWaits: task - ends at the first signal, also while no path
// comes.
func TestSignalWhileFiguresWaits(t *testing.T) {
	session := filepath.Join(sessions, "v1/l-single-loss/client.pcap.zst")
	c := command(t, "task", "-", "one="+session)
	in, err := c.StdinPipe()
	assert.NilError(t, err)
	defer in.Close()
	out, err := c.StdoutPipe()
	assert.NilError(t, err)
	assert.NilError(t, c.Start())
	if _, err := fmt.Fprintln(in, session); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	assert.Assert(t, err == nil && len(line) >= 100, "%d bytes, %v", len(line), err)
	assert.NilError(t, c.Process.Signal(syscall.SIGTERM))
	s := status(t, c)
	assert.Check(t, s != 0 && s != -1, "status %d", s)
}

// frames is a capture of 2 MiB of frames that are not IP.
func frames() []byte {
	const header = "\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\xff\xff\x00\x00\x01\x00\x00\x00"
	const record = "\x01\x00\x00\x00\x00\x00\x00\x00" + "\x3c\x00\x00\x00\x3c\x00\x00\x00" // of 60 bytes
	frame := strings.Repeat("\xff", 12) + "\x08\x06" + strings.Repeat("\x00", 46)          // ARP
	return []byte(header + strings.Repeat(record+frame, 2<<20/(len(record)+len(frame))))
}
