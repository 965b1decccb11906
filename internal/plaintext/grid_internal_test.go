package plaintext

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/assert"
)

// TestGridTellsAll: at every width each cell is there, or a line says which column is
// not, and the width that the line names shows all.
func TestGridTellsAll(t *testing.T) {
	for _, fold := range []bool{false, true} {
		g := grid{fold: fold, columns: []column{
			{title: "path"}, {title: "count", right: true}, {title: "share", right: true, drop: 2}, {title: "state", drop: 3}, {title: "rate", right: true, drop: 1},
		}}
		if !fold {
			g.columns[0].least = 8
		}
		for i := range 4 {
			row := []string{fmt.Sprintf("2001:db8::%d-2001:db8:ffff::%d", i, i), fmt.Sprint(1000 + i), fmt.Sprint(2000 + i), fmt.Sprint("state", i), fmt.Sprint(3000 + i)}
			if i == 2 {
				row[0] = "" // of the row above
			}
			g.rows = append(g.rows, row)
		}
		for width := 14; width < 90; width++ {
			l := g.layout(width)
			text := strings.Join(append(l.header, l.rows...), "\n")
			note := l.note(width)
			for i, c := range g.columns {
				omitted := strings.Contains(note, c.title)
				if shown := strings.Contains(strings.Join(l.header, " "), c.title); shown == omitted {
					t.Errorf("width %d: column %s shown: %v, and left out: %v", width, c.title, shown, omitted)
				}
				for _, r := range g.rows {
					if !strings.Contains(text, r[i]) && !omitted && !(i == 0 && strings.Contains(note, "names are shortened")) {
						t.Errorf("width %d: %q is nowhere:\n%s\n%s", width, r[i], text, note)
					}
				}
			}
			if note == "" {
				continue
			}
			if n := g.layout(l.needs).note(l.needs); n != "" {
				t.Errorf("width %d: %q, but then: %q", width, note, n)
			}
			assert.Check(t, g.layout(l.needs-1).note(l.needs-1) != "" || fold, "width %d: %q, but one column less is enough", width, note)
		}
		for width := 30; width < 90; width++ { // wider than the narrowest table
			for _, line := range append(g.layout(width).header, g.layout(width).rows...) {
				if n := utf8.RuneCountInString(line); n > max(width, len("2001:db8::0-2001:db8:ffff::0")) {
					t.Errorf("fold %v, width %d: a line of %d", fold, width, n)
				}
			}
		}
	}
}
