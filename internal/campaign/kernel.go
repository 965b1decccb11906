package campaign

import (
	"reflect"
	"strings"
	"sync"

	"mpanalyze/internal/report"
)

// kernelPrefix begins the names of figures that records of the hosts give.
const kernelPrefix = "kernel_"

// kernelSubPlan and kernelConnPlan are the figures that the kernel of the sending host has of a
// subflow and of the connection. How rows agree with the packets is no figure of the session.
var (
	kernelSubPlan  = sync.OnceValue(func() []numericField { return kernelFields(reflect.TypeFor[report.SubflowKernel]()) })
	kernelConnPlan = sync.OnceValue(func() []numericField { return kernelFields(reflect.TypeFor[report.ConnectionKernel]()) })
)

func kernelFields(t reflect.Type) (out []numericField) {
	for _, f := range appendNumericFields(nil, "", t, nil) {
		if !strings.HasPrefix(f.name, ".agreement.") {
			out = append(out, numericField{"." + kernelPrefix + strings.TrimPrefix(f.name, "."), f.at})
		}
	}
	return out
}

// addKernel adds the figures of records that concern a direction: those of the host that sends.
// Labels are those of the subflows; those without one are left out.
func (r *Run) addKernel(c *report.Connection, d report.Direction, labels []string) {
	if k := c.Kernel; k != nil {
		if of := report.Either(d, k.A, k.B); of != nil {
			r.addAll(string(d), kernelConnPlan(), reflect.ValueOf(of).Elem())
		}
	}
	for i := range c.Subflows {
		k := c.Subflows[i].Kernel
		if labels[i] == "" || k == nil {
			continue
		}
		if of := report.Either(d, k.A, k.B); of != nil {
			r.addAll(string(d)+"."+labels[i], kernelSubPlan(), reflect.ValueOf(of).Elem())
		}
	}
}

// kernelFigure splits the name of a figure of records: its path, its name with the unit, and its
// statistic. ok is false for other figures.
func kernelFigure(figure string) (path, name, stat string, ok bool) {
	_, path, metric := splitFigure(figure)
	if !strings.HasPrefix(metric, kernelPrefix) {
		return "", "", "", false
	}
	name, stat, _ = strings.Cut(metric, ".")
	return path, name, stat, true
}

// OfKernel reports whether a name is one of a figure of records, with or without direction, path
// and statistic.
func OfKernel(pattern string) bool {
	for part := range strings.SplitSeq(pattern, ".") {
		if strings.HasPrefix(part, kernelPrefix) && (fieldNames()[part] || fieldNames()[part+".avg"]) {
			return true
		}
	}
	return false
}

// isKernel reports whether a figure of a direction is that of records that a pattern names: a
// name, and perhaps a statistic, by default the mean.
func isKernel(figure, pattern string, d report.Direction) bool {
	_, name, stat, ok := kernelFigure(figure)
	if !ok || !strings.HasPrefix(figure, string(d)+".") {
		return false
	}
	want, wantedStat, _ := strings.Cut(pattern, ".")
	if wantedStat == "" && stat != "" {
		wantedStat = "avg"
	}
	return name == want && stat == wantedStat
}

// KernelUnit returns the unit of a series of records, which is the last word of its name; empty
// for what is no name of records.
func KernelUnit(name string) string {
	if !strings.HasPrefix(name, kernelPrefix) {
		return ""
	}
	return kernelUnitOf(name, "")
}

// kernelUnitOf returns the unit of a figure of records.
func kernelUnitOf(name, stat string) string {
	switch {
	case stat == "samples":
		return ""
	case strings.HasPrefix(name, kernelPrefix+"bytes_"):
		return "bytes"
	}
	for _, u := range units {
		if strings.HasSuffix(name, u.suffix) {
			return u.unit
		}
	}
	return ""
}

// kernelHeads returns the beginning of the row of a figure of records.
func kernelHeads(path, name, stat string) []string {
	unit := kernelUnitOf(name, stat)
	for _, u := range units {
		if strings.HasPrefix(u.suffix, "_") {
			name = strings.TrimSuffix(name, u.suffix)
		}
	}
	name = strings.TrimSpace(strings.ReplaceAll(name, "_", " ") + " " + path)
	return []string{name, statName(stat), unit}
}
