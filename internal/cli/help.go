package cli

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/textwrap"
)

// Widths of help, in characters.
const (
	helpWidth  = 80 // where there is no terminal
	leastHelp  = 40 // a narrower terminal breaks the lines itself
	flagColumn = 31 // the last column where the text of a flag may begin; after a longer name it begins on the next line
)

// helpTexts has a file for each command: a line with its use, one with its purpose, one with the flags that most users
// need first, its help, and its examples.
//
//go:embed help
var helpTexts embed.FS

// purposesText has the groups of flags in the full help, in their order: a title, and the flags below it.
//
//go:embed purposes.txt
var purposesText string

// firstFlags is the annotation of a command that has the flags which most users need first.
const firstFlags = "first flags"

// commandsText has the groups of commands in the same form. completion and version are in none, so they are not listed.
//
//go:embed commands.txt
var commandsText string

// command returns the command with the texts of a file.
func command(name string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // a mistake in the command's constructor
	}
	head, rest, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n\n")
	lines := append(strings.Split(head, "\n"), "")
	long, examples, _ := strings.Cut(rest, "\n\nExamples:\n")
	c := &cobra.Command{Use: lines[0], Short: lines[1], Long: long, Example: examples, Args: args, RunE: run}
	c.Annotations = map[string]string{firstFlags: lines[2]}
	for _, g := range groups {
		if slices.Contains(g.names, name) {
			c.GroupID = g.title
		}
	}
	return c
}

// addHelp makes the commands write help in the width of the terminal. --help is short and fits a screen; --help-all has
// all that there is.
func (a *app) addHelp(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
	}
	for _, c := range append(root.Commands(), root) {
		f := c.Flags()
		f.BoolP("help", "h", false, "show the help that most users need first")
		f.BoolFunc(helpAll, "show all of the help", func(on string) error { return f.Set("help", on) }) // where cobra looks for it before it checks the arguments
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		c.InitDefaultHelpFlag() // adds the flags of all commands to those of c
		_, a.helpFailed = fmt.Fprint(c.OutOrStdout(), helpText(c, max(leastHelp, cmp.Or(a.OutWidth, helpWidth)), c.Flags().Changed(helpAll)))
	})
}

// helpAll is the flag for all of the help.
const helpAll = "help-all"

// helpPage is a text in lines of a width.
type helpPage struct {
	strings.Builder
	width int
}

func (p *helpPage) lines(lines ...string) {
	for _, line := range lines {
		p.WriteString(line + "\n")
	}
}

func (p *helpPage) fill(text, first, rest string) {
	p.lines(textwrap.Fill(text, first, rest, p.width)...)
}

// helpText returns the help of a command: all of it, or what most users need first.
func helpText(c *cobra.Command, width int, all bool) string {
	p := &helpPage{width: width}
	if all {
		p.lines(textwrap.Reflow(cmp.Or(c.Long, c.Short), width))
	} else {
		p.fill(c.Short+".", "", "")
	}
	p.lines("", "Usage:")
	more := fmt.Sprintf("%q says more, with all %d flags.", c.CommandPath()+" --"+helpAll, len(shownFlags(c.Flags())))
	if c.HasAvailableSubCommands() {
		p.lines("  " + c.CommandPath() + " COMMAND")
		more = fmt.Sprintf("%q shows the help of a command, %q all of it.", c.CommandPath()+" COMMAND --help", "--"+helpAll)
	} else {
		p.fill(c.UseLine(), "  ", "    ")
	}
	p.examples(c.Example, all)
	p.commands(c)
	p.flags(c, all)
	if !all || c.HasAvailableSubCommands() {
		p.lines("")
		p.fill(more, "", "")
	}
	return p.String()
}

// shortExamples is the number of examples in the short help.
const shortExamples = 3

// examples adds the examples, the first ones or all. A line that ends with a backslash is continued.
func (p *helpPage) examples(text string, all bool) {
	if text == "" {
		return
	}
	p.lines("", "Examples:")
	whole := 0
	for line := range strings.SplitSeq(text, "\n") {
		if !all && whole == shortExamples {
			return
		}
		p.lines(textwrap.Command(line, p.width)...)
		if !strings.HasSuffix(line, "\\") {
			whole++
		}
	}
}

// commands lists the commands below c by their groups.
func (p *helpPage) commands(c *cobra.Command) {
	var rows []helpRow
	for _, group := range c.Groups() {
		rows = append(rows, helpRow{group.Title, ""})
		for _, sub := range c.Commands() {
			if sub.GroupID == group.ID {
				rows = append(rows, helpRow{"  " + sub.Name(), inShort(sub.Short)})
			}
		}
	}
	p.rows("", rows)
}

