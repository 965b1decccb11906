package campaign

import (
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
)

// Name is what the name of a figure is made of.
type Name struct {
	Direction string // a2b or b2a
	Path      string // label of the subflow; empty for a figure of the connection
	Metric    string // with its statistic, as in reports: protocol_delay_ms.avg
	Unit      string // empty for a number without one
}

// fieldNames are those of all figures of a direction, without direction and path.
var fieldNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, plan := range [][]numericField{connPlan(), subPlan()} {
		for _, f := range plan {
			names[strings.TrimPrefix(f.name, ".")] = true
		}
	}
	return names
})

// splitFigure splits a figure's name into direction, path and the name in the report, which
// is the longest one that there is: labels of paths may hold anything. Where there is none
// the path is empty.
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

// NameOf takes a figure's name apart.
func NameOf(figure string) Name {
	n := Name{Unit: unitOf(figure)}
	n.Direction, n.Path, n.Metric = splitFigure(figure)
	return n
}

// units are those of parts of composite metrics, by how their names end.
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
