package output_test

import (
	"os"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/output"
)

// TestWaiting: a write into a pipe is at work as long as nobody reads, and then no more.
func TestWaiting(t *testing.T) {
	r, w, err := os.Pipe()
	assert.NilError(t, err)
	defer w.Close()
	done := make(chan error, 1)
	go func() {
		_, err := output.NewStream(w).Write(make([]byte, 1<<20))
		done <- err
	}()
	for output.Waiting() == 0 {
		time.Sleep(time.Millisecond)
	}
	first := output.Waiting()
	assert.Check(t, first == output.Waiting(), "the write that waits has two numbers")
	r.Close()
	if err := <-done; err == nil || output.Waiting() != 0 {
		t.Errorf("error %v, call %d", err, output.Waiting())
	}
}
