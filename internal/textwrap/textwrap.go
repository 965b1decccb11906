package textwrap

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Fill returns text in lines of at most width characters; only a longer word makes a longer
// line. The first line begins with first, the others with rest. White space within text
// counts as one blank. Width 0 sets no limit. The result has at least one line.
func Fill(text, first, rest string, width int) (lines []string) {
	line, empty := first, true
	for word := range strings.FieldsSeq(text) {
		if !empty && width > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	return append(lines, line)
}

// Join joins parts of a text to lines, as many parts of it to each as fit. The blanks at the end of a
// line are left out. The result has at least one line.
func Join(parts []string, fits func(line string) bool) (lines []string) {
	line := ""
	for _, part := range parts {
		if line != "" && !fits(strings.TrimRight(line+part, " ")) {
			lines, line = append(lines, strings.TrimRight(line, " ")), ""
		}
		line += part
	}
	return append(lines, strings.TrimRight(line, " "))
}

// Reflow returns a text of paragraphs in lines of at most width characters. Consecutive
// lines are one paragraph, and are filled. A line that begins with a blank stays a line of
// its own, as in a list or a table. If it is too wide, it is broken, and its further lines
// are indented to its second column.
func Reflow(text string, width int) string {
	var out, paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			out = append(out, Fill(strings.Join(paragraph, " "), "", "", width)...)
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			end()
			out = append(out, "")
		case line[0] == ' ':
			end()
			out = append(out, item(line, width)...)
		default:
			paragraph = append(paragraph, line)
		}
	}
	end()
	return strings.Join(out, "\n")
}

// item breaks a line of a list: an indent, an optional name with two or more blanks behind
// it, and a text.
func item(line string, width int) []string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	body := strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	first, text, hang := line[:indent], body, indent+2
	if name, rest, found := strings.Cut(body, "  "); found && utf8.RuneCountInString(name) < width/2 {
		text = strings.TrimLeft(rest, " ")
		first = line[:len(line)-len(text)]
		hang = utf8.RuneCountInString(first)
	}
	return Fill(text, first, strings.Repeat(" ", hang), width)
}

// Command returns a shell command in lines of at most width characters. It is broken at
// blanks outside quotes, with a backslash at the end of each line except the last, so that
// it can be copied into a shell. A flag and its value stay on one line.
func Command(line string, width int) []string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	const quoted = `'[^']*'|"[^"]*"`
	const part = `(?:` + quoted + `|[^ '"])`
	words := regexp.MustCompile(`-` + part + `* (?:` + quoted + `|[^ '"|>-])` + part + `* *|` + part + `+ *`)
	body := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(body)]
	lines := Join(words.FindAllString(body, -1), func(l string) bool { return len(indent+"   \\")+utf8.RuneCountInString(l) <= width })
	return strings.Split(indent+strings.Join(lines, " \\\n"+indent+"  "), "\n")
}
