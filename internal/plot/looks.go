package plot

import (
	"image/color"
	"slices"
	"strings"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// faint is the colour of lines that are drawn for comparison only.
var faint = color.NRGBA{0x99, 0x99, 0x99, 0xff}

// neutral is the colour in which the legend shows dashes.
var neutral = color.NRGBA{0x66, 0x66, 0x66, 0xff}

// darker returns the colour for marks on lines of the same path.
func darker(c color.NRGBA) color.NRGBA {
	return color.NRGBA{c.R / 2, c.G / 2, c.B / 2, 0xff}
}

// tint returns a paler colour, for areas behind other parts.
func tint(c color.NRGBA) color.NRGBA {
	pale := func(v uint8) uint8 { return 0xff - (0xff-v)/2 }
	return color.NRGBA{pale(c.R), pale(c.G), pale(c.B), 0xff}
}

// looks knows how paths and scenarios look. Names decide this, not the order of runs, so a path
// or a scenario looks the same in all figures of a campaign.
type looks struct {
	order   []string       // of paths, as the reports have them
	paths   palette.Names  // numbers of paths
	names   palette.Names  // numbers of scenarios; with factors, of their last factors
	methods palette.Names  // numbers of the last factors, however many there are
	dashes  map[string]int // dashes of scenarios where colours stand for paths
	factors map[string]int // dashes of the factors before the last; nil if the names have no factors
	mixed   bool           // some panels show paths of scenarios, others scenarios alone
}

// newLooks returns the looks of the runs' paths and scenarios. further are names that the
// campaign has besides.
func newLooks(runs []*Run, further []string) *looks {
	k := &looks{}
	var paths, scenarios []string
	seen := map[string]bool{}
	for _, r := range runs {
		paths = append(paths, palette.PathsOf(r.Document)...)
		for i := range r.Document.Connections {
			for j := range r.Document.Connections[i].Subflows {
				if p := r.Document.Connections[i].Subflows[j].Path; !seen[p] {
					k.order, seen[p] = append(k.order, p), true
				}
			}
		}
		scenarios = append(scenarios, r.Scenario)
	}
	k.dashes, k.factors = counted(scenarios), factorsOf(scenarios)
	k.paths, k.names = palette.Numbered(slices.Concat(paths, further)), palette.Numbered(slices.Concat(scenarios, further))
	for i := range scenarios {
		_, scenarios[i] = parts(scenarios[i])
	}
	if k.methods = palette.Numbered(slices.Concat(scenarios, further)); k.factors != nil {
		k.names = k.methods
	}
	return k
}

// counted numbers names in the order of the alphabet.
func counted(names []string) map[string]int {
	out := map[string]int{}
	for _, n := range slices.Compact(slices.Sorted(slices.Values(names))) {
		out[n] = len(out)
	}
	return out
}

// look is how the layers of a path or a scenario look.
type look struct {
	number int // decides the colour and, where lines have signs, the sign
	colour color.NRGBA
	dash   int
}

func lookOf(number int) look { return look{number, palette.Of(number), number / palette.Colours} }

// path returns the look of a path.
func (k *looks) path(name string) look { return lookOf(k.paths.Number(name)) }

// method returns the look of the last factor of scenarios' names.
func (k *looks) method(name string) look { return lookOf(k.methods.Number(name)) }

// scenario returns the look of a scenario in a panel without paths. If other panels have paths,
// colours stand for paths only, and the dashes are the same as there. If the names of scenarios
// have factors, the last factor decides the colour, the others the dashes.
func (k *looks) scenario(name string) look {
	if k.mixed {
		return look{noSign, palette.Total, k.dashes[name]}
	}
	rest, last := parts(name)
	if k.factors == nil {
		rest, last = "", name
	}
	out := lookOf(k.names.Number(last))
	out.dash += k.factors[rest]
	return out
}

// stripes returns the dashes for an area with this look. Areas of some colours have stripes, so
// that they differ in grey print.
func (a look) stripes() int {
	if palette.Striped(a.number) {
		return 2*a.dash + 1
	}
	return 2 * a.dash
}

// wear gives a layer a look. Several lines also have signs, so that they differ in grey print.
func (l *Layer) wear(a look) {
	l.Colour, l.Dash = a.colour, a.dash
	switch {
	case l.Shape == Bars:
		l.Dash = a.stripes()
	case (l.Shape == Line || l.Shape == Steps) && a.number != noSign:
		l.Sign = 1 + a.number%len(signs)
	}
}

// layer makes a layer without points for a series. Paths differ by colours, scenarios by dashes.
// A series that belongs to no path has the look of its scenario.
func (m *maker) layer(r *Run, l *timeline.Series, shape Shape) Layer {
	out := Layer{Shape: shape, Colour: palette.Total}
	switch {
	case l.Subflow != report.NoSubflow:
		out.wear(m.looks.path(l.Path))
		out.Name = l.Path
		m.byDash(&out, r)
	case m.several:
		m.byLook(&out, r.Scenario)
	default:
		out.Name = "total"
	}
	return out
}

// byDash gives a layer the dashes of its scenario. The legend then has one entry for the colour
// and one for the dashes.
func (m *maker) byDash(l *Layer, r *Run) {
	if !m.several {
		return
	}
	dash := m.looks.dashes[r.Scenario]
	l.Keys = append([]Key{l.key()}, Key{Name: r.Scenario, Rank: ByDash, Shape: l.Shape, Colour: neutral, Dash: dash, Mark: l.Mark})
	l.Dash = dash
	l.Name = strings.TrimSpace(r.Scenario + " " + l.Name)
}

// byLook gives a layer the look of its scenario. If scenarios have factors, the legend has
// separate entries for them.
func (m *maker) byLook(l *Layer, scenario string) {
	l.wear(m.looks.scenario(scenario))
	l.Name = scenario
	if m.looks.factors == nil || m.looks.mixed {
		key := Key{Name: scenario, Rank: ByDash, Shape: l.Shape, Colour: l.Colour, Dash: l.Dash, Sign: l.Sign}
		if m.looks.mixed { // other panels have these dashes in the colours of paths
			key.Colour = neutral
		}
		l.Keys = []Key{key}
		return
	}
	rest, last := parts(scenario)
	l.Keys = []Key{
		{Name: last, Shape: l.Shape, Colour: l.Colour, Sign: l.Sign},
		{Name: rest, Rank: ByDash, Shape: l.Shape, Colour: neutral, Dash: m.looks.factors[rest]},
	}
}

// parts splits a scenario's name into the last factor and the factors before it.
func parts(scenario string) (rest, last string) {
	i := strings.LastIndexByte(scenario, '/')
	if i < 0 {
		return "", scenario
	}
	return scenario[:i], scenario[i+1:]
}

// factorsOf gives numbers to the factors before the last in the scenarios' names. It returns nil
// if the names have no factors, or more than there are colours or dashes.
func factorsOf(scenarios []string) map[string]int {
	var before, behind []string
	for _, n := range scenarios {
		rest, last := parts(n)
		if rest == "" || last == "" {
			return nil
		}
		before, behind = append(before, rest), append(behind, last)
	}
	f := counted(before)
	if len(f) > len(dashes) || len(counted(behind)) > palette.Colours {
		return nil
	}
	return f
}
