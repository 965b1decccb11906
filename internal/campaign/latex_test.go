package campaign

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// typeset has pdflatex set a document and returns what it says, with the boxes that are wider than
// the text. It runs only if all tests are requested: the first run of pdflatex may make fonts,
// for minutes.
func typeset(t *testing.T, class, body string) (said string) {
	t.Helper()
	return typesetBy(t, "pdflatex", class, body)
}

func typesetBy(t *testing.T, engine, class, body string) (said string) {
	t.Helper()
	if !testrun.All() {
		t.Skip("not asked for: " + testrun.Variable + "=all has LaTeX set the tables")
	}
	program, err := exec.LookPath(engine)
	if err != nil {
		t.Skip(engine + " is not installed: the packages texlive-latex-recommended, texlive-xetex and texlive-luatex have it")
	}
	dir := t.TempDir()
	document := "\\documentclass[a4paper," + class + "]{article}\n\\usepackage{booktabs,graphicx,rotating}\n\\begin{document}\n" + body + "\n\\end{document}\n"
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(document), 0o600))
	cmd := testrun.Command(t, program, "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	assert.Assert(t, err == nil, "%v\n%s", err, out)
	return string(out)
}

func latexOf(t *testing.T, table *Table, o LaTeX) string {
	t.Helper()
	var b bytes.Buffer
	assert.NilError(t, table.WriteLaTeX(&b, o))
	return b.String()
}

// TestLaTeXFits: a table of seven scenarios with deviations, which is wider than a page, fits into
// each place by what pdflatex says of its boxes, and does not without the box that fits it.
func TestLaTeXFits(t *testing.T) {
	s := seven(t)
	l := s.Paper("fi23", report.B2A)
	table := MetricTable(result(s, l.Figures), l).WithTests()
	for _, c := range []struct{ class, float, begins string }{
		{"onecolumn", NoFloat, `\noindent`}, {"twocolumn", NoFloat, `\noindent`}, {"twocolumn", "table", `\begin{table}`}, {"twocolumn", "table*", `\begin{table*}`}, {"onecolumn", "sidewaystable", `\begin{sidewaystable}`},
	} {
		t.Run(c.class+" "+c.float, func(t *testing.T) {
			text := latexOf(t, table, LaTeX{Float: c.float})
			assert.Check(t, strings.Contains(text, "\n"+c.begins+"\n") && strings.Count(text, `\toprule`) == 1, "want one table in %q:\n%s", c.begins, text)
			const tooWide = `Overfull \hbox`
			said := typeset(t, c.class, text)
			assert.Check(t, !strings.Contains(said, tooWide), "too wide:\n%s", said)
			said = typeset(t, c.class, strings.ReplaceAll(text, fitted, "\\mbox{%\n"))
			assert.Check(t, strings.Contains(said, tooWide), "not too wide in its full width:\n%s", said)
		})
	}
}

// TestLaTeXKeepsNarrowTables: a wide table takes the width of the line, and a narrow one its own.
func TestLaTeXKeepsNarrowTables(t *testing.T) {
	for name, wide := range map[string]bool{"metric": false, strings.Repeat("metric ", 30): true} {
		text := strings.TrimSpace(latexOf(t, &Table{Corner: []string{name}, Columns: []Column{{Name: "a"}}}, LaTeX{Float: NoFloat})) // a line's end is a blank
		full := strings.ReplaceAll(text, fitted, "\\mbox{%\n")
		said := typeset(t, "onecolumn", "\\sbox0{"+text+"}\\sbox2{"+full+"}\\typeout{WIDTHS \\number\\wd0, \\number\\wd2, \\number\\linewidth.}")
		var got, own, line int // in units of TeX, 65,536 to a pt
		_, widths, _ := strings.Cut(said, "WIDTHS ")
		_, err := fmt.Sscanf(widths, "%d, %d, %d.", &got, &own, &line)
		assert.Assert(t, err == nil, "no widths: %v\n%s", err, said)
		want := own
		if wide {
			want = line
		}
		assert.Check(t, max(got-want, want-got) <= 65_536 && wide == (own > line), "%.7s...: %v wide, want %v; in full %v, the line %v", name, got, want, own, line)
	}
}

