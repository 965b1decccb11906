package differential

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/testrun"
)

// need skips the test where a program is not installed.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed, so there is nothing to compare with", program)
	}
}

// maxLine bounds a line of another program's output, in bytes.
const maxLine = 1 << 16

// lines runs a program on a capture given to its standard input and calls f
// with each line that it writes, until f returns false. The error is the program's.
func lines(t *testing.T, capture io.Reader, f func(line []byte) bool, program string, args ...string) error {
	t.Helper()
	cmd := testrun.Command(t, program, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = capture, &stderr
	out, err := cmd.StdoutPipe()
	assert.NilError(t, err)
	assert.NilError(t, cmd.Start())
	scanner := bufio.NewScanner(out)
	scanner.Buffer(make([]byte, maxLine), maxLine)
	stopped := false
	for scanner.Scan() {
		if stopped = !f(scanner.Bytes()); stopped {
			cmd.Process.Kill()
			break
		}
	}
	failure, err := scanner.Err(), cmd.Wait()
	switch {
	case stopped:
		return nil
	case failure != nil:
		t.Fatalf("%s: %v", program, failure)
	case err != nil:
		return fmt.Errorf("%w\n%s", err, &stderr)
	case bytes.Contains(stderr.Bytes(), []byte("PCAP error")): // tcptrace goes on with what it has read
		return errors.New(stderr.String())
	}
	return nil
}

// sameLines compares the lines of another program with ours, and shows the first that differ.
func sameLines(t *testing.T, name string, theirs, ours []string) {
	t.Helper()
	for i := range min(len(theirs), len(ours)) {
		if theirs[i] != ours[i] {
			t.Errorf("%s: line %d: %q, in theirs %q", name, i+1, ours[i], theirs[i])
			break
		}
	}
	assert.Check(t, len(theirs) == len(ours), "%s: %d lines, in theirs %d", name, len(ours), len(theirs))
}

// unreadable ends the comparison of a capture that another program cannot read, before anything
// was compared. That is no failure of ours. But all programs read the bundled captures: if one
// does not, nothing may be compared at all, and the test fails.
func unreadable(t testing.TB, path, program string, err error) {
	t.Helper()
	end := t.Skipf
	if isBundled(path) {
		end = t.Fatalf
	}
	end("%s cannot read %s, so nothing is compared: %v", program, path, err)
}

// ending is a test that keeps how it would end.
type ending struct {
	testing.TB
	how string
}

func (e *ending) Helper()               {}
func (e *ending) Fatalf(string, ...any) { e.how = "failed" }
func (e *ending) Skipf(string, ...any)  { e.how = "skipped" }

// TestUnreadable gives programs what they cannot read: no capture, and one that ends amid a packet,
// of which tcptrace shows the part before it. A bundled capture fails the test, another is skipped.
func TestUnreadable(t *testing.T) {
	text, err := io.ReadAll(unpacked(t, filepath.Join(bundled, "v1/l-single-loss/client.pcap.zst")))
	assert.NilError(t, err)
	for _, program := range [][]string{{"tshark", "-r", "-"}, {"tcptrace", "stdin"}} {
		if _, err := exec.LookPath(program[0]); err != nil {
			t.Logf("%s is not installed", program[0])
			continue
		}
		for what, capture := range map[string][]byte{"text": []byte("this is no capture at all, but text"), "cut": text[:len(text)/2+1]} {
			ignore := func([]byte) bool { return true }
			if err := lines(t, bytes.NewReader(capture), ignore, program[0], program[1:]...); err == nil {
				t.Errorf("%s reads %s without an error", program[0], what)
			}
		}
	}
	for path, want := range map[string]string{filepath.Join(bundled, "a.pcap"): "failed", filepath.Join(testrun.Shared, "a.pcap"): "skipped"} {
		e := &ending{TB: t}
		if unreadable(e, path, "tshark", io.ErrUnexpectedEOF); e.how != want {
			t.Errorf("the test with %s is %s, want %s", path, e.how, want)
		}
	}
}
