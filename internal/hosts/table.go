package hosts

import (
	"embed"
	"slices"
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

// firstOf returns what finds the word of the first row of a table whose pattern a text has, empty if there is no such row.
// before and after stand around each pattern.
func firstOf(name, before, after string) func(text string) string {
	patterns := sync.OnceValue(func() (all []lazily) {
		for _, row := range table(name) {
			all = append(all, pattern(before+row[1]+after))
		}
		return all
	})
	return func(text string) string {
		i := slices.IndexFunc(patterns(), func(x lazily) bool { return x().MatchString(text) })
		if i < 0 {
			return ""
		}
		return table(name)[i][0]
	}
}
