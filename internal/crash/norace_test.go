//go:build unix && !race

package crash_test

import (
	"os"
	"syscall"
)

// With the race detector the Go runtime does not look for deadlocks, as in every
// program with C code: such a program waits for ever. And the detector ends the program
// itself when it gets no memory for its own notes.
func init() {
	faults["deadlock"] = func() { select {} }
	faults["memory"] = func() {
		most := uint64(2 << 30)
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			os.Exit(9)
		}
		for {
			held = append(held, make([]byte, 256<<20))
		}
	}
}
