package campaign

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// LaTeX holds the options for a table in LaTeX.
type LaTeX struct {
	// Float is the environment of the table: table, table* or sidewaystable; empty for [wideFrom] to decide, [NoFloat] for none.
	Float string
	// Caption stands before the words that explain the cells; empty for these alone.
	Caption string
	// Label names the table for \ref, behind "tab:"; empty for no label. Characters that a label cannot have become "-".
	Label string
}

// NoFloat is a table without a float: the user's document has one around it, with its own caption and label.
const NoFloat = "none"

// wideFrom is the number of columns from which on a table takes both columns of a page: letters of
// more columns in the 8.8 cm of one column of text are smaller than 6 points.
const wideFrom = 8

// fitted begins the box that has LaTeX shrink a table to the width of the line. Only LaTeX knows that
// width and the typeface. A table that is narrower keeps its size.
const fitted = "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"

// labelBreaks is what a label of LaTeX cannot have, or what packages give another meaning.
var labelBreaks = regexp.MustCompile(`[^A-Za-z0-9:.+-]+`)

// WriteLaTeX writes a float with a tabular environment for the package booktabs, with winners in bold
// and the notes as comments. LaTeX shrinks it where it is wider than the line.
func (t *Table) WriteLaTeX(w io.Writer, o LaTeX) error {
	float := o.Float
	if float == "" {
		float = "table"
		if len(t.Corner)+len(t.Columns) >= wideFrom {
			float = "table*"
		}
	}
	var b strings.Builder
	b.WriteString("% needs \\usepackage{booktabs,graphicx}")
	if float == "sidewaystable" {
		b.WriteString(" and \\usepackage{rotating}")
	}
	caption, end := EscapeLaTeX(t.latexCaption(o.Caption)), "}\n"
	if float == NoFloat {
		b.WriteString("\n\\noindent\n") // an indented line has no room for a table of its full width
		if caption != "" {
			end += "\\par\\smallskip\\noindent{\\footnotesize " + caption + "\\par}\n"
		}
	} else {
		b.WriteString("\n\\begin{" + float + "}\n\\centering\n\\caption{" + caption + "}\n")
		if o.Label != "" {
			b.WriteString("\\label{tab:" + labelBreaks.ReplaceAllString(o.Label, "-") + "}\n")
		}
		end += "\\end{" + float + "}\n"
	}
	b.WriteString(fitted)
	t.tabular(&b)
	b.WriteString(end)
	for _, n := range t.Notes {
		b.WriteString("% " + printable(n) + "\n") // in one line
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// latexCaption explains the cells, and bold print, behind the words of the user. Tables of ranks explain
// theirs in notes.
func (t *Table) latexCaption(words string) string {
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
	return joined(strings.TrimSuffix(words, "."), cmp.Or(caption, strings.Join(t.Notes, "; ")))
}

// anyUnknown reports whether a cell has the mark of [CannotTell].
func (t *Table) anyUnknown() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return strings.Contains(c.Text, unknown) })
	})
}

// tabular writes the environment.
func (t *Table) tabular(b *strings.Builder) {
	b.WriteString("\\begin{tabular}{@{}" + strings.Repeat("l", len(t.Corner)) + strings.Repeat("r", len(t.Columns)) + "@{}}\n\\toprule\n")
	if t.hasUpperHeadings() {
		t.upperLine(b)
	}
	for i, line := range t.grid(EscapeLaTeX, lower, func(c *Cell) string { return emphasis(c, "\\textbf{", "}", EscapeLaTeX) }) {
		latexLine(b, line)
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}")
}

// upperLine writes the upper headings, each with a rule over its columns.
func (t *Table) upperLine(b *strings.Builder) {
	cells := make([]string, len(t.Corner))
	var rules strings.Builder
	for _, u := range t.upperHeadings() {
		cells = append(cells, fmt.Sprintf("\\multicolumn{%d}{c}{%s}", u.n, EscapeLaTeX(u.text)))
		if u.text != "" {
			rules.WriteString(fmt.Sprintf("\\cmidrule(lr){%d-%d}", len(t.Corner)+u.from+1, len(t.Corner)+u.from+u.n))
		}
	}
	latexLine(b, cells)
	b.WriteString(rules.String() + "\n")
}

// latexLine writes a line of a tabular, of cells that are LaTeX already.
func latexLine(b *strings.Builder, cells []string) {
	b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
}

// latexSigns are characters with a meaning in LaTeX, and commands for characters that pdflatex, or
// the usual typeface of xelatex and lualatex, does not have.
var latexSigns = strings.Fields(`
\ \textbackslash{} { \{ } \} $ \$ & \& % \% # \# _ \_ ~ \textasciitilde{} ^ \textasciicircum{} < \textless{} > \textgreater{}
± $\pm$ × $\times$ ÷ $\div$ ≤ $\leq$ ≥ $\geq$ ≠ $\neq$ ≈ $\approx$ ∞ $\infty$ ∑ $\sum$ √ $\surd$ µ $\mu$ ′ $'$ ″ $''$ « $\ll$ » $\gg$
← $\leftarrow$ → $\rightarrow$ ↔ $\leftrightarrow$ ⇒ $\Rightarrow$ ¹ $^1$ ² $^2$ ³ $^3$
₀ $_0$ ₁ $_1$ ₂ $_2$ ₃ $_3$ ₄ $_4$ ₅ $_5$ ₆ $_6$ ₇ $_7$ ₈ $_8$ ₉ $_9$
α $\alpha$ β $\beta$ γ $\gamma$ δ $\delta$ ε $\varepsilon$ ζ $\zeta$ η $\eta$ θ $\theta$ ι $\iota$ κ $\kappa$ λ $\lambda$ μ $\mu$
ν $\nu$ ξ $\xi$ ο $o$ π $\pi$ ρ $\rho$ σ $\sigma$ ς $\varsigma$ τ $\tau$ υ $\upsilon$ φ $\varphi$ ϕ $\phi$ χ $\chi$ ψ $\psi$ ω $\omega$
Γ $\Gamma$ Δ $\Delta$ Θ $\Theta$ Λ $\Lambda$ Ξ $\Xi$ Π $\Pi$ Σ $\Sigma$ Υ $\Upsilon$ Φ $\Phi$ Ψ $\Psi$ Ω $\Omega$
Α A Β B Ε E Ζ Z Η H Ι I Κ K Μ M Ν N Ο O Ρ P Τ T Χ X`)

var latexEscapes = strings.NewReplacer(latexSigns...)

// otherScripts matches what pdflatex stops at: letters and signs beyond Latin that have no command
// above. It has those of Latin (with fontenc T1 all), dashes, quotation marks and the sign of the euro.
var otherScripts = regexp.MustCompile(`[^\x00-\x{17f}\x{2013}-\x{2026}€™]+`)

// EscapeLaTeX returns a text as LaTeX. The engines with Unicode, which have the primitive \Umathchar, print
// letters of every script that the typeface has; pdflatex prints a question mark.
func EscapeLaTeX(s string) string {
	return otherScripts.ReplaceAllString(latexEscapes.Replace(printable(s)), `\ifdefined\Umathchar $0\else ?\fi{}`)
}
