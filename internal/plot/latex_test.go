package plot_test

import (
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/plot"
	"mpanalyze/internal/testrun"
)

// TestWriteLaTeX: a narrow figure has the width of a column, and a wide one that of the text; the caption says what the figure shows,
// also where no title is drawn.
func TestWriteLaTeX(t *testing.T) {
	f := &plot.Figure{Title: "50 % of a_b → c", Caption: "means.", Notes: []string{"no cell", ""}, Panels: make([]plot.Panel, 1)}
	for _, c := range []struct {
		use, file string
		title     *string
		want      []string
	}{
		{"column", "a.pdf", nil, []string{`\begin{figure}`, `width=\columnwidth`, `]{a.pdf}`, `\label{fig:a}`, `\caption{50 \% of a\_b $\rightarrow$ c. Means. No cell.}`}},
		{"column", "a b_c.v1.png", new(""), []string{`{a b_c.v1.png}`, `\label{fig:a-b-c.v1}`, `\caption{50 \% of`}},
		{"page", "a.pdf", new("mine"), []string{`\begin{figure*}`, `width=\textwidth`, `\end{figure*}`, `\caption{Mine. Means. No cell.}`}},
		{"slide", "a.pdf", nil, []string{`\begin{figure}`, `width=\textwidth`}},
	} {
		o, err := plot.LayoutFor(c.use)
		assert.NilError(t, err)
		o.Title = c.title
		var b strings.Builder
		assert.NilError(t, f.WriteLaTeX(&b, c.file, o))
		assert.Check(t, strings.HasPrefix(b.String(), plot.LaTeXMark))
		for _, want := range c.want {
			assert.Check(t, is.Contains(b.String(), want), "%s, %s", c.use, c.file)
		}
	}
}

// TestLaTeXCompiles: pdflatex includes a figure of two pages, each with its caption.
func TestLaTeXCompiles(t *testing.T) {
	needs(t, "pdflatex", "texlive-latex-recommended")
	needs(t, "pdftotext", "poppler-utils")
	l := plot.Layer{Colour: color.NRGBA{A: 0xff}, XY: []plot.Coord{{X: 0}, {X: 1, Lo: 1, Hi: 1}}}
	f := &plot.Figure{Title: `A \ 100 % {x} $y_1$ #2 & ~^<>`, Caption: "the second → sentence"}
	for range 5 {
		f.Panels = append(f.Panels, plot.Panel{X: "x", Y: "y", Layers: []plot.Layer{l}})
	}
	o := plot.Layout{Size: plot.Size{Width: 8.8, Height: 8}}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	var pdf, tex strings.Builder
	assert.NilError(t, f.Write(&pdf, "pdf", o))
	assert.NilError(t, f.WriteLaTeX(&tex, "some figure_1.pdf", o))
	for name, text := range map[string]string{
		"some figure_1.pdf": pdf.String(), "figure.tex": tex.String(),
		"paper.tex": `\documentclass[twocolumn]{article}\usepackage{graphicx}\begin{document}\ref{fig:some-figure-1}, \ref{fig:some-figure-1-2}\input{figure}\end{document}`,
	} {
		assert.NilError(t, os.WriteFile(in(name), []byte(text), 0o600))
	}
	cmd := testrun.Command(t, "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	assert.NilError(t, err, "%s", out)
	assert.Check(t, !strings.Contains(string(out), "Overfull"), "%s", out)
	text, err := testrun.Command(t, "pdftotext", in("paper.pdf"), "-").Output()
	assert.NilError(t, err)
	for _, want := range []string{"Figure 1: A", "Figure 2: A", "Page 2 of 2."} {
		assert.Check(t, is.Contains(strings.Join(strings.Fields(string(text)), " "), want))
	}
}
