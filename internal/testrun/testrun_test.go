package testrun

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// recorder is a test that keeps what it would fail with.
type recorder struct {
	testing.TB
	errors []string
	logged []string
}

func (r *recorder) Helper() {}

func (r *recorder) Logf(format string, args ...any) {
	r.logged = append(r.logged, fmt.Sprintf(format, args...))
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestLimit starts a program that does not end: it is killed, and the test that
// started it fails with its name.
func TestLimit(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("sleep is not installed")
	}
	r := &recorder{TB: t}
	if err := command(r, 50*time.Millisecond, "sleep", "600").Run(); err == nil {
		t.Error("a program that does not end has ended well")
	}
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "sleep has not ended after 50ms") {
		t.Errorf("the test failed with %q, want one line that names the program", r.errors)
	}
}

// TestEndsInTime starts a program that ends by itself.
func TestEndsInTime(t *testing.T) {
	if _, err := exec.LookPath("echo"); err != nil {
		t.Skip("echo is not installed")
	}
	r := &recorder{TB: t}
	out, err := Command(r, "echo", "done").Output()
	if err != nil || string(out) != "done\n" || len(r.errors) != 0 {
		t.Errorf("%q, %v, %q", out, err, r.errors)
	}
}
