// Package testrun starts the programs that tests compare with or try out, each
// with a limit of its own, so that one that hangs fails its test and not, after
// ten minutes, all tests of the package.
package testrun

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"
)

// limit is how long a program may run. The longest needs some seconds on a
// quiet machine; what is left is for one that is busy with other work.
const limit = 3 * time.Minute

// delay is how long what a killed program has started may keep its output open.
const delay = 5 * time.Second

// Command is exec.Command with limit: a program that has not ended by then is
// killed, and the test fails with its name. It is killed at the end of the test,
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
