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
			if !f.Hidden && purposeOf(f.Name) < 0 {
				t.Errorf("%s --%s has no purpose: give it one in purposes.go", c.Name(), f.Name)
			}
		})
		for _, name := range first[c.Name()] {
			if c.Flags().Lookup(name) == nil {
				t.Errorf("%s has no flag --%s to begin its help with", c.Name(), name)
			}
		}
		if len(first[c.Name()]) > 5 {
			t.Errorf("the help of %s begins with %d flags, want at most 5", c.Name(), len(first[c.Name()]))
		}
	}
	var seen []string
	for _, p := range purposes {
		for _, name := range p.flags {
			assert.Check(t, !slices.Contains(seen, name) && known[name], "%s: --%s has two purposes, or no command has it", p.title, name)
			seen = append(seen, name)
		}
	}
	for name := range first {
		if c, _, err := root.Find([]string{name}); err != nil || c == root {
			t.Errorf("there are first flags of a command %s, which does not exist", name)
		}
	}
}
