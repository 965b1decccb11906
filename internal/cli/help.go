package cli

import (
	"embed"
	"fmt"
	"io"
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
	leastText  = 40 // least width of a text beside a name; where there is less, the text stands below the name
)

// helpTexts has a file for each command: a line with its use, one with its purpose, its help, and
// its examples.
//
//go:embed help
var helpTexts embed.FS

// command returns the command with the texts of a file.
func command(name string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // a mistake in the command's constructor
	}
	use, rest, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	short, rest, _ := strings.Cut(rest, "\n\n")
	long, examples, _ := strings.Cut(rest, "\n\nExamples:\n")
	return &cobra.Command{Use: use, Short: short, Long: long, Example: examples, Args: args, RunE: run}
}

// setHelp makes all commands write help and usage in the width of the terminal. --help is short
// and fits a screen; --help-all has all that there is.
func setHelp(root *cobra.Command, s *Streams) {
	width := func() int {
		if s.OutWidth == 0 {
			return helpWidth
		}
		return max(leastHelp, s.OutWidth)
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		c.InitDefaultHelpFlag()
		if all, err := c.Flags().GetBool(helpAll); err != nil || all {
			writeHelp(c.OutOrStdout(), c, width())
			return
		}
		writeShortHelp(c.OutOrStdout(), c, width())
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		writeUsage(c.OutOrStdout(), c, width())
		return nil
	})
}

// helpAll is the flag for all of the help.
const helpAll = "help-all"

// addHelpFlags adds --help and --help-all.
func addHelpFlags(c *cobra.Command) {
	f := c.Flags()
	f.BoolP("help", "h", false, "show the help that most users need first")
	f.Bool(helpAll, false, "show all of the help")
	flag := f.Lookup(helpAll)
	flag.Value = &allHelp{flag.Value, f}
}

// allHelp is the value of --help-all. It also sets --help, where cobra looks for it before the
// arguments are checked.
type allHelp struct {
	pflag.Value
	f *pflag.FlagSet
}

// Set implements [pflag.Value].
func (h *allHelp) Set(text string) error {
	if err := h.Value.Set(text); err != nil || h.String() != "true" {
		return err
	}
	return h.f.Set("help", "true")
}

// writeHelp writes all of the help of a command.
func writeHelp(w io.Writer, c *cobra.Command, width int) {
	text := c.Long
	if text == "" {
		text = c.Short
	}
	fmt.Fprintf(w, "%s\n\n", textwrap.Reflow(text, width))
	writeUsage(w, c, width)
}

// shortExamples is the number of examples in the short help.
const shortExamples = 3

// writeShortHelp writes what a command does, its first examples and its first flags.
func writeShortHelp(w io.Writer, c *cobra.Command, width int) {
	printLines(w, textwrap.Fill(c.Short+".", "", "", width))
	fmt.Fprintln(w)
	writeUsageLine(w, c, width)
	examples := strings.Split(c.Example, "\n")
	writeExamples(w, firstExamples(examples), width)
	writeCommands(w, c, width)
	var rows []helpRow
	for _, name := range first[c.Name()] {
		if f := c.Flags().Lookup(name); f != nil {
			_, text := pflag.UnquoteUsage(f)
			rows = append(rows, helpRow{flagHead(f), inShort(text)})
		}
	}
	if len(rows) > 0 {
		fmt.Fprintln(w, "\nFlags:")
		writeRows(w, rows, width)
	}
	fmt.Fprintln(w)
	printLines(w, textwrap.Fill(moreHelp(c), "", "", width))
}

// firstExamples returns the lines of the first examples. A line that ends with a backslash is
// continued.
func firstExamples(lines []string) []string {
	whole := 0
	for i, line := range lines {
		if !strings.HasSuffix(line, "\\") {
			whole++
		}
		if whole == shortExamples {
			return lines[:i+1]
		}
	}
	return lines
}

// inShort returns the text up to its first punctuation mark: what follows are details.
func inShort(text string) string {
	short, _, _ := strings.Cut(text, " (")
	if end := strings.IndexAny(short, ",;:"); end >= 0 {
		short = short[:end]
	}
	return short
}

