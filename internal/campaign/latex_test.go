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
	if !testrun.All() {
		t.Skip("not asked for: " + testrun.Variable + "=all has pdflatex set the tables")
	}
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("pdflatex is not installed: the packages texlive-latex-base and texlive-latex-recommended have it")
	}
	dir := t.TempDir()
	document := "\\documentclass[a4paper," + class + "]{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{booktabs,graphicx,rotating}\n\\begin{document}\n" + body + "\n\\end{document}\n"
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(document), 0o600))
	cmd := testrun.Command(t, pdflatex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
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
		{"onecolumn", "", `\noindent`}, {"twocolumn", "", `\noindent`}, {"twocolumn", "table*", `\begin{table*}`}, {"onecolumn", "sidewaystable", `\begin{sidewaystable}`},
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
		text := strings.TrimSpace(latexOf(t, &Table{Corner: []string{name}, Columns: []Column{{Name: "a"}}}, LaTeX{})) // a line's end is a blank
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

// TestSIunitx: a column has room for its widest number and deviation; what is no number is in
// braces.
func TestSIunitx(t *testing.T) {
	table := &Table{
		Corner: []string{"metric"}, Columns: []Column{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Rows: []Row{
			{Heads: []string{"x"}, Cells: []Cell{{Text: "67.25 ± 2.24"}, {Text: "12", Best: true}, {Text: "better"}}},
			{Heads: []string{"y"}, Cells: []Cell{{Text: "-4.876 ± 18.758", Best: true}, {}, {Text: "~"}}},
		},
	}
	text := latexOf(t, table, LaTeX{SIunitx: true})
	for _, want := range []string{
		`% needs \usepackage{booktabs,graphicx,siunitx}`,
		`{@{}lS[table-format=-2.3(5)]S[table-format=2.0]r@{}}`, // 2 digits and 3 decimals of the deviation
		`metric & {a} & {b} & c \\`,
		`x & 67.25 \pm 2.24 & \bfseries 12 & better \\`,
		`y & \bfseries -4.876 \pm 18.758 & {-} & \textasciitilde{} \\`,
	} {
		assert.Check(t, strings.Contains(text, want), "no %s in\n%s", want, text)
	}
}
