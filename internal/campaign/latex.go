package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
)

// LaTeX holds the options for a table in LaTeX.
type LaTeX struct {
	// Width in pt that the table may take. 0 stands for the width of the text of LaTeX's class
	// article at 10 pt on A4, or for its height with Landscape.
	Width float64
	// Landscape makes the table a float on a page of its own, turned by 90 degrees.
	Landscape bool
	// Wide makes the table a float over both columns of a page, for 17.8 cm unless Width is set.
	Wide bool
	// SIunitx aligns numbers at their points by columns of package siunitx.
	SIunitx bool
}

// float returns the environment of a table that is a float of its own; empty for none.
func (o LaTeX) float() string {
	switch {
	case o.Landscape:
		return "sidewaystable"
	case o.Wide:
		return "table*"
	}
	return ""
}

// packages returns the packages that the table needs.
func (o LaTeX) packages() (names []string) {
	names = []string{"booktabs"}
	if o.Landscape {
		names = append(names, "rotating")
	}
	if o.SIunitx {
		names = append(names, "siunitx")
	}
	return names
}

// Width and height of the text of LaTeX's class article at 10 pt on A4, in pt.
const (
	textWidth  = 345
	textHeight = 598
	wideWidth  = 17.8 * pointsPerCM // of both columns of a journal
)

// room returns the width that a table may take, in pt.
func (o LaTeX) room() float64 {
	switch {
	case o.Width > 0:
		return o.Width
	case o.Landscape:
		return textHeight
	case o.Wide:
		return wideWidth
	}
	return textWidth
}

// fontSize is a font size, and the distance between columns that belongs to it.
type fontSize struct {
	command string  // empty for the size of the text
	scale   float64 // width of the letters, as a part of the width at 10 pt
	gap     float64 // tabcolsep, pt: half of the space between two columns
}

// fontSizes lists the sizes in the order in which they are tried; a table that does not fit in
// the smallest is cut.
var fontSizes = []fontSize{{"", 1, 6}, {`\small`, 0.925, 4}, {`\footnotesize`, 0.85, 3}}

// setting is the size, width and cut that were chosen for a table.
type setting struct {
	fontSize
	panels []*Table
	lead   float64 // largest width of the first column that names the rows, at 10 pt; 0 for no limit
	narrow bool    // headings are broken into lines
}

// WriteLaTeX writes a tabular environment for the package booktabs, with winners in bold and
// the notes as comments. It uses the largest of 10, 9 and 8 pt that fits, and breaks headings
// if 8 pt does not fit otherwise. If the table is still too wide, it is cut into panels, one
// below the other: papers do not take smaller letters. WriteLaTeX fails with [ErrWidth] if
// that does not fit either.
func (t *Table) WriteLaTeX(w io.Writer, o LaTeX) error {
	caption := t.latexCaption()
	under := caption
	if o.float() != "" { // the float has a caption of its own
		under = ""
	}
	t = t.withUnits(o)
	s := t.fit(o.room())
	if s.wide(under) > o.room() {
		return t.tooNarrow(o.room(), under)
	}
	var b strings.Builder
	var needs []string
	for _, p := range o.packages() {
		needs = append(needs, "\\usepackage{"+p+"}")
	}
	b.WriteString("% needs " + strings.Join(needs, " and ") + "\n")
	if float := o.float(); float != "" {
		b.WriteString("\\begin{" + float + "}\n\\centering\n")
		if caption != "" {
			b.WriteString("\\caption{" + latex(caption) + "}\n")
		}
		b.WriteString(s.command + "\\setlength{\\tabcolsep}{" + fmt.Sprint(s.gap) + "pt}\n")
		s.tabulars(&b, "")
		b.WriteString("\\end{" + float + "}\n")
	} else {
		if s.command != "" {
			fmt.Fprintf(&b, "{%s\\setlength{\\tabcolsep}{%vpt}%%\n", s.command, s.gap)
		}
		s.tabulars(&b, caption)
		if s.command != "" {
			b.WriteString("}\n")
		}
	}
	for _, n := range t.Notes {
		b.WriteString("% " + printable(n) + "\n") // in one line
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Panels returns how many panels the table is cut into.
func (t *Table) Panels(o LaTeX) int { return len(t.withUnits(o).fit(o.room()).panels) }

// latexCaption explains the cells, and bold print.
func (t *Table) latexCaption() string {
	best := slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Best })
	})
	caption := t.Caption
	if caption != "" && best {
		caption += "; bold: " + cmp.Or(t.Better, "better than all others") + " by more than noise"
	}
	if caption != "" && t.anyUnknown() {
		caption += "; " + unknown + ": too few runs to tell"
	}
	return caption
}

// anyUnknown reports whether a cell has the mark of [CannotTell].
func (t *Table) anyUnknown() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return strings.Contains(c.Text, unknown) })
	})
}

