package campaign

import (
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
	sign, before, behind, deviation := t.siDigits(column)
	if before == 0 {
		return ""
	}
	format := fmt.Sprintf("%s%d.%d", sign, before, behind)
	if deviation > 0 {
		format += fmt.Sprintf("(%d)", deviation+behind)
	}
	return format
}

// siWidest returns a text as wide as a column of type S: each part of a number has its own place.
func (t *Table) siWidest(column int) string {
	sign, before, behind, deviation := t.siDigits(column)
	text := strings.Repeat("±", len(sign)) + strings.Repeat("0", before) + "." + strings.Repeat("0", behind) // a minus is as wide as ±
	if deviation > 0 {
		text += " ± " + strings.Repeat("0", deviation) + "." + strings.Repeat("0", behind)
	}
	return text
}

// withUnits returns the table as the options want its columns of numbers.
func (t *Table) withUnits(o LaTeX) *Table {
	out := *t
	out.units = o.SIunitx
	return &out
}

// siDigits returns the sign of a column of numbers, the digits before and behind the points, and
// those before the points of deviations.
func (t *Table) siDigits(column int) (sign string, before, behind, deviation int) {
	for _, r := range t.Rows {
		m := siNumber().FindStringSubmatch(r.Cells[column].Text)
		if m == nil {
			continue
		}
		if m[1] != "" {
			sign = m[1]
		}
		before, behind = max(before, len(m[2])), max(behind, len(m[3]))
		deviation = max(deviation, len(m[4]))
	}
	return sign, before, behind, deviation
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
