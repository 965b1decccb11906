// Package testrun starts the programs that tests use. Each has a time limit of its own: a
// program that hangs fails its own test. Without the limit it would fail all tests of the
// package after ten minutes. It also says how many cases tests try, and where captures beside
// the repository are.
package testrun

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"
)

// limit is how long a program may run. The slowest needs some seconds on a quiet machine;
// the rest allows for a busy machine.
const limit = 3 * time.Minute

// delay is how long children of a killed program may keep its output open.
const delay = 5 * time.Second

// Command is exec.Command with a time limit. A program that runs longer is killed, and the
// test fails with its name. A program that still runs at the end of the test is killed,
// too.
func Command(t testing.TB, program string, args ...string) *exec.Cmd {
	t.Helper()
	return command(t, limit, program, args...)
}

func command(t testing.TB, limit time.Duration, program string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), limit)
	t.Cleanup(stop)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = delay
	cmd.Cancel = func() error {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("%s has not ended after %v and is killed", program, limit)
		}
		return cmd.Process.Kill()
	}
	return cmd
}
