package hosts

import (
	"embed"
	"strings"
	"sync"
)

// tables has the tables of the package.
//
//go:embed *.txt
var tables embed.FS

// table returns the rows of a table: columns between tabs, where "-" is an empty one. A line that begins with "# "
// is a comment.
func table(name string) (rows [][]string) {
	text, err := tables.ReadFile(name)
	if err != nil {
		panic("hosts: " + err.Error()) // a test reads each table
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i := range row {
			if row[i] == "-" {
				row[i] = ""
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// choice is a row of a table of patterns.
type choice struct {
	word    string
	pattern lazily
}

// firstOf returns what finds the word of the first row of a table whose pattern a text has, empty if there is no such row.
// before and after stand around each pattern.
func firstOf(name, before, after string) func(text string) string {
	choices := sync.OnceValue(func() (all []choice) {
		for _, row := range table(name) {
			all = append(all, choice{row[0], pattern(before + row[1] + after)})
		}
		return all
	})
	return func(text string) string {
		for _, x := range choices() {
			if x.pattern().MatchString(text) {
				return x.word
			}
		}
		return ""
	}
}
