package mutate_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/launch"
)

const (
	// hangs is how long a command may take before it counts as one that does not end. On a
	// quiet machine none takes a second.
	hangs = 60 * time.Second
	// mostHeap bounds the heap while a command works on a capture of some hundred packets.
	mostHeap = 512 << 20
)

// result is what a command left.
type result struct {
	status   cli.ExitCode
	out, err string
	panicked string // with the stack
	heap     uint64 // most bytes seen in use
}

// run runs the program in this process. A panic of another goroutine ends the process with
// status 4; the file "running" beside the input then says what ran.
func run(t *testing.T, args []string) result {
	t.Helper()
	return runWith(t, strings.NewReader(""), args)
}

// runWith is run with a standard input.
func runWith(t *testing.T, in io.Reader, args []string) (r result) {
	t.Helper()
	var out, errs bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		r.status = cli.Main(args, cli.Streams{
			In: in, Out: &out, Err: &errs,
			Getenv: func(string) string { return "" }, Now: time.Now,
		}, launch.Engine(), "test")
	}()
	most := uint64(0)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(hangs)
	for {
		select {
		case <-done:
			r.out, r.err, r.heap = out.String(), errs.String(), most
			return r
		case <-tick.C:
			most = max(most, heapInUse())
		case <-late:
			pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
			t.Fatalf("%q has not ended after %v", args, hangs)
		}
	}
}

func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