// fit chooses the font size and the panels.
func (t *Table) fit(room float64) *setting {
	for _, f := range fontSizes {
		s := &setting{fontSize: f, panels: []*Table{t}}
		if lead, cells := s.widths(t); s.total(lead)+s.total(cells)-2*f.gap <= room {
			return s
		}
	}
	if s := t.inOnePiece(room); s != nil {
		return s
	}
	s := &setting{fontSize: fontSizes[len(fontSizes)-1], narrow: true}
	lead, _ := s.widths(t)
	if over := s.total(lead) - room/2; over > 0 {
		s.lead = max(1, lead[0]-over/s.scale) // 0 is no limit
	}
	lead, cells := s.widths(t)
	cut := func(room float64) []*Table {
		return t.panels(room+2*s.gap, s.total(lead), func(i int) float64 { return s.total(cells[i : i+1]) })
	}
	s.panels = cut(room)
	for part := room / 2; part < room; part += room / 20 { // as many panels, but of nearly equal width
		if even := cut(part); len(even) == len(s.panels) {
			s.panels = even
			break
		}
	}
	return s
}

// leastLead is the least width to which the names of rows are broken so that a table need not be
// cut, at 10 pt.
const leastLead = 70

// tightSizes lists further sizes for floats that are wider than the text of a page, as wide tables
// of journals have them.
var tightSizes = []fontSize{{`\footnotesize`, 0.85, 2}, {`\scriptsize`, 0.8, 2}}

// inOnePiece returns a setting without panels in which the names of rows are broken into lines;
// nil if even that does not fit.
func (t *Table) inOnePiece(room float64) *setting {
	sizes := fontSizes[len(fontSizes)-1:]
	if room > textWidth {
		sizes = slices.Concat(sizes, tightSizes)
	}
	for _, f := range sizes {
		s := &setting{fontSize: f, panels: []*Table{t}, narrow: true}
		lead, cells := s.widths(t)
		over := s.total(lead) + s.total(cells) - 2*s.gap - room
		if over <= 0 {
			return s
		}
		if s.lead = lead[0] - over/s.scale; s.lead < leastLead {
			continue
		}
		if lead, cells = s.widths(t); s.total(lead)+s.total(cells)-2*s.gap <= room {
			return s // else a name has no place to break it
		}
	}
	return nil
}

// total returns the width of columns with the space beside them, in pt.
func (s *setting) total(columns []float64) (w float64) {
	for _, c := range columns {
		w += c*s.scale + 2*s.gap
	}
	return w
}

// widths returns the widths of the columns that name the rows, and of the others, at 10 pt.
func (s *setting) widths(t *Table) (lead, cells []float64) {
	lead, cells = make([]float64, len(t.Corner)), make([]float64, len(t.Columns))
	for i, h := range t.Corner {
		lead[i] = widest(s.leadLines(h, i))
		for _, r := range t.Rows {
			lead[i] = max(lead[i], widest(s.leadLines(r.Heads[i], i)))
		}
	}
	for i := range t.Columns {
		cells[i] = max(s.numbers(t, i), widest(s.nameLines(t, i)))
	}
	for _, u := range t.upperHeadings() {
		last := u.from + u.n - 1
		inside := s.inside(cells[u.from : last+1])
		cells[last] += max(0, widest(s.upperLines(u, inside))-inside)
	}
	return lead, cells
}

// leadLines breaks a row's name in the first column if the width of that column is limited.
func (s *setting) leadLines(text string, column int) []string {
	if s.lead == 0 || column > 0 {
		return []string{text}
	}
	return broken(text, s.lead)
}

// numbers returns the width of the widest cell of a column.
func (s *setting) numbers(t *Table, column int) (w float64) {
	for _, r := range t.Rows {
		c := &r.Cells[column]
		v := texWidth(c.Text)
		if c.Best {
			v *= boldPart
		}
		w = max(w, v)
	}
	if t.units {
		w = max(w, texWidth(t.siWidest(column))*boldPart)
	}
	return w
}

// nameLines breaks the heading of a column to the width of its numbers.
func (s *setting) nameLines(t *Table, column int) []string {
	if !s.narrow {
		return []string{t.Columns[column].Name}
	}
	return broken(t.Columns[column].Name, s.numbers(t, column))
}

// inside returns the width at 10 pt between the outer edges of columns.
func (s *setting) inside(cells []float64) (w float64) {
	for _, c := range cells {
		w += c
	}
	return w + 2*s.gap*float64(len(cells)-1)/s.scale
}

// upperLines breaks an upper heading to the width of its columns.
func (s *setting) upperLines(u upperHeading, inside float64) []string {
	if !s.narrow {
		return []string{u.text}
	}
	return broken(u.text, inside)
}

// tabulars writes the environments, one panel below the other. The caption is in lines below
// the last rows.
func (s *setting) tabulars(b *strings.Builder, caption string) {
	for i, p := range s.panels {
		if p.units {
			b.WriteString(siSetup)
		}
		fmt.Fprintf(b, "\\begin{tabular}{@{}%s%s@{}}\n\\toprule\n", strings.Repeat("l", len(p.Corner)), s.columnTypes(p))
		s.panel(b, p)
		b.WriteString("\\bottomrule\n")
		if i < len(s.panels)-1 {
			b.WriteString("\\end{tabular}\\\\[\\bigskipamount]\n")
			continue
		}
		if caption != "" {
			s.below(b, p, caption)
		}
		b.WriteString("\\end{tabular}\n")
	}
}

