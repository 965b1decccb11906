package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// typeset has pdflatex set a document and returns what it reports of boxes that are wider than
// the text. It runs only if all tests are requested: the first run of pdflatex may make fonts,
// for minutes.
func typeset(t *testing.T, document string) (overfull []string) {
	t.Helper()
	if !testrun.All() {
		t.Skip("not asked for: " + testrun.Variable + "=all has pdflatex set the tables")
	}
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("pdflatex is not installed: the packages texlive-latex-base and texlive-latex-recommended have it")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := testrun.Command(t, pdflatex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "Overfull \\hbox") {
			overfull = append(overfull, strings.TrimSpace(line))
		}
	}
	return overfull
}

const (
	preamble = "\\documentclass[a4paper]{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{booktabs,rotating}\n\\begin{document}\n"
	end      = "\n\\end{document}\n"
)

// TestLaTeXCompiles sets the golden table with pdflatex, as a paper would.
func TestLaTeXCompiles(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("testdata", "fi23.tex.golden"))
	if err != nil {
		t.Fatal(err)
	}
	if over := typeset(t, preamble+"\\begin{table}\n\\centering\n"+string(table)+"\\end{table}"+end); len(over) > 0 {
		t.Errorf("too wide: %q", over)
	}
}

// twelve is a study of 3 schedulers and 4 congestion controls over two paths.
func twelve(t *testing.T, paths [2]string) (*Result, *Layout) {
	runs := map[string][]session{}
	var order []string
	for i, scheduler := range []string{"minrtt", "roundrobin", "redundant"} {
		for k, cc := range []string{"LIA", "OLIA", "BALIA", "wVegas"} {
			name := scheduler + "/" + cc
			order, runs[name] = append(order, name), spread(5, float64(10+20*i+5*k))
			for r := range runs[name] {
				for p := range runs[name][r].paths {
					runs[name][r].paths[p].label = paths[p]
				}
			}
		}
	}
	s := campaignOf(t, order, runs)
	l := s.Paper("fi23", report.B2A)
	return result(s, l.Figures), l
}

// Names of paths: those of users, and those of paths without a label.
var labels, addresses = [2]string{"wifi", "LTE"}, [2]string{"192.168.10.10-203.0.113.77", "192.168.11.10-203.0.113.77"}

// TestTwelveScenariosFit: FI23's table of 12 scenarios fits into the text of an A4 page,
// and into a column of two, in every form, by what pdflatex says of its boxes.
func TestTwelveScenariosFit(t *testing.T) {
	const column = 252 // pt, of IEEE's two-column class
	for _, c := range []struct {
		name      string
		style     Style
		transpose bool
		o         LaTeX
		panels    [2]int // that the table is cut into with labels and with addresses
	}{
		{"as it is", Style{}, false, LaTeX{}, [2]int{4, 4}},
		{"in landscape", Style{}, false, LaTeX{Landscape: true}, [2]int{3, 3}},
		{"transposed, in landscape", Style{}, true, LaTeX{Landscape: true}, [2]int{2, 2}},
		{"integers, transposed", Style{Digits: 1, NoSpread: true}, true, LaTeX{}, [2]int{2, 2}},
		{"integers, in landscape", Style{Digits: 1, NoSpread: true}, false, LaTeX{Landscape: true}, [2]int{1, 1}},
		{"integers", Style{Digits: 1, NoSpread: true}, false, LaTeX{}, [2]int{3, 3}},
		{"in a column", Style{Digits: 2, NoSpread: true}, true, LaTeX{Width: column}, [2]int{2, 3}},
		{"in a column as it is", Style{}, false, LaTeX{Width: column}, [2]int{6, 6}},
	} {
		for i, paths := range [][2]string{labels, addresses} {
			t.Run(c.name+" "+paths[1], func(t *testing.T) {
				r, l := twelve(t, paths)
				rows := *l
				rows.Style = c.style
				table := MetricTable(r, &rows)
				if c.transpose {
					table = table.Transpose()
				}
				var b bytes.Buffer
				if err := table.WriteLaTeX(&b, c.o); err != nil {
					t.Fatal(err)
				}
				if n := strings.Count(b.String(), "\\toprule"); n != c.panels[i] {
					t.Errorf("%d panels, want %d", n, c.panels[i])
				}
				if strings.Contains(b.String(), "resizebox") {
					t.Error("it is shrunk")
				}
				text := b.String()
				if c.o.Width > 0 {
					text = fmt.Sprintf("\\noindent\\begin{minipage}{%vpt}\n\\noindent %s\\end{minipage}", c.o.Width, text)
				} else if !c.o.Landscape {
					text = "\\noindent " + text
				}
				if over := typeset(t, preamble+text+end); len(over) > 0 {
					t.Errorf("too wide: %q\n%s", over, b.String())
				}
			})
		}
	}
}

