package cli

import (
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

// setHelp makes all commands write help and usage in the width of the terminal.
func setHelp(root *cobra.Command, s *Streams) {
	width := func() int {
		if s.OutWidth == 0 {
			return helpWidth
		}
		return max(leastHelp, s.OutWidth)
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		c.InitDefaultHelpFlag()
		text := c.Long
		if text == "" {
			text = c.Short
		}
		w := c.OutOrStdout()
		fmt.Fprintf(w, "%s\n\n", textwrap.Reflow(text, width()))
		writeUsage(w, c, width())
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		writeUsage(c.OutOrStdout(), c, width())
		return nil
	})
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

// writeUsage writes what stands below the description of a command.
func writeUsage(w io.Writer, c *cobra.Command, width int) {
	fmt.Fprintln(w, "Usage:")
	switch {
	case c.HasAvailableSubCommands():
		fmt.Fprintf(w, "  %s COMMAND\n", c.CommandPath())
	default:
		printLines(w, textwrap.Fill(c.UseLine(), "  ", "    ", width))
	}
	if c.Example != "" {
		fmt.Fprintln(w, "\nExamples:")
		for line := range strings.SplitSeq(c.Example, "\n") {
			printLines(w, textwrap.Command(line, width))
		}
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nCommands:")
		var rows []helpRow
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				rows = append(rows, helpRow{"  " + sub.Name(), sub.Short})
			}
		}
		writeRows(w, rows, width)
	}
	var rows []helpRow
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			rows = append(rows, helpRow{flagHead(f), flagText(f)})
		}
	})
	if len(rows) > 0 {
		fmt.Fprintln(w, "\nFlags:")
		writeRows(w, rows, width)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintln(w)
		printLines(w, textwrap.Fill(fmt.Sprintf("%q says more about a command.", c.CommandPath()+" COMMAND --help"), "", "", width))
	}
}

func printLines(w io.Writer, lines []string) {
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
}

// helpRow is a name and what it is.
type helpRow struct{ head, text string }

// writeRows writes rows as two columns. If a name is long or the terminal is narrow, the text
// stands below the name.
func writeRows(w io.Writer, rows []helpRow, width int) {
	column := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.head) + 2; n <= flagColumn {
			column = max(column, n)
		}
	}
	below := width-column < leastText
	if below {
		column = min(column, 10)
	}
	rest := strings.Repeat(" ", column)
	for _, r := range rows {
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
	case strings.Contains(text, "default:"), f.DefValue == "", f.DefValue == "0", f.DefValue == "0s", f.DefValue == "[]", f.DefValue == "false":
		return text
	}
	return fmt.Sprintf("%s (default: %s)", text, f.DefValue)
}