// moreHelp says where the rest of the help is.
func moreHelp(c *cobra.Command) string {
	if c.HasAvailableSubCommands() {
		return fmt.Sprintf("%q shows the help of a command, %q all of it.", c.CommandPath()+" COMMAND --help", "--help-all")
	}
	return fmt.Sprintf("%q says more, with all %d flags.", c.CommandPath()+" --"+helpAll, len(shownFlags(c.Flags())))
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

// helpWriter keeps the first error of writing help, which cobra does not return.
type helpWriter struct {
	w   io.Writer
	err error
}

// Write implements [io.Writer].
func (h *helpWriter) Write(b []byte) (int, error) {
	if h.err != nil {
		return 0, h.err
	}
	n, err := h.w.Write(b)
	h.err = err
	return n, err
}

// writeUsage writes what stands below the description of a command in the full help.
func writeUsage(w io.Writer, c *cobra.Command, width int) {
	writeUsageLine(w, c, width)
	writeExamples(w, strings.Split(c.Example, "\n"), width)
	writeCommands(w, c, width)
	for i, flags := range byPurpose(c.Flags()) {
		var rows []helpRow
		for _, f := range flags {
			rows = append(rows, helpRow{flagHead(f), flagText(f)})
		}
		if len(rows) > 0 {
			fmt.Fprintf(w, "\n%s:\n", purposes[i].title)
			writeRows(w, rows, width)
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if k, ok := f.Value.(*keys); ok {
			rows := []helpRow{}
			k.set.VisitAll(func(f *pflag.Flag) { rows = append(rows, helpRow{"      " + keyHead(f), flagText(f)}) })
			fmt.Fprintf(w, "\nKeys of %s:\n", flagName(f))
			writeRows(w, rows, width)
		}
	})
	if c.HasAvailableSubCommands() {
		fmt.Fprintln(w)
		printLines(w, textwrap.Fill(moreHelp(c), "", "", width))
	}
}

func writeUsageLine(w io.Writer, c *cobra.Command, width int) {
	fmt.Fprintln(w, "Usage:")
	switch {
	case c.HasAvailableSubCommands():
		fmt.Fprintf(w, "  %s COMMAND\n", c.CommandPath())
	default:
		printLines(w, textwrap.Fill(c.UseLine(), "  ", "    ", width))
	}
}

func writeExamples(w io.Writer, lines []string, width int) {
	if len(lines) == 0 || lines[0] == "" {
		return
	}
	fmt.Fprintln(w, "\nExamples:")
	for _, line := range lines {
		printLines(w, textwrap.Command(line, width))
	}
}

// writeCommands lists the commands below c by their groups.
func writeCommands(w io.Writer, c *cobra.Command, width int) {
	if !c.HasAvailableSubCommands() {
		return
	}
	fmt.Fprintln(w)
	var rows []helpRow
	for _, group := range c.Groups() {
		rows = append(rows, helpRow{group.Title, ""})
		for _, sub := range c.Commands() {
			if sub.GroupID == group.ID && (sub.IsAvailableCommand() || sub.Name() == "help") {
				rows = append(rows, helpRow{"  " + sub.Name(), inShort(sub.Short)})
			}
		}
	}
	writeRows(w, rows, width)
}

func printLines(w io.Writer, lines []string) {
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
}

// helpRow is a name and what it is.
type helpRow struct{ head, text string }

// writeRows writes rows as two columns. A row without a text is a title. If a name is long or the terminal is narrow, the text
// stands below the name.
func writeRows(w io.Writer, rows []helpRow, width int) {
	column := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.head) + 2; n <= flagColumn && r.text != "" {
			column = max(column, n)
		}
	}
	below := width-column < leastText
	if below {
		column = min(column, 10)
	}
	rest := strings.Repeat(" ", column)
	for _, r := range rows {
		if r.text == "" { // a title
			fmt.Fprintln(w, r.head)
			continue
		}
		first := r.head + strings.Repeat(" ", max(0, column-utf8.RuneCountInString(r.head)))
		if below || utf8.RuneCountInString(r.head)+2 > column {
			fmt.Fprintln(w, r.head)
			first = rest
		}
		printLines(w, textwrap.Fill(r.text, first, rest, width))
	}
}

// flagHead returns a flag with its value, as in --interval TIME, or --json[=FILE] if the value
// is optional.
func flagHead(f *pflag.Flag) string {
	head := "      --"
	if f.Shorthand != "" {
		head = "  -" + f.Shorthand + ", --"
	}
	head += f.Name
	switch value := placeholder(f); {
	case value == "":
	case f.NoOptDefVal != "":
		head += "[=" + value + "]"
	default:
		head += " " + value
	}
	return head
}

// placeholder returns the word that stands for the value of a flag. It is empty for a flag
// without a value.
func placeholder(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	switch name {
	case "duration":
		return "TIME"
	case "int":
		return "N"
	case "float":
		return "NUMBER"
	}
	if strings.ToLower(name) == name && !strings.ContainsAny(name, "{}|/") {
		return strings.ToUpper(name)
	}
	return name
}

// flagText returns what a flag does, and its default unless the text already says it.
func flagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	switch {
	case strings.Contains(text, "default:"), f.DefValue == "", f.DefValue == "0", f.DefValue == "0s", f.DefValue == "[]", f.DefValue == "false", f.DefValue == "true":
		return text
	}
	return fmt.Sprintf("%s (default: %s)", text, f.DefValue)
}