// TestLaTeXLongName: the name of a scenario may be of any length, as names are of whoever made the
// runs. It is written in full.
func TestLaTeXLongName(t *testing.T) {
	_, r, rows := study(t)
	table := MetricTable(r, rows)
	for _, name := range []string{strings.Repeat("x", 100_000), strings.Repeat("x-", 50_000)} {
		table.Columns[0] = Column{Top: name, Name: name}
		assert.Check(t, is.Equal(strings.Count(latexOf(t, table, LaTeX{}), name), 2), "how often there is %.4s...", name)
	}
}

// TestLaTeXNoColumns: a table without figures that is transposed has names alone.
func TestLaTeXNoColumns(t *testing.T) {
	text := latexOf(t, &Table{Corner: []string{"scenario"}, Rows: []Row{{Heads: []string{"a"}}}}, LaTeX{})
	want := "{@{}l@{}}\n\\toprule\nscenario \\\\\n\\midrule\na \\\\\n\\bottomrule\n"
	assert.Check(t, strings.Contains(text, want), "no %q in\n%s", want, text)
}

// TestLaTeXLetters: signs and letters have commands that every engine has, other scripts a question
// mark under pdflatex alone.
func TestLaTeXLetters(t *testing.T) {
	for text, want := range map[string]string{
		"Größe Łódź 5 €":  "Größe Łódź 5 €",
		"α→Ω µs² τ₁ ζ′":   `$\alpha$$\rightarrow$$\Omega$ $\mu$s$^2$ $\tau$$_1$ $\zeta$$'$`,
		"Α_{x} 5% #1 $&~": `A\_\{x\} 5\% \#1 \$\&\textasciitilde{}`,
		"a\\b^c<d>":       `a\textbackslash{}b\textasciicircum{}c\textless{}d\textgreater{}`,
		"日本 5":            `\ifdefined\Umathchar 日本\else ?\fi{} 5`,
	} {
		assert.Check(t, is.Equal(EscapeLaTeX(text), want), "%s", text)
	}
}

// TestLaTeXEngines: three engines set a float with its caption, label and reference, with such letters
// everywhere, and no box is too wide.
func TestLaTeXEngines(t *testing.T) {
	const odd = "Größe Łódź µs² 5 € α→Ω τ₁ ζ′ 日本 a_b%"
	table := &Table{
		Corner: []string{odd}, Columns: []Column{{Top: odd, Name: odd}}, Caption: odd, Notes: []string{odd},
		Rows: []Row{{Heads: []string{odd}, Cells: []Cell{{Text: odd, Best: true}}}},
	}
	for _, engine := range []string{"pdflatex", "xelatex", "lualatex"} {
		t.Run(engine, func(t *testing.T) {
			said := typesetBy(t, engine, "twocolumn", latexOf(t, table, LaTeX{Caption: odd, Label: "a b"})+"\ref{tab:a-b}")
			assert.Check(t, !strings.Contains(said, `Overfull \hbox`), "too wide:\n%s", said)
		})
	}
}

// TestLaTeXFloat: a table of many columns takes the width of the page unless the user says otherwise.
// Without a float it has no label.
func TestLaTeXFloat(t *testing.T) {
	for _, c := range []struct {
		columns     int
		float, want string
	}{{wideFrom - 2, "", "table"}, {wideFrom - 1, "", "table*"}, {wideFrom, "table", "table"}, {2, "sidewaystable", "sidewaystable"}} {
		text := latexOf(t, &Table{Corner: []string{"metric"}, Columns: make([]Column, c.columns), Caption: "cells"}, LaTeX{Float: c.float, Caption: "My words.", Label: "a_b"})
		want := "\\begin{" + c.want + "}\n\\centering\n\\caption{My words; cells}\n\\label{tab:a-b}\n"
		assert.Check(t, strings.Contains(text, want) && strings.Contains(text, "\\end{"+c.want+"}\n"), "%d columns: no %q in\n%s", c.columns, want, text)
	}
	text := latexOf(t, &Table{Corner: []string{"rank"}, Notes: []string{"one", "two"}}, LaTeX{})
	assert.Check(t, strings.Contains(text, "\\caption{one; two}\n"), "%s", text)
	text = latexOf(t, &Table{Corner: []string{"metric"}, Caption: "cells"}, LaTeX{Float: NoFloat, Label: "a"})
	assert.Check(t, strings.Contains(text, "{\\footnotesize cells\\par}") && !strings.Contains(text, "label"), "%s", text)
}
