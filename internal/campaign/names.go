package campaign

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
)

// Once adds a name to a list that does not have it.
func Once[T comparable](list []T, name T) []T {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// distinct sorts a list and leaves each of its elements once.
func distinct[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

// Name holds the parts of a figure's name.
type Name struct {
	Direction string // a2b or b2a
	Path      string // label of the subflow; empty for a figure of the connection
	Metric    string // with its statistic, as in reports: protocol_delay_ms.avg
	Unit      string // empty for a number without one
}

// fieldNames holds the names of all figures of a direction, without direction and path.
var fieldNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, plan := range [][]numericField{connPlan(), subPlan(), subflowPlan(), kernelConnPlan(), kernelSubPlan()} {
		for _, f := range plan {
			names[strings.TrimPrefix(f.name, ".")] = true
		}
	}
	return names
})

// splitFigure splits a figure's name into direction, path and the name in the report. It takes
// the longest name that reports have, because labels of paths may contain anything. If there
// is no such name, the path is empty.
func splitFigure(figure string) (direction, path, metric string) {
	direction, rest, _ := strings.Cut(figure, ".")
	for at := 0; ; {
		if fieldNames()[rest[at:]] {
			return direction, strings.TrimSuffix(rest[:at], "."), rest[at:]
		}
		dot := strings.IndexByte(rest[at:], '.')
		if dot < 0 {
			return direction, "", rest
		}
		at += dot + 1
	}
}

// NameOf splits a figure's name into its parts.
func NameOf(figure string) Name {
	n := Name{Unit: unitOf(figure)}
	n.Direction, n.Path, n.Metric = splitFigure(figure)
	return n
}

// units holds the units of parts of composite metrics, by the ends of their names.
var units = []struct{ suffix, unit string }{
	{"_ms", "ms"},
	{"_mbps", "Mbit/s"},
	{"percent", "percent"},
	{"bytes", "bytes"},
	{"chunks", "chunks"},
	{"_segments", "segments"},
	{"_packets", "packets"},
	{"per_s", "seg/s"},
}

// unitOf returns the unit of a figure; empty for a number without one.
func unitOf(figure string) string {
	if _, name, stat, ok := kernelFigure(figure); ok {
		return kernelUnitOf(name, stat)
	}
	m, stat := metricOf(figure)
	unit := m.Unit
	switch {
	case unit == "1":
		unit = ""
	case unit == catalogue.Composite:
		unit = ""
		for part := range strings.SplitSeq(stat, ".") {
			for _, u := range units {
				if strings.HasSuffix(part, u.suffix) {
					unit = u.unit
				}
			}
		}
	}
	last := stat[strings.LastIndexByte(stat, '.')+1:]
	switch {
	case last == "samples", last == "cov", last == "ratio":
		return ""
	case strings.HasSuffix(last, "percent"):
		return "percent"
	case last == "variance":
		return squared(unit)
	}
	return unit
}
