//go:build unix

package crash_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/crash"
	"mpanalyze/internal/output"
	"mpanalyze/internal/testrun"
)

// fault is the environment variable that makes the test binary a program with that fault.
const fault = "CRASH_TEST_FAULT"

var faults = map[string]func(){
	"panic":     func() { panic("out of order") },
	"nil":       func() { noMap["x"] = 1 },
	"goroutine": func() { go func() { defer crash.Catch(); panic("out of order") }(); select {} },
	"late": func() { // what a deferred call lets go on does not end the program first
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer crash.Catch()
			panic("out of order")
		}()
		<-done
		os.Exit(0)
	},
	"output": func() {
		_ = output.Write(filepath.Join(os.Getenv("DIR"), "x"), func(io.Writer) error {
			go func() { defer crash.Catch(); panic("out of order") }()
			select {}
		})
	},
	"terminal": func() { crash.BeforeExit(func() { os.Stderr.WriteString("put right\n") }); panic("out of order") },
	"taken back": func() {
		crash.BeforeExit(func() { os.Stderr.WriteString("put right\n") })
		crash.BeforeExit(nil)
		panic("out of order")
	},
	"uncaught": func() { go func() { panic("out of order") }(); select {} },
	"stack":    func() { debug.SetMaxStack(1 << 16); held = deep(held) },
}

var held [][]byte

// noMap stays nil: to write to it is a fault.
var noMap map[string]int

// endless has deep call itself; a linter that sees the recursion would refuse it.
var endless = true

func deep(list [][]byte) [][]byte {
	if !endless {
		return list
	}
	return append(deep(list), nil)
}

func TestMain(m *testing.M) {
	if f := faults[os.Getenv(fault)]; f != nil {
		crash.Guard()
		defer crash.Catch()
		f()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestStatusOfFaults: no fault of the program looks like a damaged capture, which is
// status 2. The function that cleans up runs once, before anything is printed, and not at all if it
// was withdrawn.
func TestStatusOfFaults(t *testing.T) {
	for name := range faults {
		dir := t.TempDir()
		c := testrun.Command(t, os.Args[0])
		c.Env = append(os.Environ(), fault+"="+name, "DIR="+dir, "GORACE=atexit_sleep_ms=0")
		said, err := c.CombinedOutput()
		text := string(said)
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		status := exit.Sys().(syscall.WaitStatus)
		switch name {
		case "uncaught", "stack", "deadlock", "memory":
			assert.Check(t, status.Signaled() && status.Signal() == syscall.SIGABRT, "%s: %v, want SIGABRT\n%.500s", name, exit, text)
		default:
			cleaned, rest := strings.CutPrefix(text, "put right\n")
			if rest != (name == "terminal") || strings.Contains(cleaned, "put right") || !strings.HasPrefix(cleaned, "mpanalyze: the program failed: ") {
				t.Errorf("%s says\n%s", name, text)
			}
			if status.ExitStatus() != crash.Status || !strings.Contains(text, "crash_unix_test.go") || !strings.Contains(text, "please report") {
				t.Errorf("%s: %v, want status %d\n%s", name, exit, crash.Status, text)
			}
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%s leaves %v, %v", name, entries, err)
		}
	}
}

func TestExhausted(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{syscall.EMFILE, true},
		{fmt.Errorf("x: %w", &os.PathError{Op: "open", Path: "x", Err: syscall.ENFILE}), true},
		{errors.Join(errors.New("x"), syscall.ENOMEM), true},
		{syscall.ENOENT, false},
		{nil, false},
	} {
		if got := crash.Exhausted(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}