// TestOverfullBoxesAreSeen: a table that is allowed more than the page has is reported, or
// the tests above could not fail.
func TestOverfullBoxesAreSeen(t *testing.T) {
	r, l := twelve(t, addresses)
	for _, landscape := range []bool{false, true} {
		var b bytes.Buffer
		if err := MetricTable(r, l).WriteLaTeX(&b, LaTeX{Width: 2000, Landscape: landscape}); err != nil {
			t.Fatal(err)
		}
		if len(typeset(t, preamble+b.String()+end)) == 0 {
			t.Errorf("no box is too wide, landscape %v", landscape)
		}
	}
}

// TestLaTeXLeastWidth: a width that no panel fits into is refused with the least that works;
// a millimetre less is refused too.
func TestLaTeXLeastWidth(t *testing.T) {
	_, r, rows := study(t)
	for _, o := range []LaTeX{{}, {Landscape: true}} {
		table := MetricTable(r, rows)
		o.Width = 1 * pointsPerCM
		err := table.WriteLaTeX(io.Discard, o)
		var cm float64
		if !errors.Is(err, ErrWidth) {
			t.Fatalf("%v, want that the table does not fit", err)
		}
		at := strings.Index(err.Error(), "the least that works is")
		if _, e := fmt.Sscanf(err.Error()[at:], "the least that works is %f cm", &cm); e != nil || cm <= 1 {
			t.Fatalf("%v: no least width", err)
		}
		o.Width = cm * pointsPerCM
		var b bytes.Buffer
		if err := table.WriteLaTeX(&b, o); err != nil || !strings.Contains(b.String(), "\\bottomrule") {
			t.Errorf("%.1f cm: %v", cm, err)
		}
		if over := table.fit(o.Width).wide(""); over > o.Width {
			t.Errorf("a panel of %.1f pt in %.1f pt", over, o.Width)
		}
		o.Width = (cm - 0.1) * pointsPerCM
		if err := table.WriteLaTeX(io.Discard, o); !errors.Is(err, ErrWidth) {
			t.Errorf("%.1f cm works too: %v", cm-0.1, err)
		}
	}
}

// TestLaTeXLongName: the name of a scenario may be of any length, as names are of whoever made the runs. A
// name without a place to break it is refused with a width, another one is broken; neither takes the
// square of its length.
func TestLaTeXLongName(t *testing.T) {
	const n = 100_000
	for name, want := range map[string]error{strings.Repeat("x", n): ErrWidth, strings.Repeat("x-", n/2): nil} {
		_, r, rows := study(t)
		table := MetricTable(r, rows)
		table.Columns[0].Name = name
		if err := table.WriteLaTeX(io.Discard, LaTeX{}); !errors.Is(err, want) {
			t.Errorf("%.4s...: %v, want %v", name, err, want)
		}
	}
}

// TestFloats: seven scenarios of two paths stand in one piece in a float: turned with their
// deviations, over two columns without them. pdflatex sets what is in the page of a journal.
func TestFloats(t *testing.T) {
	s := seven(t)
	r := result(s, s.Paper("fi23", report.B2A).Figures)
	for _, c := range []struct {
		style  Style
		o      LaTeX
		panels int
		begins string
	}{
		{Style{}, LaTeX{}, 3, `\begin{tabular}`},
		{Style{}, LaTeX{Landscape: true}, 1, `\begin{sidewaystable}`},
		{Style{NoSpread: true}, LaTeX{Wide: true}, 1, `\begin{table*}`},
	} {
		l := s.Paper("fi23", report.B2A)
		l.Style = c.style
		table := MetricTable(r, l).WithTests()
		if n := table.Panels(c.o); n != c.panels {
			t.Errorf("%+v: %d panels, want %d", c.o, n, c.panels)
		}
		var b bytes.Buffer
		if err := table.WriteLaTeX(&b, c.o); err != nil || !strings.Contains(b.String(), c.begins) || strings.Count(b.String(), `\toprule`) != c.panels {
			t.Errorf("%+v: %v\n%s", c.o, err, b.String())
		}
		t.Run(c.begins, func(t *testing.T) {
			text := strings.Replace(preamble, `\begin{document}`, "\\setlength{\\textwidth}{17.8cm}\\begin{document}\n", 1) + "\\noindent " + b.String() + end
			if over := typeset(t, text); len(over) > 0 {
				t.Errorf("too wide: %q", over)
			}
		})
	}
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
	var b bytes.Buffer
	if err := table.WriteLaTeX(&b, LaTeX{SIunitx: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`% needs \usepackage{booktabs} and \usepackage{siunitx}`,
		`{@{}lS[table-format=-2.3(5)]S[table-format=2.0]r@{}}`, // 2 digits and 3 decimals of the deviation
		`metric & {a} & {b} & c \\`,
		`x & 67.25 \pm 2.24 & \bfseries 12 & better \\`,
		`y & \bfseries -4.876 \pm 18.758 & {-} & \textasciitilde{} \\`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}