// flags lists the flags of a command: the first ones in short, or all by their purposes, and the keys that they take.
func (p *helpPage) flags(c *cobra.Command, all bool) {
	if !all {
		var rows []helpRow
		for name := range strings.FieldsSeq(c.Annotations[firstFlags]) {
			f := c.Flags().Lookup(strings.TrimPrefix(name, "--"))
			_, text := pflag.UnquoteUsage(f)
			rows = append(rows, helpRow{flagHead(f), inShort(text)})
		}
		p.rows("Flags:", rows)
		return
	}
	for i, flags := range byPurpose(c.Flags()) {
		var rows []helpRow
		for _, f := range flags {
			rows = append(rows, helpRow{flagHead(f), flagText(f)})
		}
		p.rows(purposes[i].title+":", rows)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if k, ok := f.Value.(*keys); ok {
			var rows []helpRow
			k.set.VisitAll(func(f *pflag.Flag) { rows = append(rows, helpRow{"      " + keyHead(f), flagText(f)}) })
			p.rows("Keys of "+flagName(f)+":", rows)
		}
	})
}

// inShort returns the text up to its first punctuation mark: what follows are details.
func inShort(text string) string {
	short, _, _ := strings.Cut(text, " (")
	if end := strings.IndexAny(short, ",;:"); end >= 0 {
		short = short[:end]
	}
	return short
}

// shownFlags returns the names of the flags that are not hidden.
func shownFlags(flags *pflag.FlagSet) (names []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// helpRow is a name and what it is.
type helpRow struct{ head, text string }

// rows adds rows as two columns below a title. A row without a text is a title, too. The text stands below a name that is too long.
func (p *helpPage) rows(title string, rows []helpRow) {
	if len(rows) == 0 {
		return
	}
	if p.lines(""); title != "" {
		p.lines(title)
	}
	column := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.head) + 2; n <= min(flagColumn, p.width/2) && r.text != "" {
			column = max(column, n)
		}
	}
	rest := strings.Repeat(" ", max(column, 10))
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.head); r.text != "" && n+2 <= len(rest) {
			p.fill(r.text, r.head+rest[n:], rest)
			continue
		}
		p.lines(r.head)
		if r.text != "" {
			p.fill(r.text, rest, rest)
		}
	}
}

// flagHead returns a flag with its value, as in --interval TIME, or --json[=FILE] if the value
// is optional.
func flagHead(f *pflag.Flag) string {
	head := "      --" + f.Name
	if f.Shorthand != "" {
		head = "  -" + f.Shorthand + ", --" + f.Name
	}
	switch value := placeholder(f); {
	case value == "":
		return head
	case f.NoOptDefVal != "":
		return head + "[=" + value + "]"
	default:
		return head + " " + value
	}
}

// placeholder returns the word that stands for the value of a flag. It is empty for a flag
// without a value.
func placeholder(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	if word, found := map[string]string{"duration": "TIME", "int": "N", "float": "NUMBER"}[name]; found {
		return word
	}
	if strings.ToLower(name) == name && !strings.ContainsAny(name, "{}|/") {
		return strings.ToUpper(name)
	}
	return name
}

// flagText returns what a flag does, and its default unless the text already says it.
func flagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	if strings.Contains(text, "default:") || slices.Contains([]string{"", "0", "0s", "[]", "false", "true"}, f.DefValue) {
		return text
	}
	return fmt.Sprintf("%s (default: %s)", text, strings.Trim(f.DefValue, "[]"))
}

// group is a group of commands, or of flags.
type group struct {
	title string
	names []string
}

// purposes are the groups of flags. A flag has one purpose in all commands, but for those with [asFlag].
var groups, purposes = readGroups(commandsText), readGroups(purposesText)

func readGroups(text string) (all []group) {
	for block := range strings.SplitSeq(text, "\n\n") {
		title, names, _ := strings.Cut(block, "\n")
		all = append(all, group{title, strings.Fields(names)})
	}
	return all
}

// asFlag is the annotation of a flag that has the purpose of another one, because its name means something else in another command.
const asFlag = "purpose of"

// byPurpose returns the flags that are not hidden, in the order of their purposes.
func byPurpose(flags *pflag.FlagSet) [][]*pflag.Flag {
	groups := make([][]*pflag.Flag, len(purposes))
	flags.VisitAll(func(f *pflag.Flag) {
		if i := purposeOf(f); i >= 0 && !f.Hidden {
			groups[i] = append(groups[i], f)
		}
	})
	return groups
}

// purposeOf returns the index of the purpose of a flag, or -1.
func purposeOf(f *pflag.Flag) int {
	name := append(slices.Clone(f.Annotations[asFlag]), f.Name)[0]
	return slices.IndexFunc(purposes, func(p group) bool { return slices.Contains(p.names, name) })
}
