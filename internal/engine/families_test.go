package engine_test

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// familyLists are the values of --metric that are tested, without all.
var familyLists = []string{"basic", "delays", "order", "windows", "delays,windows", "delays,order,windows", "verdicts"}

// asked returns the families that a value leaves out.
func asked(t *testing.T, list string) catalogue.Families {
	t.Helper()
	f, err := catalogue.ParseFamilies(list)
	assert.NilError(t, err)
	return catalogue.AllFamilies &^ f
}

// TestFamilies: the metrics of computed families are the same as with all families, field by field; the
// others are null with their reason. So it is for one capture and for two.
func TestFamilies(t *testing.T) {
	t.Parallel()
	of := map[string]engine.Options{}
	for _, name := range realCaptures {
		of[name] = wholly(save(t, filepath.Join(t.TempDir(), "x.pcap"), load(t, name, 3000/scale).file))
	}
	for _, name := range []string{"v1/i-v6-v4", "v1/p-abort"} {
		o := wholly(session(name + "/client.pcap.zst"))
		o.Receiver, o.Swap = []string{session(name + "/server.pcap.zst")}, true
		of[name] = o
	}
	all := map[string]*report.Document{}
	for name, o := range of {
		all[name] = analyzed(t, o)
	}
	for _, list := range testrun.Few(familyLists) {
		c := familyChecker{t: t, omit: asked(t, list)}
		for name, o := range of {
			o.Omit = c.omit
			c.same(name+", "+list+": ", reflect.ValueOf(all[name]).Elem(), reflect.ValueOf(analyzed(t, o)).Elem())
		}
		assert.Check(t, c.compared >= 1000 && c.absent != 0, "%s: %d values compared, %d absent", list, c.compared, c.absent)
	}
}

// familyChecker compares a report without some families with one that has all.
type familyChecker struct {
	t                *testing.T
	omit             catalogue.Families
	compared, absent int
}

// level is the level of the metrics in a type of the report; empty for a connection, which
// has the verdicts.
func level(t reflect.Type) catalogue.Level {
	levels := map[reflect.Type]catalogue.Level{
		reflect.TypeFor[report.Subflow](): catalogue.OfSubflow, reflect.TypeFor[report.SubDir](): catalogue.OfSubflowDir,
		reflect.TypeFor[report.ConnDir](): catalogue.OfConnectionDir, reflect.TypeFor[report.Connection](): "",
	}
	if l, ok := levels[t]; ok {
		return l
	}
	return "none"
}

// families has the families of the metrics, by level and name in reports.
var families = sync.OnceValue(func() map[string]catalogue.Families {
	out := map[string]catalogue.Families{"verdicts": catalogue.FamilyVerdicts}
	for _, m := range metrics.Table() {
		for _, l := range m.Levels {
			out[string(l)+m.JSON] = m.Family
		}
	}
	return out
})

// same compares two values of one type.
func (c *familyChecker) same(path string, want, got reflect.Value) {
	switch {
	case want.Type() == reflect.TypeFor[report.Reasons](), want.Type() == reflect.TypeFor[*report.MadeBy]():
	case want.Type() == reflect.TypeFor[report.SRTTStat]() && c.omit&catalogue.FamilyDelays != 0:
		some, all := got.Interface().(report.SRTTStat), want.Interface().(report.SRTTStat)
		if some.CellMean != nil { // it is a mean over the cells of the protocol delay
			c.t.Errorf("%s.cell_mean is %v, want null", path, *some.CellMean)
		}
		c.same(path, reflect.ValueOf(all.SpreadStat), reflect.ValueOf(some.SpreadStat))
	case want.Kind() == reflect.Struct:
		c.fields(path, want, got)
	case want.Kind() == reflect.Slice && want.Type().Elem() == reflect.TypeFor[report.Event]():
		c.events(path, want.Interface().(report.List[report.Event]), got.Interface().(report.List[report.Event]))
	case want.Kind() == reflect.Slice:
		if want.Len() != got.Len() {
			c.t.Errorf("%s: %d items, want %d", path, got.Len(), want.Len())
			return
		}
		for i := range want.Len() {
			c.same(fmt.Sprintf("%s[%d]", path, i), want.Index(i), got.Index(i))
		}
	case want.Kind() == reflect.Pointer && !want.IsNil() && !got.IsNil():
		c.same(path, want.Elem(), got.Elem())
	case want.Kind() == reflect.Float64:
		// Sums are computed in another order.
		if a, b := want.Float(), got.Float(); a != b && math.Abs(a-b) > 1e-11*max(1, math.Abs(a)) {
			c.t.Errorf("%s is %v, want %v", path, b, a)
		}
	case want.Kind() == reflect.Pointer:
		if want.IsNil() != got.IsNil() {
			c.t.Errorf("%s is null: %v, want %v", path, got.IsNil(), want.IsNil())
		}
	case want.Interface() != got.Interface():
		c.t.Errorf("%s is %v, want %v", path, got, want)
	}
	c.compared++
}

