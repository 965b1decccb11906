package plot

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/plaintext"
)

// LaTeXMark begins every file of [Figure.WriteLaTeX].
const LaTeXMark = "% A figure of mpanalyze"

// labelBreaks is what a label of LaTeX cannot have, or what packages give another meaning.
var labelBreaks = regexp.MustCompile(`[^A-Za-z0-9:.+-]+`)

// WriteLaTeX writes a float for LaTeX that includes a PDF or PNG of the figure with this name, a float for each page. Title, caption
// and notes of the figure are its caption. A figure as narrow as a column has the width of one; others have that of the text, and so
// stand across both columns if there are two. None is so high that its caption has no room.
func (f *Figure) WriteLaTeX(w io.Writer, name string, o Layout) error {
	title := cmp.Or(f.about, f.Title)
	if o.Title != nil {
		title = cmp.Or(*o.Title, title)
	}
	o.paged = strings.EqualFold(filepath.Ext(name), ".pdf")
	s, err := f.clean(&o).fit(&o)
	if err != nil {
		return err
	}
	float, width := "figure*", `\textwidth`
	switch {
	case o.Scale > 1: // slides have no columns
		float = "figure"
	case o.Width < columnWidth:
		float, width = "figure", `\columnwidth`
	}
	var b strings.Builder
	b.WriteString(LaTeXMark + `; needs \usepackage{graphicx}` + "\n")
	caption, label := append([]string{title, f.Caption}, f.Notes...), labelBreaks.ReplaceAllString(strings.TrimSuffix(name, filepath.Ext(name)), "-")
	for page := range s.pages() {
		part, at := "", ""
		if page > 0 {
			caption = []string{title, fmt.Sprintf("page %d of %d", page+1, s.pages())}
			part, at = fmt.Sprintf(",page=%d", page+1), fmt.Sprintf("-%d", page+1)
		}
		fmt.Fprintf(&b, figureFloat, float, width, part, name, sentences(caption), label+at)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// figureFloat is a float with a figure.
const figureFloat = `\begin{%[1]s}
\centering
\includegraphics[width=%[2]s,height=0.85\textheight,keepaspectratio%[3]s]{%[4]s}
\caption{%[5]s}
\label{fig:%[6]s}
\end{%[1]s}
`

// sentences returns texts as sentences in LaTeX: each begins with a capital letter and has a full stop.
func sentences(texts []string) string {
	var out []string
	for _, text := range texts {
		if text = strings.TrimRight(plaintext.Clean(text), ". "); text != "" {
			out = append(out, campaign.EscapeLaTeX(upperFirst(text))+".")
		}
	}
	return strings.Join(out, " ")
}
