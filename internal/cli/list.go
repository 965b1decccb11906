package cli

import "github.com/spf13/cobra"

// list is the value of a flag: a list separated by commas. A flag that is given again adds to
// the list, as it does for the other flags that take several values.
type list struct {
	text  *string
	given bool
}

func (l *list) String() string { return *l.text }
func (l *list) Type() string   { return "string" }

func (l *list) Set(text string) error {
	if l.given {
		text = *l.text + "," + text
	}
	*l.text, l.given = text, true
	return nil
}

// listVar defines a flag of a list.
func listVar(c *cobra.Command, text *string, name, value, usage string) {
	*text = value
	c.Flags().Var(&list{text: text}, name, usage)
}
