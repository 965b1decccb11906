package report

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// No two subflows have one name, even if a path is named as a second subflow of another path is.
func TestPathLabels(t *testing.T) {
	for _, c := range []struct {
		paths []string // of subflows in the order of their bytes, the most first
		want  []string
	}{
		{[]string{"w", "w", "w"}, []string{"w", "w#2", "w#3"}},
		{[]string{"w", "w", "w#2"}, []string{"w", "w#2", "w#2#2"}},
		{[]string{"w#2", "w", "w", "w"}, []string{"w#2", "w", "w#3", "w#4"}},
	} {
		var conn Connection
		for i, path := range c.paths {
			s := Subflow{Path: path, A2B: &SubDir{Bytes: new(int64(100 - i))}}
			conn.Subflows = append(conn.Subflows, s)
		}
		assert.Check(t, is.DeepEqual(conn.PathLabels(), c.want), "names of the paths %q", c.paths)
	}
}
