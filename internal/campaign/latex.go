package campaign

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// LaTeX holds the options for a table in LaTeX.
type LaTeX struct {
	// Float is the environment of a table that is a float of its own, such as table*; empty for none.
	Float string
	// SIunitx aligns numbers at their points by columns of package siunitx.
	SIunitx bool
}

// packages returns the packages that the table needs.
func (o LaTeX) packages() (names []string) {
	names = []string{"booktabs", "graphicx"}
	if o.Float == "sidewaystable" {
		names = append(names, "rotating")
	}
	if o.SIunitx {
		names = append(names, "siunitx")
	}
	return names
}

// fitted begins the box that has LaTeX shrink a table to the width of the line. Only LaTeX knows that
// width and the typeface. A table that is narrower keeps its size.
const fitted = "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"

// WriteLaTeX writes a tabular environment for the package booktabs, with winners in bold and
// the notes as comments. LaTeX shrinks it where it is wider than the line.
func (t *Table) WriteLaTeX(w io.Writer, o LaTeX) error {
	var b strings.Builder
	b.WriteString("% needs \\usepackage{" + strings.Join(o.packages(), ",") + "}\n")
	caption := latex(t.latexCaption())
	if o.Float == "" {
		b.WriteString("\\noindent\n") // an indented line has no room for a table of its full width
	} else {
		b.WriteString("\\begin{" + o.Float + "}\n\\centering\n")
		if caption != "" {
			b.WriteString("\\caption{" + caption + "}\n")
		}
	}
	b.WriteString(fitted)
	t.tabular(&b, o.SIunitx)
	b.WriteString("}\n")
	if o.Float != "" {
		b.WriteString("\\end{" + o.Float + "}\n")
	} else if caption != "" {
		b.WriteString("\\par\\smallskip\\noindent{\\footnotesize " + caption + "\\par}\n")
	}
	for _, n := range t.Notes {
		b.WriteString("% " + printable(n) + "\n") // in one line
	}
	_, err := io.WriteString(w, b.String())
	return err
}

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

// tabular writes the environment. units makes columns of numbers those of siunitx.
func (t *Table) tabular(b *strings.Builder, units bool) {
	formats, types := make([]string, len(t.Columns)), strings.Repeat("l", len(t.Corner))
	if units {
		b.WriteString(siSetup)
	}
	for i := range formats {
		if units {
			formats[i] = t.siFormat(i)
		}
		if formats[i] == "" {
			types += "r"
		} else {
			types += "S[table-format=" + formats[i] + "]"
		}
	}
	b.WriteString("\\begin{tabular}{@{}" + types + "@{}}\n\\toprule\n")
	if t.hasUpperHeadings() {
		t.upperLine(b)
	}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = latex(c.Name)
		if formats[i] != "" {
			names[i] = "{" + names[i] + "}"
		}
	}
	latexLine(b, t.Corner, names)
	b.WriteString("\\midrule\n")
	for _, r := range t.Rows {
		cells := make([]string, len(r.Cells))
		for i := range r.Cells {
			if formats[i] == "" {
				cells[i] = emphasis(&r.Cells[i], "\\textbf{", "}", latex)
			} else {
				cells[i] = siCell(&r.Cells[i])
			}
		}
		latexLine(b, r.Heads, cells)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}")
}

// upperLine writes the upper headings, each with a rule over its columns.
func (t *Table) upperLine(b *strings.Builder) {
	var cells []string
	var rules strings.Builder
	for _, u := range t.upperHeadings() {
		cells = append(cells, fmt.Sprintf("\\multicolumn{%d}{c}{%s}", u.n, latex(u.text)))
		if u.text != "" {
			rules.WriteString(fmt.Sprintf("\\cmidrule(lr){%d-%d}", len(t.Corner)+u.from+1, len(t.Corner)+u.from+u.n))
		}
	}
	latexLine(b, make([]string, len(t.Corner)), cells)
	b.WriteString(rules.String() + "\n")
}

// latexLine writes a line of a tabular: names, and cells that are LaTeX already.
func latexLine(b *strings.Builder, heads, cells []string) {
	line := make([]string, 0, len(heads)+len(cells))
	for _, h := range heads {
		line = append(line, latex(h))
	}
	b.WriteString(strings.Join(append(line, cells...), " & ") + " \\\\\n")
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `%`, `\%`, `#`, `\#`, `_`, `\_`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, `<`, `\textless{}`, `>`, `\textgreater{}`,
	`±`, `$\pm$`, `²`, `$^2$`, "\n", " ", "\r", " ")

func latex(s string) string { return latexEscapes.Replace(printable(s)) }
