package hosts

import (
	"embed"
	"strings"
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
