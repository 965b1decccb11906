package engine_test

import (
	"bytes"
	"fmt"
	"testing"
)

// TestBegunLate analyses captures that began in the middle of their sessions,
// so that what a connection consists of shows after its first packets: nothing
// of it begins before it does.
func TestBegunLate(t *testing.T) {
	attached := 0
	for _, name := range realCaptures {
		whole := load(t, name, 0)
		n := whole.packets()
		for _, percent := range []int{10, 30, 50, 70} {
			file := whole.only(func(i int) bool { return i >= n*percent/100 }).file
			r := analyzeWith(t, everything(bytes.NewReader(file)), &rowCheck{sound: true})
			for i := range r.doc.Connections {
				c := &r.doc.Connections[i]
				at := fmt.Sprintf("%s without its first %d %%, connection %d", name, percent, c.ID)
				for _, s := range c.Subflows {
					if s.StartS < 0 || s.EndS < s.StartS || s.EndS > c.DurationS {
						t.Errorf("%s: subflow %d from %v s to %v s of %v s", at, s.ID, s.StartS, s.EndS, c.DurationS)
					}
				}
				for _, e := range c.Events {
					if e.TS < 0 {
						t.Errorf("%s: %s at %v s", at, e.Kind, e.TS)
					}
					if e.Kind == "subflow_attached" && e.TS == 0 {
						attached++
					}
				}
			}
		}
	}
	if attached == 0 {
		t.Error("no connection began with a subflow that was attached")
	}
}
