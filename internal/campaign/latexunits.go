package campaign

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// siNumber is a number, with or without a deviation, that package siunitx reads.
var siNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-?)([0-9]+)(?:\.([0-9]+))?(?: ± ([0-9]+)(?:\.([0-9]+))?)?$`)
})

// siFormat returns the table-format of a column of type S of siunitx: as many digits before and
// behind the point, and of the deviation, as the widest of its numbers has. It is empty for a
// column without numbers.
func (t *Table) siFormat(column int) string {
	sign, before, behind, deviation := "", 0, 0, 0
	for _, r := range t.Rows {
		m := siNumber().FindStringSubmatch(r.Cells[column].Text)
		if m == nil {
			continue
		}
		sign = cmp.Or(m[1], sign)
		before, behind, deviation = max(before, len(m[2])), max(behind, len(m[3])), max(deviation, len(m[4]))
	}
	if before == 0 {
		return ""
	}
	format := fmt.Sprintf("%s%d.%d", sign, before, behind)
	if deviation > 0 {
		format += fmt.Sprintf("(%d)", deviation+behind)
	}
	return format
}

// siSetup makes siunitx print deviations behind ±, and numbers in bold where the text is.
const siSetup = "\\sisetup{separate-uncertainty=true,detect-weight=true,mode=text}%\n"

// siCell returns a cell of a column of type S. What is no number is in braces.
func siCell(c *Cell) string {
	if !siNumber().MatchString(c.Text) {
		return "{" + emphasis(c, "\\textbf{", "}", latex) + "}"
	}
	text := strings.ReplaceAll(c.Text, "±", `\pm`)
	if c.Best {
		return `\bfseries ` + text
	}
	return text
}
