package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// keys is the value of a flag that takes a list of keys, as in width=8,points. Each key is a flag of a
// set of its own, so keys are parsed, checked and listed as flags are. A key with a comma in its value
// stands in quotation marks, as a field of CSV does. A key that is given again has its last value.
type keys struct {
	set   *pflag.FlagSet
	file  bool     // a value may be the name of a file with a key on each line
	files []string // that keys were read from
}

// keysVar defines a flag of keys and returns the set that holds them.
func keysVar(c *cobra.Command, name, usage string) *keys {
	k := &keys{set: pflag.NewFlagSet(name, pflag.ContinueOnError)}
	k.set.SortFlags = false
	c.Flags().Var(k, name, usage)
	completeFlag(c, name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return k.complete(typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	return k
}

// styleVar defines the flag that says how tables or figures look.
func styleVar(c *cobra.Command, what, example string) *keys {
	k := keysVar(c, "style", "how the "+what+" looks: a `LIST|FILE`: keys below, as in "+example+", in quotation marks where a value has a comma, or a file with a key on each line; may be repeated")
	k.file = true
	reads(c, "style")
	return k
}

// Set implements [pflag.Value].
func (k *keys) Set(text string) error {
	fields, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil {
		return fmt.Errorf("want KEY=VALUE,KEY=VALUE, and quotation marks around those with a comma: %w", err)
	}
	if name, _, _ := strings.Cut(fields[0], "="); k.file && k.set.Lookup(name) == nil && exists(text) {
		content, err := os.ReadFile(text)
		if err != nil {
			return err
		}
		k.files = append(k.files, text)
		fields = strings.FieldsFunc(string(content), func(r rune) bool { return r == '\n' || r == '\r' })
	}
	var errs []error
	for _, field := range fields {
		errs = append(errs, k.setKey(strings.TrimSpace(field)))
	}
	return errors.Join(errs...)
}

// setKey sets one key. A key that is on or off needs no value to be on, and takes yes and no.
func (k *keys) setKey(text string) error {
	name, value, given := strings.Cut(text, "=")
	f := k.set.Lookup(name)
	switch {
	case f == nil:
		var known []string
		k.set.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		return fmt.Errorf("no key %q; want %s", name, alternatives(known))
	case !given && f.NoOptDefVal == "":
		return fmt.Errorf("the value is missing; write %s", keyHead(f))
	case !given:
		value = f.NoOptDefVal
	}
	if i := slices.Index([]string{"no", "yes"}, value); f.Value.Type() == "bool" && i >= 0 {
		value = []string{"false", "true"}[i]
	}
	var invalid *pflag.InvalidValueError
	if err := k.set.Set(name, value); errors.As(err, &invalid) {
		return fmt.Errorf("%s: %s", name, wanted(invalid))
	}
	return nil
}

// String returns the keys that were given, in the form that Set reads and in the order of the set, so
// equal keys give equal texts.
func (k *keys) String() string {
	var fields []string
	k.set.VisitAll(func(f *pflag.Flag) {
		field := f.Name + "=" + f.Value.String()
		if strings.ContainsAny(field, ",\"") {
			field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
		}
		if f.Changed {
			fields = append(fields, field)
		}
	})
	return strings.Join(fields, ",")
}

// Type returns the word that the help shows for the value.
func (*keys) Type() string { return "LIST" }

// keyHead returns a key with its value, as in width=CM.
func keyHead(f *pflag.Flag) string {
	switch value := placeholder(f); {
	case f.DefValue == "true":
		return f.Name + "=no"
	case value != "":
		return f.Name + "=" + value
	}
	return f.Name
}

// complete returns what the last key of a list may be, or its value.
func (k *keys) complete(typed string) (out []string) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	name, _, given := strings.Cut(typed[len(before):], "=")
	k.set.VisitAll(func(f *pflag.Flag) {
		v, few := f.Value.(*choice)
		switch head, _, valued := strings.Cut(keyHead(f), "="); {
		case given && few && f.Name == name:
			for _, value := range v.allowed {
				out = append(out, before+name+"="+value)
			}
		case given:
		case valued:
			out = append(out, before+head+"=\t"+inShort(flagText(f)))
		default:
			out = append(out, before+head+"\t"+inShort(flagText(f)))
		}
	})
	return out
}

// choice is the value of a flag or key that takes one of a few words.
type choice struct {
	to      *string
	allowed []string
}

// choose defines a flag or key that takes one of a few words.
func choose(f *pflag.FlagSet, to *string, name, value, usage string, allowed ...string) {
	*to = value
	f.Var(&choice{to, allowed}, name, usage)
}

// completeChoices completes the flags of a command that take one of a few words.
func completeChoices(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*choice); ok {
			complete(c, f.Name, v.allowed...)
		}
	})
}

// Set implements [pflag.Value].
func (v *choice) Set(text string) error {
	if !slices.Contains(v.allowed, text) {
		return errors.New("want " + alternatives(v.allowed))
	}
	*v.to = text
	return nil
}

func (v *choice) String() string { return *v.to }

// Type returns the word that the help shows for the value.
func (*choice) Type() string { return "string" }
