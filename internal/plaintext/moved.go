package plaintext

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/overlay"
	"mpanalyze/internal/textwrap"
)

// moved writes which figures of a connection moved with series beside the capture: a line for each
// that did so beyond chance, and how many did not or could not be compared.
func (p *printer) moved(list []overlay.Moved) {
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].Series == list[0].Series {
			n++
		}
		p.movedWith(list[:n])
		list = list[n:]
	}
}

// movedWith writes the findings of one series.
func (p *printer) movedWith(list []overlay.Moved) {
	name := Clean(list[0].Series)
	if list[0].Unit != "" {
		name += " (" + Clean(list[0].Unit) + ")"
	}
	beyond, compared := 0, 0
	for i := range list {
		m := &list[i]
		if m.Unavailable == nil {
			compared++
		}
		if m.Beyond() {
			beyond++
			p.wrapped("", "  ", name+" moved with "+Moved(m))
		}
	}
	switch {
	case compared == 0:
		p.wrapped(dim, "  ", name+" is compared with nothing: "+reasonsOf(list))
		return
	case beyond == 0:
		p.wrapped(dim, "  ", fmt.Sprintf("%s moved with none of %s beyond chance", name, textwrap.Count(compared, "figure")))
	default:
		p.wrapped(dim, "  ", fmt.Sprintf("%s: %d of %s moved with it; one in 20 does so by chance, and a correlation is no cause", name, beyond, textwrap.Count(compared, "figure")))
	}
	if left := reasonsOf(list); left != "" {
		p.wrapped(dim, "  ", name+" is not compared with "+left)
	}
}

// fewFigures is the largest number of figures that a line names.
const fewFigures = 2

// largerBy is how much larger in size a correlation at a lag is than that without, for a line to
// name it. JSON has it always.
const largerBy = 0.05

// reasonsOf names the figures without a correlation, by reason.
func reasonsOf(list []overlay.Moved) string {
	var figures bykey.Lists[string]
	for i := range list {
		if why := list[i].Unavailable; why != nil {
			figures.Add(*why, figureOf(&list[i]))
		}
	}
	var reasons []string
	for _, why := range figures.Keys {
		what := strings.Join(figures.Of[why], ", ")
		if n := len(figures.Of[why]); n > fewFigures {
			what = fmt.Sprintf("%d figures", n)
		}
		reasons = append(reasons, what+": "+why)
	}
	return strings.Join(reasons, "; ")
}

// figureOf names the figure of a finding and what it is of.
func figureOf(m *overlay.Moved) string {
	text := m.Figure
	if m.Figure != "throughput" {
		text = "the share of " + text
	}
	text += " of " + string(m.Direction)
	if m.Subflow != nil {
		text += fmt.Sprintf(" on subflow %d (%s)", *m.Subflow, Clean(*m.Path))
	}
	return text
}

// Moved returns a line about a figure that has a correlation.
func Moved(m *overlay.Moved) string {
	text := fmt.Sprintf("%s: rank correlation %.2f, 95 %% %.2f to %.2f, in %s of %s s that tell as much as %.0f independent ones",
		figureOf(m), *m.Spearman, *m.Low, *m.High, textwrap.Count(m.Cells, "cell"), short(m.CellS), *m.Independent)
	switch {
	case math.Abs(*m.AtLag) < math.Abs(*m.Spearman)+largerBy:
	case *m.LagS > 0:
		text += fmt.Sprintf("; the largest is %.2f, where the figure follows by %s s", *m.AtLag, short(*m.LagS))
	case *m.LagS < 0:
		text += fmt.Sprintf("; the largest is %.2f, where the figure goes ahead by %s s", *m.AtLag, short(-*m.LagS))
	}
	return text
}

// short returns seconds with as few digits as they need.
func short(s float64) string { return strconv.FormatFloat(s, 'g', -1, 64) }
