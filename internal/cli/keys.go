package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/catalogue"
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
		if near := catalogue.DidYouMean(name, known); near != "" {
			return fmt.Errorf("no key %q%s", name, near)
		}
		return fmt.Errorf("no key %q; want %s", name, alternatives(known))
	case !given && f.NoOptDefVal == "":
		return fmt.Errorf("the value is missing; write %s", keyHead(f))
	case given && f.Value.Type() == "boolfunc":
		return fmt.Errorf("%s takes no value", name)
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
		switch {
		case !f.Changed:
		case f.Value.Type() == "boolfunc":
			fields = append(fields, f.Name)
		default:
			fields = append(fields, f.Name+"="+f.Value.String())
		}
	})
	var out strings.Builder
	w := csv.NewWriter(&out)
	if len(fields) > 0 {
		_ = w.Write(fields) // a strings.Builder takes everything
	}
	w.Flush()
	return strings.TrimSuffix(out.String(), "\n")
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
	if f := k.set.Lookup(name); given && f != nil {
		if v, ok := f.Value.(*choice); ok {
			for _, value := range v.allowed {
				out = append(out, before+name+"="+value)
			}
		}
		return out
	}
	k.set.VisitAll(func(f *pflag.Flag) {
		head, _, _ := strings.Cut(keyHead(f), "=")
		if head != keyHead(f) {
			head += "="
		}
		_, text := pflag.UnquoteUsage(f)
		out = append(out, before+head+"\t"+inShort(text))
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

// number is the value of a flag or key that takes a number from least to most.
type number[T int | float64] struct {
	to          *T
	least, most T
}

// numberVar defines a flag or key that takes a number from least to most.
func numberVar[T int | float64](f *pflag.FlagSet, to *T, name string, value T, usage string, least, most T) {
	*to = value
	f.Var(&number[T]{to, least, most}, name, usage)
}

// Set implements [pflag.Value].
func (n *number[T]) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if x := T(v); err != nil || float64(x) != v || x < n.least || x > n.most {
		return fmt.Errorf("want a number from %v to %v", n.least, n.most)
	}
	*n.to = T(v)
	return nil
}

func (n *number[T]) String() string { return fmt.Sprint(*n.to) }

// Type returns the word that the help shows for the value.
func (*number[T]) Type() string { return "number" }
