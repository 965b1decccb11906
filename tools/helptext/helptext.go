// Package helptext turns the help texts of commands into Markdown, so that man pages and the
// documentation site show lists as lists.
package helptext

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// Tree turns the long help of a command and of its subcommands into Markdown.
func Tree(c *cobra.Command) {
	c.Long = Markdown(c.Long)
	for _, sub := range c.Commands() {
		Tree(sub)
	}
}

// item is a line of a list in a help text: a name, a gap and what it means.
var item = regexp.MustCompile(`^  (\S+)  +(\S.*)$`)

// Markdown returns a help text as Markdown. Lines that begin with blanks become a list if each has
// a name and a meaning; a line that is indented further continues the entry before it. Other
// lines that begin with blanks are not changed.
func Markdown(text string) string {
	var out []string
	for _, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		for len(lines) > 0 {
			n := 0 // lines of one kind
			for n < len(lines) && strings.HasPrefix(lines[n], "  ") == strings.HasPrefix(lines[0], "  ") {
				n++
			}
			if strings.HasPrefix(lines[0], "  ") {
				out = append(out, indented(lines[:n]))
			} else {
				out = append(out, Escape(strings.Join(lines[:n], "\n")))
			}
			lines = lines[n:]
		}
	}
	return strings.Join(out, "\n\n")
}

// indented returns lines that begin with blanks as a list, or unchanged.
func indented(lines []string) string {
	var list []string
	for _, line := range lines {
		m := item.FindStringSubmatch(line)
		switch {
		case m != nil:
			list = append(list, "- `"+m[1]+"`: "+Escape(m[2]))
		case strings.HasPrefix(line, "    ") && len(list) > 0:
			list[len(list)-1] += " " + Escape(strings.TrimSpace(line))
		default:
			return "    " + strings.Join(lines, "\n    ")
		}
	}
	return strings.Join(list, "\n")
}

var special = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`")

// option is an option in running text.
var option = regexp.MustCompile(`(^|[\s(])(--[a-z][a-z0-9-]*)`)

// Escape escapes the characters of a text that have a meaning in Markdown, and shows options as
// code.
func Escape(text string) string { return option.ReplaceAllString(special.Replace(text), "$1`$2`") }
