package export_test

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"mpanalyze/internal/export"
)

// withProcs calls f while n goroutines can run at a time.
func withProcs(n int, f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	f()
}

// A long list is the same text whether it is made in one piece or in parts, and
// however many are made at a time.
func TestJSONParts(t *testing.T) {
	for _, n := range []int{63, 64, 65, 71, 72, 73, 200, 1001} {
		d := crowd(n)
		for i := range d.Connections {
			d.Connections[i].ID = i
		}
		var want string
		withProcs(1, func() { want = written(t, d) })
		for procs := 2; procs <= 5; procs++ {
			withProcs(procs, func() {
				if got := written(t, d); got != want {
					t.Errorf("%d connections, %d at a time: another text than in one piece", n, procs)
				}
			})
		}
	}
}

// What cannot be written ends the work of all goroutines, which a bubble waits
// for, with the error that the first such item gives.
func TestJSONPartsEnd(t *testing.T) {
	withProcs(3, func() {
		synctest.Test(t, func(t *testing.T) {
			d := crowd(300)
			for _, i := range []int{290, 93, 100} {
				d.Connections[i].DurationS = math.NaN()
			}
			var out bytes.Buffer
			err := export.JSON(&out, d)
			if err == nil || !strings.Contains(err.Error(), ": connections[93].duration_s is NaN") {
				t.Errorf("got %v", err)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			m := &meter{until: 50_000}
			if err := export.JSON(m, crowd(300)); !errors.Is(err, errBroken) {
				t.Errorf("got %v", err)
			}
			if m.bytes == 0 {
				t.Error("nothing was written")
			}
		})
	})
}
