// Package helptext makes Markdown of the help texts of commands, so that man pages and the
// documentation site show lists as lists.
package helptext

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// Tree makes Markdown of the long help of a command and of those below it.
func Tree(c *cobra.Command) {
	c.Long = Markdown(c.Long)
	for _, sub := range c.Commands() {
		Tree(sub)
	}
}

// item is a line of a list in a help text: a name, a gap and what it means.
var item = regexp.MustCompile(`^  (\S+)  +(\S.*)$`)

// Markdown returns a help text as Markdown. Lines that begin with blanks are a list where
// each has a name and a meaning, with lines that are indented further continuing one; else
// they stand as they are.
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

// indented returns lines that begin with blanks as a list, or as they are.
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

// Escape keeps Markdown from taking characters of a text for its own, and shows options as code.
func Escape(text string) string { return option.ReplaceAllString(special.Replace(text), "$1`$2`") }
