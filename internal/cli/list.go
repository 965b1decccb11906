package cli

import "github.com/spf13/cobra"

// list is a flag's value that is a list separated by commas. The flag given again
// adds to it, as the other flags that take several do.
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
