package metrics

import (
	"maps"
	"testing"

	"gotest.tools/v3/assert"
)

// TestPerSub keeps a number for some subflows of one connection after another. A read
// returns what this connection wrote, and zero otherwise, also in memory that an earlier
// connection used.
func TestPerSub(t *testing.T) {
	var l perSub[int]
	for _, kept := range []map[int]int{{}, {0: 1, 3: 4}, {2: 7}, {0: 5}, {1: 1, 2: 2, 3: 3, 40: 40}, {}, {40: 2, 0: 9}} {
		for id, v := range kept {
			*l.of(&SubflowDir{id: id}) = v
		}
		for id := -1; id < 50; id++ {
			if got := *l.at(id); got != kept[id] {
				t.Errorf("of %v, subflow %d has %d", kept, id, got)
			}
		}
		got := map[int]int{}
		for id, v := range l.all() {
			got[id] = *v
		}
		assert.Check(t, maps.Equal(got, kept), "of %v, all are %v", kept, got)
		l = l.renewed(func(v *int) { *v = 0 })
		assert.Check(t, len(l.spare) <= mostSpare, "memory of %d subflows is kept", len(l.spare))
	}
}
