package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"gotest.tools/v3/assert"
)

// TestFlagsPage: docs/flags.md lists each command and each flag with the commands that have it, once,
// under its purpose, and nothing else.
func TestFlagsPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/flags.md")
	assert.NilError(t, err)
	root := NewRoot(Streams{}, Engine{}, "")
	want, commands, readers := map[string][]string{}, []string{}, []string{}
	for _, c := range append(root.Commands(), root) {
		if c.Hidden {
			continue
		}
		if c != root {
			commands = append(commands, c.Name())
		}
		if c.Flags().Lookup("decap") != nil {
			readers = append(readers, c.Name())
		}
		c.InheritedFlags()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if key := purposes[max(0, purposeOf(f.Name))].title + " " + named(f); !f.Hidden && (c != root || f.Name == "version") {
				want[key] = append(want[key], c.Name())
			}
		})
	}
	list := regexp.MustCompile(`\*Readers of captures\* are (.*) and (.*)\.`).FindStringSubmatch(string(text))
	assert.Check(t, list != nil && slices.Equal(append(strings.Split(list[1], ", "), list[2]), readers), "readers of captures: %q, want %q", list, readers)
	listed, got := listedIn(string(text), map[string][]string{"readers of captures": readers, "all": commands})
	if slices.Sort(listed); !slices.Equal(listed, commands) {
		t.Errorf("commands %q, want %q", listed, commands)
	}
	for key, of := range want {
		assert.Check(t, slices.Equal(got[key], of), "%s: commands %q, want %q", key, got[key], of)
		delete(got, key)
	}
	for key, of := range got {
		t.Errorf("%s of %q: there is no such flag", key, of)
	}
}

// named returns a flag as the page writes it.
func named(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "`--" + f.Name + "`, `-" + f.Shorthand + "`"
	}
	return "`--" + f.Name + "`"
}

// listedIn returns the commands in the first table of the page, and the commands of each flag by its
// purpose and name. sets are the words that stand for several commands.
func listedIn(text string, sets map[string][]string) (commands []string, flags map[string][]string) {
	flags = map[string][]string{}
	purpose := ""
	row, flag := regexp.MustCompile("^\\| (`.*?) \\| ([^|]*) \\| ([^|]*) \\|$"), regexp.MustCompile("`--[^`]*`(, `-.`)?")
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "### "); ok {
			purpose = strings.TrimSpace(title)
		} else if strings.HasPrefix(line, "## What looks alike") {
			return commands, flags
		}
		m := row.FindStringSubmatch(strings.TrimSpace(line))
		switch {
		case m == nil:
		case purpose == "":
			commands = append(commands, strings.Trim(m[1], "`"))
		default:
			of := sets[m[2]]
			if of == nil {
				of = strings.Split(m[2], ", ")
			}
			for _, f := range flag.FindAllString(m[1], -1) {
				flags[purpose+" "+f] = append(flags[purpose+" "+f], of...)
			}
		}
	}
	return commands, flags
}
