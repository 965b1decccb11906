package bykey

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// Keys stay in the order in which they came, and so do the values of a key.
func TestLists(t *testing.T) {
	var l Lists[int]
	for i, key := range []string{"b", "a", "b", "", "a"} {
		l.Add(key, i)
	}
	want := Lists[int]{Keys: []string{"b", "a", ""}, Of: map[string][]int{"b": {0, 2}, "a": {1, 4}, "": {3}}}
	assert.Check(t, is.DeepEqual(l, want), "lists")
}
