package plot

import (
	"image/color"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// kernelName returns the name of a series of records without its unit, which is its last word.
func kernelName(name string) string {
	if campaign.KernelUnit(name) == "" {
		return name
	}
	return name[:strings.LastIndexByte(name, '_')]
}

// kernelMarks are the marks at the samples of the first and of the second series over a metric.
// The ring is the sign of no path.
var kernelMarks = [...]Mark{Ring, Cross}

// kernelKey is the entry of the legend for the first of these marks.
const kernelKey = "kernel (ss)"

// overlay returns what the kernel says of a metric, over the lines of the packets: the value of
// each sample up to the next one, a mark at each sample, and nothing beyond the last.
func (m *maker) overlay(name string) (out []Layer) {
	if !m.options.Kernel {
		return nil
	}
	for i, o := range evidence.Overlays(name) {
		key := kernelKey
		if i > 0 {
			key = "kernel: " + o.What
		}
		for _, r := range m.runs {
			for _, l := range r.series(o.Series) {
				out = append(out, m.kernelLayers(r, l, key, kernelMarks[i%len(kernelMarks)])...)
			}
		}
	}
	return out
}

// kernelLayers returns the line of a series of records, and the marks on it.
func (m *maker) kernelLayers(r *Run, l *timeline.Series, key string, mark Mark) []Layer {
	colour := palette.Total
	if l.Subflow != report.NoSubflow {
		colour = darker(m.looks.path(l.Path).colour)
	}
	name := strings.TrimSpace(key + " " + l.Path)
	line := Layer{Name: name, Shape: Steps, Colour: colour, Keys: []Key{}, XY: seconds(l.Points(m.columns))}
	if m.several { // the dashes of the scenario, without an entry in the legend
		line.Dash = m.looks.dashes[r.Scenario]
	}
	dots := samplesOf(&line, colour, key, mark)
	dots.Name = name
	return []Layer{line, dots}
}

// samplesOf returns the marks at the samples of a line, which have an entry of their own in the legend.
func samplesOf(line *Layer, colour color.NRGBA, key string, mark Mark) Layer {
	return Layer{Shape: Dots, Colour: colour, Mark: mark, XY: line.XY, Keys: []Key{{Name: key, Rank: ByMark, Shape: Dots, Colour: kernelGrey, Mark: mark}}}
}

// kernelGrey is the colour in which the legend shows marks of the kernel.
var kernelGrey = color.NRGBA{0x40, 0x40, 0x40, 0xff}

// markSamples adds the marks of samples to a panel of a series of records.
func (m *maker) markSamples(p *Panel) {
	for _, l := range p.Layers {
		p.Layers = append(p.Layers, samplesOf(&l, darker(l.Colour), kernelKey, kernelMarks[0]))
	}
}
