package differential

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"testing"

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
// with each line that it writes, until f returns false.
func lines(t *testing.T, capture io.Reader, f func(line []byte) bool, program string, args ...string) {
	t.Helper()
	cmd := testrun.Command(t, program, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = capture, &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	scanner.Buffer(make([]byte, maxLine), maxLine)
	stopped := false
	for scanner.Scan() {
		if stopped = !f(scanner.Bytes()); stopped {
			cmd.Process.Kill()
			break
		}
	}
	failure := scanner.Err()
	if err := cmd.Wait(); err != nil && !stopped {
		t.Fatalf("%s: %v\n%s", program, err, &stderr)
	}
	if failure != nil && !stopped {
		t.Fatalf("%s: %v", program, failure)
	}
}
