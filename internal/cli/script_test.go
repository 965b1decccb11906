package cli_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mpanalyze/internal/cli"
)

var update = flag.Bool("update", false, "write the expectations of the scripts anew; the run fails all the same, so that they are looked at")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mpanalyze": func() {
			os.Exit(int(cli.Main(os.Args[1:], cli.System(), new(fake).engine(), "v0-test")))
		},
	})
}

// TestScript runs the program as a process: its streams, its exit status.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else each process waits a second under the race detector
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
	if *update {
		t.Error("the scripts' expectations were written anew")
	}
}

// exits is the command "exits N program args...": it runs the program and
// demands the exit status N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var status *exec.ExitError
	switch {
	case errors.As(err, &status):
		got = status.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
