package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
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

// oneOf checks the value of a flag that takes one of a few.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	if allowed[0] == "" {
		allowed = allowed[1:]
	}
	if value == "" {
		return fmt.Errorf("--%s is missing; want %s", flag, alternatives(allowed))
	}
	return fmt.Errorf("--%s %q: want %s", flag, value, alternatives(allowed))
}

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
	near := []string{name}
	if written[name] == "" {
		near = catalogue.Near(name, slices.Sorted(maps.Keys(written)))
	}
	for i := range near {
		near[i] = written[near[i]]
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

// wanted says which values a flag takes. pflag does not say that a number is too large.
func wanted(e *pflag.InvalidValueError) string {
	var err error
	kind, text := e.GetFlag().Value.Type(), ""
	switch kind {
	case "bool":
		text = "want true or false"
	case "int":
		_, err = strconv.ParseInt(e.GetValue(), 0, 0)
		text = "want a whole number"
	case "float64":
		_, err = strconv.ParseFloat(e.GetValue(), 64)
		text = "want a number"
	case "duration":
		text = "want a time with its unit, as in 100ms or 3s"
	default:
		text = errors.Unwrap(e).Error()
	}
	if errors.Is(err, strconv.ErrRange) {
		return "the number is too large"
	}
	return text
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
		at := slices.Index(args, word)
		return fmt.Errorf("the command comes first: mpanalyze %s", strings.Join(quoted(slices.Concat(args[at:at+1], args[:at], args[at+1:])), " "))
	case exists(word) || looksLikeCapture(word):
		said += "; to analyse a capture: mpanalyze analyze " + strings.Join(quoted(args), " ")
	case near != "":
		said += near
	case len(catalogue.Find(metrics.Table(), word)) > 0:
		said += " but a metric; mpanalyze explain " + word + " says what it means"
	}
	return errors.New(said)
}

// looksLikeCapture reports whether a word is named as captures are.
func looksLikeCapture(word string) bool {
	return slices.ContainsFunc([]string{".pcap", ".cap", ".dump", ".dmp"}, func(end string) bool { return strings.Contains(word, end) })
}

// separateValue finds a value that is a separate word behind its flag, as in --json report.json,
// although the flag takes a value only behind "=". The word was then taken for a file to read,
// and the error names that file. separateValue returns a hint, or "" if there is no such value.
func separateValue(c *cobra.Command, args []string, err error) string {
	for i, arg := range args[:max(0, len(args)-1)] {
		name, long := strings.CutPrefix(arg, "--")
		f := c.Flags().Lookup(name)
		if !long || f == nil || f.NoOptDefVal == "" || strings.HasPrefix(f.Value.Type(), "bool") {
			continue
		}
		value := args[i+1]
		if value == "" || strings.HasPrefix(value, "-") || looksLikeCapture(value) || !strings.Contains(err.Error(), value) {
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
