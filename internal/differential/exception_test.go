package differential

import (
	"sync"
	"sync/atomic"
	"testing"

	"gotest.tools/v3/assert"
)

// exception is a disagreement with another program that is known and has a
// reason. D is what there is to know of one disagreement.
type exception[D any] struct {
	name    string // as differences.md names it
	applies func(d *D) bool
}

// uses counts how often each exception was needed. It may be used by several
// goroutines.
type uses struct {
	mu    sync.Mutex
	count map[string]int
}

func (u *uses) add(name string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count == nil {
		u.count = map[string]int{}
	}
	u.count[name]++
}

// excused reports whether an exception explains d, and counts it.
func excused[D any](u *uses, list []exception[D], d *D) bool {
	for _, e := range list {
		if e.applies(d) {
			u.add(e.name)
			return true
		}
	}
	return false
}

// compared runs compare on every capture, if the machine has the program to compare with, and
// fails for every exception that no capture needed. used counts the needed exceptions; it is nil
// where captures are missing or differ, or the program cannot read one.
func compared[D any](t *testing.T, program string, list []exception[D], compare func(t *testing.T, name, path string, used *uses)) (used *uses) {
	t.Helper()
	need(t, program)
	files, all := captures(t)
	used = &uses{}
	var skipped atomic.Int64
	t.Run("captures", func(t *testing.T) {
		for name, path := range files {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				defer func() {
					if t.Skipped() {
						skipped.Add(1)
					}
				}()
				compare(t, name, path, used)
			})
		}
	})
	if n := skipped.Load(); n > 0 {
		t.Logf("%s cannot read %d of %d captures, which may need exceptions: no exception is judged", program, n, len(files))
		all = false
	}
	if !all || t.Failed() {
		return nil
	}
	stale(t, used, list)
	return used
}

// stale fails the test for every exception that nothing needed.
func stale[D any](t *testing.T, u *uses, list []exception[D]) {
	t.Helper()
	for _, e := range list {
		n := u.count[e.name]
		t.Logf("%s: %d times", e.name, n)
		assert.Check(t, n != 0, "no capture needs the exception %q any more: remove it", e.name)
	}
}
