package engine_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mpanalyze/internal/report"
)

// signed are the figures of time that may be below zero by definition: a delay less another
// one, what an error of a clock is added to, and the place of a packet whose time is before the first.
var signed = []string{
	"warnings",
	"waiting_time_ms", "hol_degree_ms", "hol_degree_all_paths_ms", "step_s", "clock", "ipdv_ms", "lead_ms",
	"one_way_delay_ms", "end_to_end_delay_ms", "variance",
}

// longer are the figures that may be longer than the capture: timers and settings.
var longer = []string{"rto_ms", "interval_ms", "cell_ms", "skip_s", "clock", "variance", "step_s", "fairness"}

// durations checks that no time and no duration of a report is below zero or longer than the
// capture.
func durations(t *testing.T, doc *report.Document) {
	t.Helper()
	most := math.Inf(1)
	moved := slices.ContainsFunc(doc.Warnings, func(w report.Warning) bool { return w.StepS != nil }) // then times are not those in the file
	if c := doc.Captures[0]; len(doc.Captures) == 1 && c.First != nil && !moved {
		most = float64(*c.Last-*c.First)/1e6 + 1e-3
	}
	eachTime(nil, reflect.ValueOf(doc).Elem(), func(path []string, ms float64) {
		has := func(list []string) bool {
			return slices.ContainsFunc(path, func(name string) bool { return slices.Contains(list, name) })
		}
		if ms < 0 && !has(signed) || ms > most && !has(longer) {
			t.Errorf("%s is %v ms in a capture of %v ms", strings.Join(path, "."), ms, most)
		}
	})
}

// eachTime calls f with each figure of time, ms, and the names on the way to it.
func eachTime(path []string, v reflect.Value, f func(path []string, ms float64)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachTime(path, v.Elem(), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachTime(path, v.Index(i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if name := report.JSONName(field); field.IsExported() && name != report.NoJSON {
				eachTime(append(path[:len(path):len(path)], name), v.Field(i), f)
			}
		}
	case reflect.Float64:
		for i := len(path) - 1; i >= max(0, len(path)-2); i-- { // the last name may be that of a statistic
			switch {
			case strings.HasSuffix(path[i], "_ms"):
				f(path, v.Float())
				return
			case strings.HasSuffix(path[i], "_s") && path[i] != "per_s":
				f(path, v.Float()*1e3)
				return
			}
		}
	}
}
