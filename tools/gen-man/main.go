// Command gen-man writes the man pages of mpanalyze, one per command, into a directory. A page is the
// text of --help-all, so the two always say the same, with the exit statuses and the environment.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/tools/helptext"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen-man DIR")
		os.Exit(1)
	}
	for _, c := range helptext.Commands() {
		page, err := page(c)
		if err == nil {
			err = os.WriteFile(filepath.Join(os.Args[1], name(c)+".1"), page, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "gen-man:", err)
			os.Exit(1)
		}
	}
}

func name(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// page returns the man page of a command. Equal sources give equal pages, so it has no date of today.
func page(c *cobra.Command) ([]byte, error) {
	var out bytes.Buffer
	help, err := helptext.All(c, 1<<20) // no line is broken
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&out, ".TH %s 1 2026-11-01 mpanalyze mpanalyze\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name(c)), text(name(c)), text(c.Short))
	about, usage, _ := strings.Cut(help, "\nUsage:\n")
	usage, rest, _ := strings.Cut(usage, "\n\n")
	fmt.Fprintf(&out, ".SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n", text(strings.TrimSpace(usage)))
	paragraphs(&out, about)
	examples := ""
	if c.Example != "" {
		examples, rest, _ = strings.Cut(rest, "\n\n")
	}
	if title := "OPTIONS"; strings.Contains(rest, ":\n") {
		if c.HasAvailableSubCommands() {
			title = "COMMANDS"
		}
		fmt.Fprintf(&out, ".SH %s\n", title)
		rows(&out, rest)
	}
	if _, lines, ok := strings.Cut(examples, "Examples:\n"); ok {
		fmt.Fprintf(&out, ".SH EXAMPLES\n.nf\n%s\n.fi\n", text(lines))
	}
	out.WriteString(end)
	if c.HasParent() {
		out.WriteString(".SH SEE ALSO\n.BR mpanalyze (1)\n")
	}
	return out.Bytes(), nil
}

// row is a line of a list: a name and, behind two or more blanks, its text.
var row = regexp.MustCompile(`^\s+(\S.*?)(?:  +(\S.*))?$`)

// rows writes the lists of a help text with their titles.
func rows(out *bytes.Buffer, help string) {
	open := false // a name waits for its text
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		m := row.FindStringSubmatch(line)
		switch {
		case line == "":
		case m == nil && strings.HasSuffix(line, ":"):
			fmt.Fprintf(out, ".SS %s\n", text(strings.TrimSuffix(line, ":")))
		case m == nil:
			fmt.Fprintf(out, ".PP\n%s\n", text(line))
		case open:
			fmt.Fprintln(out, text(strings.TrimSpace(line)))
			open = false
		default:
			fmt.Fprintf(out, ".TP\n.B %s\n", text(m[1]))
			if open = m[2] == ""; !open {
				fmt.Fprintln(out, text(m[2]))
			}
		}
	}
}

// paragraphs writes a description. Lines that begin with blanks stay as they are.
func paragraphs(out *bytes.Buffer, about string) {
	for i, p := range strings.Split(strings.TrimSpace(about), "\n\n") {
		if i > 0 {
			out.WriteString(".PP\n")
		}
		kept := false
		for line := range strings.SplitSeq(p, "\n") {
			if indented := strings.HasPrefix(line, " "); indented != kept {
				out.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[indented])
				kept = indented
			}
			fmt.Fprintln(out, text(line))
		}
		if kept {
			out.WriteString(".fi\n")
		}
	}
}

// text escapes what has a meaning in a man page.
func text(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
	return strings.ReplaceAll(strings.ReplaceAll("\n"+s, "\n.", "\n\\&."), "\n'", "\n\\&'")[1:]
}

// end stands at the end of each page: docs/messages.md has the details.
const end = `.SH EXIT STATUS
.TP
.B 0
Everything was read, and each check passed.
.TP
.B 1
Nothing could be analysed: a mistake in the command line, no such file, no capture.
.TP
.B 2
Analysed, but not all: a capture is cut or damaged, or reading was interrupted.
.TP
.B 3
A check failed: figures differ, got worse, or are beyond a limit.
.TP
.B 4
The program itself failed: no memory, no file descriptor, or a fault of its own.
.TP
.B 5
It cannot be told what a check asks: too few runs, or a figure is absent.
.TP
.B 75
Of task: a run could not be read, for a reason that may pass.
.SH ENVIRONMENT
.TP
.B COLUMNS
Width of the output, in place of that of the terminal.
.TP
.B NO_COLOR
No colours, whatever its value (unless \-\-color always).
.TP
.B TERM
No colours if it is dumb.
.TP
.B TMPDIR
Directory of temporary files.
.TP
.B XDG_CACHE_HOME
Directory of the cache of compare; default: ~/.cache.
.TP
.B GOMAXPROCS
Number of processors that are used; default: all.
`