// fields compares two structs.
func (c *familyChecker) fields(path string, want, got reflect.Value) {
	t := want.Type()
	var reasons, before report.Reasons
	if f := got.FieldByName("Unavailable"); f.IsValid() {
		reasons, before = f.Interface().(report.Reasons), want.FieldByName("Unavailable").Interface().(report.Reasons)
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue // its fields follow
		}
		name, want, got := report.JSONName(f), want.FieldByIndex(f.Index), got.FieldByIndex(f.Index)
		why, reasoned := reasons.Of(name)
		was, _ := before.Of(name)
		switch {
		case name == "events_omitted" && c.omit&(catalogue.FamilyWindows|catalogue.FamilyVerdicts) != 0:
		case families()[string(level(t))+name]&c.omit == 0:
			if why != was {
				c.t.Errorf("%s.%s: unavailable says %q, want %q", path, name, why, was)
			}
			c.same(path+"."+name, want, got)
		case !got.IsNil() || !reasoned || why != catalogue.Unasked:
			c.t.Errorf("%s.%s is null: %v, as %q", path, name, got.IsNil(), why)
		default:
			c.absent++
		}
	}
}

// events compares all events except those that belong to a family.
func (c *familyChecker) events(path string, want, got report.List[report.Event]) {
	want = slices.DeleteFunc(slices.Clone(want), func(e report.Event) bool {
		return e.Kind == report.EventHandover && c.omit&catalogue.FamilyVerdicts != 0 ||
			e.Kind == report.EventReceiveBufferBlock && c.omit&catalogue.FamilyWindows != 0
	})
	if d := cmp.Diff(want, got); d != "" {
		c.t.Errorf("%s (-all +some): %s", path, d)
	}
}

// TestSeriesOfFamilies: of the series that are wanted, those of computed families are
// written, with the same values as with all.
func TestSeriesOfFamilies(t *testing.T) {
	name := "v1/l-spurious/server.pcap.zst"
	o := wholly(session(name))
	o.Series, o.Changes = func(string) bool { return true }, true
	written := func(omit catalogue.Families) map[string][]float64 {
		var rows seriesRows
		o.Rows, o.Omit = &rows, omit
		analyzed(t, o)
		return rows.values
	}
	all := written(0)
	assert.Assert(t, len(all) >= 20, "%d series of %s", len(all), name)
	for _, list := range familyLists {
		omit := asked(t, list)
		got, want := written(omit), map[string][]float64{}
		for key, values := range all {
			metric := filepath.Base(key)
			if metrics.FamilyOf(metric)&omit == 0 {
				want[key] = values
			}
		}
		assert.Check(t, is.DeepEqual(got, want, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) })), "%s", list)
	}
}

// seriesRows keeps the values of series by place and metric.
type seriesRows struct {
	report.NopRows
	values map[string][]float64
}

func (r *seriesRows) Series(rows []report.SeriesRow) error {
	if r.values == nil {
		r.values = map[string][]float64{}
	}
	for i := range rows {
		x := &rows[i]
		key := fmt.Sprintf("%d/%s/%d/%s", x.Connection, x.Direction, x.Subflow, x.Metric)
		r.values[key] = append(r.values[key], float64(x.T), x.Value)
	}
	return nil
}
