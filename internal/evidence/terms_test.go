package evidence

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// Each number that reports have of the kernels, and each series, is explained under its name with
// kernel_; and what is explained is in a report or a series.
func TestTerms(t *testing.T) {
	all := Terms()
	fields := map[string]bool{}
	for prefix, typ := range map[string]reflect.Type{"subflows.kernel.": reflect.TypeFor[report.SubflowKernel](), "kernel.": reflect.TypeFor[report.ConnectionKernel]()} {
		for f := range typ.Fields() {
			name, kind := report.JSONName(f), f.Type
			if kind.Kind() == reflect.Pointer {
				kind = kind.Elem()
			}
			number := kind == reflect.TypeFor[report.KernelStat]() || kind.Kind() == reflect.Int64 || kind.Kind() == reflect.Float64
			if !number || slices.Contains([]string{"rows", "first_s", "last_s"}, name) {
				continue
			}
			fields[prefix+name] = true
			if !slices.ContainsFunc(catalogue.Find(all, "kernel_"+name), func(m catalogue.Metric) bool { return m.JSON == prefix+name }) {
				t.Errorf("%s%s is not explained", prefix, name)
			}
		}
	}
	for _, name := range SeriesNames() {
		found := catalogue.Find(all, name)
		if !slices.ContainsFunc(found, func(m catalogue.Metric) bool { return m.Series }) {
			t.Errorf("the series %s is not explained", name)
		}
	}
	for _, m := range all {
		if !fields[m.JSON] && !m.Series || m.Definition == "" || m.Formula == "" || m.Unit == "" || m.Caveats != "" && !strings.HasSuffix(m.Caveats, ".") {
			t.Errorf("%s, %s: not in reports, or something is missing", m.Name, m.JSON)
		}
	}
	if found := catalogue.Find(all, "kernel_cwnd"); len(found) != 1 || found[0].JSON != "subflows.kernel.cwnd_segments" {
		t.Errorf("kernel_cwnd: %v", found)
	}
}
