package cli

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
	"gotest.tools/v3/assert"
)

// TestPurposes: each flag has one purpose, each purpose names flags that there are, and the
// flags that come first are flags of their command, at most five.
func TestPurposes(t *testing.T) {
	root := NewRoot(Streams{}, Engine{}, "")
	known := map[string]bool{}
	for _, c := range append(root.Commands(), root) {
		if c.Hidden {
			continue
		}
		c.InheritedFlags()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			known[f.Name] = true
			assert.Check(t, f.Hidden || purposeOf(f.Name) >= 0, "%s --%s has no purpose: give it one in purposes.go", c.Name(), f.Name)
		})
		for _, name := range first[c.Name()] {
			assert.Check(t, c.Flags().Lookup(name) != nil, "%s has no flag --%s to begin its help with", c.Name(), name)
		}
		assert.Check(t, len(first[c.Name()]) <= 5, "the help of %s begins with %d flags, want at most 5", c.Name(), len(first[c.Name()]))
	}
	var seen []string
	for _, p := range purposes {
		for _, name := range p.flags {
			assert.Check(t, !slices.Contains(seen, name) && known[name], "%s: --%s has two purposes, or no command has it", p.title, name)
			seen = append(seen, name)
		}
	}
	for name := range first {
		c, _, err := root.Find([]string{name})
		assert.Check(t, err == nil && c != root, "there are first flags of a command %s, which does not exist", name)
	}
}
