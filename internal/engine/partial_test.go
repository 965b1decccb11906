package engine_test

import (
	"bytes"
	"fmt"
	"testing"

	"gotest.tools/v3/assert"
)

// TestBegunLate analyses captures that begin in the middle of their sessions, so that the
// subflows of a connection become known after its first packets. Nothing of a connection
// begins before the connection.
func TestBegunLate(t *testing.T) {
	attached := 0
	for _, name := range realCaptures {
		whole := framesOf(t, session(name))
		n := len(whole.list)
		for _, percent := range []int{10, 30, 50, 70} {
			file := whole.only(func(i int) bool { return i >= n*percent/100 }).pcapng()
			r := analyzeWith(t, everything(bytes.NewReader(file)), &rowCheck{sound: true})
			for i := range r.doc.Connections {
				c := &r.doc.Connections[i]
				at := fmt.Sprintf("%s without its first %d %%, connection %d", name, percent, c.ID)
				for _, s := range c.Subflows {
					if s.StartS < 0 || s.EndS < s.StartS || s.EndS > c.DurationS {
						t.Errorf("%s: subflow %d from %v s to %v s of %v s", at, s.ID, s.StartS, s.EndS, c.DurationS)
					}
				}
				addsUp(t, c)
				for _, e := range c.Events {
					assert.Check(t, e.TS >= 0, "%s: %s at %v s", at, e.Kind, e.TS)
					if e.Kind == "subflow_attached" && e.TS == 0 {
						attached++
					}
				}
			}
		}
	}
	assert.Check(t, attached != 0, "no connection began with a subflow that was attached")
}
