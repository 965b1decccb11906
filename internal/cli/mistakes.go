package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/storage"
)

// A usageError is a mistake in the command line.
type usageError struct {
	command string // name of the command, for the hint
	err     error
}

// mistakes returns these errors as mistakes in the command line of c; nil if there are none.
func mistakes(c *cobra.Command, errs ...error) error {
	if err := errors.Join(errs...); err != nil {
		return &usageError{c.CommandPath(), err}
	}
	return nil
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// refuse returns an error with this text where something is wrong.
func refuse(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// alternatives lists values from which the user must choose one.
func alternatives(values []string) string {
	last := len(values) - 1
	if last < 1 {
		return strings.Join(values, "")
	}
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// flagMistake says in the words of this program what is wrong with a flag, and what the
// user may have meant.
func (a *app) flagMistake(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var lacks *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		err = a.unknownFlag(c, unknown)
	case errors.As(err, &lacks):
		name := flagName(lacks.GetFlag())
		err = fmt.Errorf("%s: the value is missing; write %s %s", name, name, placeholder(lacks.GetFlag()))
	case errors.As(err, &invalid):
		err = fmt.Errorf("%s %q: %s", flagName(invalid.GetFlag()), invalid.GetValue(), wanted(invalid))
	case errors.As(err, &syntax):
		err = fmt.Errorf("%q is no flag; write --NAME or --NAME=VALUE", syntax.GetSpecifiedFlag())
	}
	return mistakes(c, err)
}

// flagName is how messages name a flag.
func flagName(f *pflag.Flag) string { return "--" + f.Name }

// unknownFlag returns an error that suggests flags of the command, and keys of its flags, with this name or a similar one. If there
// are none, it names the commands that have a flag of this name.
func (a *app) unknownFlag(c *cobra.Command, e *pflag.NotExistError) error {
	name := e.GetSpecifiedName()
	said := fmt.Sprintf("%s has no flag --%s", c.Name(), name)
	if short := e.GetSpecifiedShortnames(); short != "" { // a letter, or a long name behind one dash
		name, _, _ = strings.Cut(short, "=")
		said = fmt.Sprintf("%s has no flag -%s", c.Name(), name)
	}
	if len(name) == 1 {
		return errors.New(said)
	}
	written := map[string]string{} // how a flag or key is written
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if k, ok := f.Value.(*keys); ok {
			k.set.VisitAll(func(key *pflag.Flag) { written[key.Name] = flagName(f) + " " + key.Name })
		}
	})
	for _, flag := range shownFlags(c.Flags()) {
		written[flag] = "--" + flag
	}
	var near []string
	for _, similar := range catalogue.Near(name, slices.Sorted(maps.Keys(written))) {
		near = append(near, written[similar])
	}
	if len(near) > 0 {
		return fmt.Errorf("%s; did you mean %s?", said, strings.Join(near, ", "))
	}
	for _, other := range newRoot(a, "").Commands() {
		if other.Flags().Lookup(name) != nil {
			near = append(near, other.Name())
		}
	}
	if len(near) > 0 {
		said += "; it is a flag of " + strings.Join(near, ", ")
	}
	return errors.New(said)
}

// wanted says which values a flag takes: by its type, or as its error says.
func wanted(e *pflag.InvalidValueError) string {
	ofType := map[string]string{
		"bool": "want true or false", "int": "want a whole number of at most 18 digits", "float64": "want a number",
		"duration": "want a time with its unit, as in 100ms or 3s",
	}
	return cmp.Or(ofType[e.GetFlag().Value.Type()], errors.Unwrap(e).Error())
}

// refuseExcluded refuses flags that exclude each other. It does so before cobra, and says it in the words of this program: cobra's
// text ends with the list of flags that were given.
func refuseExcluded(c *cobra.Command) error {
	err := c.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	_, given, _ := strings.Cut(err.Error(), "; [")
	given, _, _ = strings.Cut(given, "]")
	return mistakes(c, fmt.Errorf("--%s do not go together: state one of them", strings.ReplaceAll(given, " ", " and --")))
}

// mistaken improves an error by what the whole command line shows: a word that is no command,
// or a value that was taken for a file.
func mistaken(root, c *cobra.Command, args []string, err error) error {
	if c == root {
		if i := slices.IndexFunc(args, func(arg string) bool { return arg != "" && arg[0] != '-' }); i >= 0 {
			return mistakes(root, unknownCommand(root, args[i], args))
		}
		return err
	}
	if hint := separateValue(c, args, err); hint != "" {
		return mistakes(c, errors.New(hint))
	}
	return err
}

// unknownCommand returns an error for a word that is no command, and says what the user may
// have meant.
func unknownCommand(root *cobra.Command, word string, args []string) error {
	var commands []string
	for _, c := range root.Commands() {
		commands = append(commands, c.Name())
	}
	said := fmt.Sprintf("%q is no command", word)
	switch near := catalogue.DidYouMean(word, commands); {
	case slices.Contains(commands, word):
		said = fmt.Sprintf("the command comes first, as in mpanalyze %s FILE", word)
	case exists(word) || strings.Contains(word, captureName):
		said += "; to analyse a capture: mpanalyze analyze " + strings.Join(quoted(args), " ")
	case near != "":
		said += near
	}
	return errors.New(said)
}

// captureName is a part of the names that most captures have: .pcap, .pcapng, .cap.
const captureName = "cap"

// separateValue finds a value that is a separate word behind its flag, as in --json report.json,
// although the flag takes a value only behind "=". The word was then taken for a file to read,
// and the error names that file. separateValue returns a hint, or "" if there is no such value.
func separateValue(c *cobra.Command, args []string, err error) string {
	for i, arg := range args[:max(0, len(args)-1)] {
		name, long := strings.CutPrefix(arg, "--")
		f := c.Flags().Lookup(name)
		optional := long && f != nil && f.NoOptDefVal != "" && !strings.HasPrefix(f.Value.Type(), "bool")
		value := args[i+1]
		if !optional || value == "" || value[0] == '-' || strings.Contains(value, captureName) || !strings.Contains(err.Error(), value) {
			continue
		}
		return fmt.Sprintf("%q was taken for a file to read, not for the value of %s; write %s=%s", value, arg, arg, value)
	}
	return ""
}

// quoted returns words in quotation marks where a shell needs them.
func quoted(words []string) (out []string) {
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$&|;<>()*?[]{}~#`!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return out
}

// exists reports whether there is a file of that name.
func exists(name string) bool {
	_, err := storage.Stat(name)
	return err == nil
}
