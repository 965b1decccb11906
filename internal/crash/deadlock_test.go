//go:build unix && !race

package crash_test

// With the race detector the Go runtime does not look for deadlocks, as in every
// program with C code: such a program waits for ever.
func init() { faults["deadlock"] = func() { select {} } }
