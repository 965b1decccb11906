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

// unknownFlag returns an error that suggests flags of the command with a similar name. If
// there are none, it names the commands that have a flag of exactly this name.
func (a *app) unknownFlag(c *cobra.Command, e *pflag.NotExistError) error {
	name, text := e.GetSpecifiedName(), "--"+e.GetSpecifiedName()
	if short := e.GetSpecifiedShortnames(); short != "" {
		text = "-" + name
		if len(short) > 1 { // a long name behind one dash, or several letters
			name, _, _ = strings.Cut(short, "=")
			text = "-" + name
		}
	}
	said := fmt.Sprintf("%s has no flag %s", c.Name(), text)
	if len(name) == 1 {
		return errors.New(said)
	}
	if near := nearFlags(c, name); len(near) > 0 {
		return fmt.Errorf("%s; did you mean %s?", said, strings.Join(near, ", "))
	}
	if have := commandsWith(newRoot(a, ""), name); len(have) > 0 {
		return fmt.Errorf("%s; it is a flag of %s", said, strings.Join(have, ", "))
	}
	return errors.New(said)
}

// nearFlags returns the flags of a command that have a name similar to this. If a flag has
// exactly this name, it returns that one alone. A key of this name comes first, with its flag.
func nearFlags(c *cobra.Command, name string) (near []string) {
	known := shownFlags(c.Flags())
	if slices.Contains(known, name) {
		known = []string{name}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if k, ok := f.Value.(*keys); ok && k.set.Lookup(name) != nil {
			near = append(near, flagName(f)+" "+name)
		}
	})
	for _, n := range catalogue.Near(name, known) {
		near = append(near, "--"+n)
	}
	return near
}

// commandsWith returns the names of the commands that have a flag.
func commandsWith(root *cobra.Command, flag string) (names []string) {
	for _, c := range root.Commands() {
		if c.Flags().Lookup(flag) != nil {
			names = append(names, c.Name())
		}
	}
	return names
}

// wanted says which values a flag takes.
func wanted(e *pflag.InvalidValueError) string {
	switch kind := e.GetFlag().Value.Type(); {
	case kind == "bool":
		return "want true or false"
	case tooLarge(kind, e.GetValue()):
		return "the number is too large"
	case kind == "int":
		return "want a whole number"
	case kind == "float64":
		return "want a number"
	case kind == "duration":
		return "want a time with its unit, as in 100ms or 3s"
	}
	return errors.Unwrap(e).Error()
}

// tooLarge reports whether a value is a number that a flag of this kind cannot hold. pflag does
// not say so.
func tooLarge(kind, value string) bool {
	var err error
	switch kind {
	case "int":
		_, err = strconv.ParseInt(value, 0, 0)
	case "float64":
		_, err = strconv.ParseFloat(value, 64)
	}
	return errors.Is(err, strconv.ErrRange)
}

// groupAnnotation is the annotation of a flag in which cobra keeps the groups of flags that
// exclude each other. A group is the names of its flags, separated by blanks.
const groupAnnotation = "cobra_annotation_mutually_exclusive"

// refuseExcluded refuses flags that exclude each other. It does so before cobra, so that the message
// has the words of this program.
func refuseExcluded(c *cobra.Command) error {
	groups := map[string][]string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[groupAnnotation] {
			groups[group] = append(groups[group], flagName(f))
		}
	})
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if given := groups[group]; len(given) > 1 {
			return mistakes(c, fmt.Errorf("%s do not go together: state one of them", strings.Join(given, " and ")))
		}
	}
	return nil
}

// mistaken improves an error by what the whole command line shows: a word that is no command,
// or a value that was taken for a file.
func mistaken(root, c *cobra.Command, args []string, err error) error {
	if c == root {
		if word := firstWord(args); word != "" {
			return &usageError{root.CommandPath(), unknownCommand(root, word, args)}
		}
		return err
	}
	if hint := separateValue(c, args, err); hint != "" {
		return mistakes(c, errors.New(hint))
	}
	return err
}

// firstWord returns the first argument that is no flag; empty where there is none.
func firstWord(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}

// unknownCommand returns an error for a word that is no command, and says what the user may
// have meant.
func unknownCommand(root *cobra.Command, word string, args []string) error {
	var commands []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			commands = append(commands, c.Name())
		}
	}
	if slices.Contains(commands, word) {
		return fmt.Errorf("the command comes first: mpanalyze %s", strings.Join(quoted(frontwards(word, args)), " "))
	}
	said := fmt.Sprintf("%q is no command", word)
	if exists(word) || looksLikeCapture(word) {
		return fmt.Errorf("%s; to analyse a capture: mpanalyze analyze %s", said, strings.Join(quoted(args), " "))
	}
	if near := catalogue.DidYouMean(word, commands); near != "" {
		return errors.New(said + near)
	}
	if len(catalogue.Find(metrics.Table(), word)) > 0 {
		return fmt.Errorf("%s but a metric; mpanalyze explain %s says what it means", said, word)
	}
	return errors.New(said)
}

// frontwards returns the arguments with the command in front.
func frontwards(command string, args []string) []string {
	rest := slices.Clone(args)
	i := slices.Index(rest, command)
	return append([]string{command}, slices.Delete(rest, i, i+1)...)
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
func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$&|;<>()*?[]{}~#`!") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return out
}

// exists reports whether there is a file of that name.
func exists(name string) bool {
	_, err := storage.Stat(name)
	return err == nil
}
