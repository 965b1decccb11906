package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// oldFlagAnnotation is the annotation of a flag of the release before: it holds what to write now.
const oldFlagAnnotation = "mpanalyze_old_flag"

// oldFlag lets a command take a flag by the name that it had in the release before. Where value is
// not empty, the old flag had no value and stands for this value of the new one.
func oldFlag(c *cobra.Command, old, now, value string) {
	f := c.Flags()
	f.Var(&oldValue{f.Lookup(now).Value, value}, old, "")
	flag := f.Lookup(old)
	flag.Hidden = true
	words := "--" + now
	if value != "" {
		flag.NoOptDefVal = "true"
		words += "=" + value
	}
	flag.Annotations = map[string][]string{oldFlagAnnotation: {words}}
}

// oldValue sets the flag that replaces an old one.
type oldValue struct {
	pflag.Value
	value string
}

// String implements [pflag.Value].
func (o *oldValue) String() string {
	if o.value != "" {
		return "true"
	}
	return o.Value.String()
}

// Type implements [pflag.Value].
func (o *oldValue) Type() string {
	if o.value != "" {
		return "bool"
	}
	return o.Value.Type()
}

// Set implements [pflag.Value].
func (o *oldValue) Set(text string) error {
	if o.value == "" {
		return o.Value.Set(text)
	}
	if set, err := strconv.ParseBool(text); err != nil {
		return errors.New("want true or false")
	} else if !set {
		return nil
	}
	return o.Value.Set(o.value)
}

// sayOldFlags says, on standard error, which flags of a command line have other names now.
func (a *app) sayOldFlags(c *cobra.Command) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if now := f.Annotations[oldFlagAnnotation]; now != nil {
			a.sayWarnings([]string{fmt.Sprintf("%s is written %s now; the next release does not know the old flag", flagName(f), now[0])})
		}
	})
}

// oldPair is the command of the release before for the captures of both hosts.
const oldPair = "pair"

// takeOldPair makes analyze do what pair did, where it was called by that name, and says what to write.
func (a *app) takeOldPair(c *cobra.Command, both *hostCaptures) {
	if c.CalledAs() != oldPair {
		return
	}
	a.sayWarnings([]string{"pair FILE FILE is written analyze --both FILE FILE now; the next release does not know the command pair"})
	both.find = !both.named()
}

// oldTables are tables of the release before and those that replace them, with the same rows.
var oldTables = map[string]string{"fed23": "fi23"}

// renamedTable returns the name of a table, and says so where it had another one in the release before.
func (a *app) renamedTable(name string) string {
	now, old := oldTables[name]
	if !old {
		return name
	}
	a.sayWarnings([]string{fmt.Sprintf("--table %s is --table %s now, with the same rows; the next release does not know the old name", name, now)})
	return now
}

// removed are commands of the release before, and what to use instead. The next release does not
// know them any more.
var removed = []struct{ name, instead string }{
	{"split", "analyze reads a capture of any length in bounded memory; extract --connection 0-99 copies some of its connections"},
	{"merge", "analyze reports on the whole capture in bounded memory, and on each part as on any capture"},
}

// removedCommands returns commands that only say what to use instead.
func removedCommands() (list []*cobra.Command) {
	for _, r := range removed {
		list = append(list, &cobra.Command{
			Use:                r.name,
			Short:              "Removed: " + r.instead,
			Hidden:             true,
			DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error {
				return &statusError{ExitDamaged, fmt.Sprintf("the command %s was removed: %s; docs/scale.md says more", r.name, r.instead)}
			},
		})
	}
	return list
}

// sayOldName says, on standard error, that a command was called by the name that it had in the
// release before.
func (a *app) sayOldName(c *cobra.Command) {
	if called := c.CalledAs(); called != "" && called != c.Name() {
		a.sayWarnings([]string{fmt.Sprintf("the command %s is called %s now; the next release does not know the old name", called, c.Name())})
	}
}