// columnTypes returns the types of the columns of numbers.
func (s *setting) columnTypes(t *Table) (types string) {
	for i := range t.Columns {
		if format := t.siFormat(i); t.units && format != "" {
			types += "S[table-format=" + format + "]"
		} else {
			types += "r"
		}
	}
	return types
}

// ErrWidth says that a table does not fit into its width.
var ErrWidth = errors.New("the table does not fit")

// pointsPerCM are pt of TeX in a centimetre.
const pointsPerCM = 72.27 / 2.54

// tooNarrow returns an error with the smallest width that works, in whole millimetres.
func (t *Table) tooNarrow(room float64, caption string) error {
	fits := func(mm int) bool {
		room := float64(mm) / 10 * pointsPerCM
		return t.fit(room).wide(caption) <= room
	}
	least := int(room/pointsPerCM*10) + 1
	most := least
	for !fits(most) { // a name may be long
		most *= 2
	}
	least += sort.Search(most-least, func(more int) bool { return fits(least + more) })
	return fmt.Errorf("%w into a width of %.1f cm: the least that works is %.1f cm", ErrWidth, room/pointsPerCM, float64(least)/10)
}

// wide returns the width of the widest panel and of the caption below the last, in pt.
func (s *setting) wide(caption string) (w float64) {
	for i, p := range s.panels {
		lead, cells := s.widths(p)
		inside := s.total(lead) + s.total(cells) - 2*s.gap
		if w = max(w, inside); i == len(s.panels)-1 && caption != "" {
			_, scale := s.captionSize()
			w = max(w, scale*widest(broken(caption, inside/scale)))
		}
	}
	return w
}

// captionSize returns the command for the font size of the caption below the last panel, and
// the width of its letters as a part of the width at 10 pt.
func (s *setting) captionSize() (command string, scale float64) {
	if s.command == `\footnotesize` {
		return `\scriptsize`, 0.8
	}
	return `\footnotesize`, 0.85
}

// below writes the caption in lines that are no wider than the panel.
func (s *setting) below(b *strings.Builder, t *Table, caption string) {
	lead, cells := s.widths(t)
	size, scale := s.captionSize()
	for _, line := range broken(caption, (s.total(lead)+s.total(cells)-2*s.gap)/scale) {
		fmt.Fprintf(b, "\\multicolumn{%d}{@{}l@{}}{%s %s} \\\\\n", len(lead)+len(cells), size, latex(line))
	}
}

// panel writes headings and rows.
func (s *setting) panel(b *strings.Builder, t *Table) {
	line := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + " \\\\\n") }
	_, widths := s.widths(t)
	if t.hasUpperHeadings() {
		cells, rules := make([]string, len(t.Corner)), ""
		for _, u := range t.upperHeadings() {
			lines := s.upperLines(u, s.inside(widths[u.from:u.from+u.n]))
			cells = append(cells, fmt.Sprintf("\\multicolumn{%d}{c}{%s}", u.n, stacked("c", lines)))
			if u.text != "" {
				rules += fmt.Sprintf("\\cmidrule(lr){%d-%d}", len(t.Corner)+u.from+1, len(t.Corner)+u.from+u.n)
			}
		}
		line(cells)
		b.WriteString(rules + "\n")
	}
	var cells []string
	for i, h := range t.Corner {
		cells = append(cells, stacked("l", s.leadLines(h, i)))
	}
	for i := range t.Columns {
		name := stacked("r", s.nameLines(t, i))
		if t.units && t.siFormat(i) != "" {
			name = "{" + name + "}"
		}
		cells = append(cells, name)
	}
	line(cells)
	b.WriteString("\\midrule\n")
	for _, r := range t.Rows {
		cells = cells[:0]
		for i, h := range r.Heads {
			cells = append(cells, stacked("l", s.leadLines(h, i)))
		}
		for i := range r.Cells {
			if t.units && t.siFormat(i) != "" {
				cells = append(cells, siCell(&r.Cells[i]))
			} else {
				cells = append(cells, emphasis(&r.Cells[i], "\\textbf{", "}", latex))
			}
		}
		line(cells)
	}
}

// stacked sets lines one above the other.
func stacked(at string, lines []string) string {
	if len(lines) == 1 {
		return latex(lines[0])
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = latex(l)
	}
	return "\\shortstack[" + at + "]{" + strings.Join(out, `\\`) + "}"
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `%`, `\%`, `#`, `\#`, `_`, `\_`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, `<`, `\textless{}`, `>`, `\textgreater{}`,
	`±`, `$\pm$`, `²`, `$^2$`, "\n", " ", "\r", " ")

func latex(s string) string { return latexEscapes.Replace(printable(s)) }
