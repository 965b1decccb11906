// Package crash gives failures of the program itself an exit status of their own.
//
// The runtime of Go ends a program that panics with status 2, which here says that a
// capture is damaged. A panic is caught at the top of each goroutine and ends the
// program with [Status]. What cannot be caught, as the lack of memory, a stack
// overflow or a fault in C, ends it with SIGABRT, once [Guard] was called: a shell
// gives that the status 134.
package crash

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"syscall"

	"mpanalyze/internal/output"
)

// Status is the exit status of a program that failed itself.
const Status = 4

// Guard makes faults that nothing can catch end the program with SIGABRT.
func Guard() { debug.SetTraceback("crash") }

// restore is called before the program ends: see [BeforeExit].
var restore atomic.Pointer[func()]

// BeforeExit has Catch call f, once, before it says anything: a terminal is given back
// the way it was. A nil f takes that back.
func BeforeExit(f func()) {
	if f == nil {
		restore.Store(nil)
		return
	}
	restore.Store(&f)
}

// Catch is the last of the deferred calls at the top of each goroutine, so that it
// runs before one that tells others to go on. Where the goroutine panics, it says so
// and ends the program; no output is left half written.
func Catch() {
	cause := recover()
	if cause == nil {
		return
	}
	if f := restore.Swap(nil); f != nil {
		(*f)()
	}
	fmt.Fprintf(os.Stderr, "mpanalyze: the program failed: %v\n\n%s\nmpanalyze: this is a fault of the program, not of a capture: please report it with the lines above\n",
		cause, debug.Stack())
	output.Discard()
	os.Exit(Status)
}

// Exhausted reports whether err says that the process, or the system, ran out of file
// descriptors or memory: nothing is wrong with the file that it was met at.
func Exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}
