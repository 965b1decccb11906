package metrics

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// TestUnitsAreWhole: a wrong unit fails with a message that says what to do.
func TestUnitsAreWhole(t *testing.T) {
	files := filesOfTypes(t)
	for i, u := range units {
		name := fmt.Sprintf("unit %d of units.go, %T", i, u.report)
		assert.Check(t, len(u.rows()) != 0, "%s: it has no rows. Add a row (Metric) for each of its metrics to its file", name)
		for _, r := range u.rows() {
			assert.Check(t, r.Definition != "" && r.Unit != "" && len(r.Levels) != 0, "%s: the row of %s has no definition, no unit or no level", name, r.Name)
			inDirection := slices.Contains(r.Levels, catalogue.OfSubflowDir) || slices.Contains(r.Levels, catalogue.OfConnectionDir)
			if inDirection != (r.Form != "") {
				t.Errorf("%s: the row of %s is of a direction: %v, and has the form %q. A row of a direction needs one, others have none", name, r.Name, inDirection, r.Form)
			}
		}
		if u.meter == 0 { // it reports what others keep, whose tests check it
			continue
		}
		of := reflect.TypeOf(u.report).Elem().Name()
		test := strings.TrimSuffix(files[of], ".go") + "_test.go"
		if _, err := os.Stat(test); err != nil {
			t.Errorf("%s: it has no test. Add %s, with figures known by arithmetic that the test writes down", name, test)
		}
	}
}

// TestUnitsAreListed: a unit that is not in the list is never asked for its figures.
func TestUnitsAreListed(t *testing.T) {
	all, declared := sources(t), regexp.MustCompile(`(?m)^var (\w+) = &unit{`)
	for file, text := range all {
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(all["units.go"], "\t"+m[1]+",\n") {
				t.Errorf("%s: %s is not in units. Add its line to units.go", file, m[1])
			}
		}
	}
}

// filesOfTypes returns the file of each type of the package.
func filesOfTypes(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	declared := regexp.MustCompile(`(?m)^type (\w+) `)
	for name, text := range sources(t) {
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			out[m[1]] = name
		}
	}
	return out
}

// sources returns the source files of the package by their names.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files, err := os.ReadDir(".")
	assert.NilError(t, err)
	out := map[string]string{}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".go") && !strings.HasSuffix(f.Name(), "_test.go") {
			text, err := os.ReadFile(f.Name())
			assert.NilError(t, err)
			out[f.Name()] = string(text)
		}
	}
	return out
}

// TestAbsentMetricsSayWhy: a unit that measured nothing reports each of its metrics as
// null, with a reason, for subflows and for the connection.
func TestAbsentMetricsSayWhy(t *testing.T) {
	s, _ := onePath(tracegen.Config{Version: 1})
	for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
		m := measure(t, s, v, Config{Interval: 100 * msec}).Connection
		sub, dir := reported(m, conn.B)
		for _, u := range units {
			for _, r := range u.rows() {
				if slices.Contains(r.Levels, catalogue.OfSubflowDir) {
					absentOrValue(t, u, r.JSON, sub, sub["unavailable"])
				}
				if slices.Contains(r.Levels, catalogue.OfConnectionDir) {
					absentOrValue(t, u, r.JSON, dir, dir["unavailable"])
				}
			}
		}
	}
}

// absentOrValue fails where a metric is null without a reason.
func absentOrValue(t *testing.T, u *unit, name string, part map[string]any, reasons any) {
	t.Helper()
	value, there := part[name]
	why, _ := reasons.(map[string]any)
	switch {
	case !there:
		t.Errorf("%T: the report has no field %s. Give its row a Form, and run \"make golden\"", u.report, name)
	case value == nil && why[name] == nil:
		t.Errorf("%T: %s is null without a reason. Say why with view.Set or view.Stat", u.report, name)
	}
}

// reported returns the parts of a report about what a side sends: of the first subflow, and
// of the connection.
func reported(m *Connection, from conn.Side) (sub, dir map[string]any) {
	var s report.SubDir
	m.ReportSubflow(m.Subs[0], from, fields(), &s)
	return object(s), object(ofConnection(m, from))
}

// fields returns what a part of a report is filled in with.
func fields() fill.Fields { return fill.Fields{Reasons: new(fill.Reasons), Mem: new(fill.Memory)} }

// ofConnection returns the report on what a side of a connection sends.
func ofConnection(m *Connection, from conn.Side) *report.ConnDir {
	var d report.ConnDir
	m.ReportConnection(from, named(m), fields(), &d)
	return &d
}

// named returns the subflows as the report has them.
func named(m *Connection) []report.Subflow {
	out := make([]report.Subflow, len(m.Subs))
	for i, s := range m.Subs {
		out[i] = report.Subflow{ID: i, A2B: new(report.SubDir), B2A: new(report.SubDir)}
		for side, d := range out[i].Dirs() {
			m.ReportSubflow(s, conn.Side(side), fields(), d)
		}
	}
	return out
}

// object returns a part of a report as JSON.
func object(part any) (out map[string]any) {
	text, err := json.Marshal(part)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

// TestUnitsDoNotDependOnEachOther: the figures of a unit do not depend on which units of
// other families are registered, at the sender and at the receiver, for all of the time and
// for a part.
func TestUnitsDoNotDependOnEachOther(t *testing.T) {
	for seed := range uint64(testrun.Cases(3)) {
		for _, cfg := range []Config{{Interval: 100 * msec, QoE: DefaultQoE}, {Interval: 70 * msec, Skip: 150 * msec, Until: 730 * msec, QoE: DefaultQoE}, {QoE: DefaultQoE}} {
			for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
				wantSub, wantDir := reported(figuresOf(t, traffic(seed), v, cfg), conn.A)
				for omit := catalogue.Families(1); omit <= catalogue.AllFamilies; omit++ {
					some := cfg
					some.Omit = omit
					sub, dir := reported(figuresOf(t, traffic(seed), v, some), conn.A)
					sameButOmitted(t, omit, catalogue.OfSubflowDir, wantSub, sub)
					sameButOmitted(t, omit, catalogue.OfConnectionDir, wantDir, dir)
				}
			}
		}
	}
}

// figuresOf measures a session without series.
func figuresOf(t *testing.T, s *tracegen.Session, v tracegen.View, cfg Config) (m *Connection) {
	t.Helper()
	conntest.Play(t, s, v, NewCollector(cfg, func(c *Connection) { m = c }))
	return m
}

// sameButOmitted fails if a metric of a family that is not omitted differs. The cell mean
// of SRTT belongs to the delays.
func sameButOmitted(t *testing.T, omit catalogue.Families, at catalogue.Level, want, got map[string]any) {
	t.Helper()
	for _, u := range units {
		if u.family&omit != 0 {
			continue
		}
		for _, r := range u.rows() {
			if r.JSON == "srtt_ms" || !slices.Contains(r.Levels, at) {
				continue
			}
			assert.Check(t, is.DeepEqual(got[r.JSON], want[r.JSON], cmpopts.EquateApprox(1e-12, 0)), "%s without %v", r.JSON, omit)
		}
	}
}

// TestRenewedMetersAreNew: a renewed meter equals a new one, except for memory that it can
// reuse.
func TestRenewedMetersAreNew(t *testing.T) {
	unexported := cmp.Exporter(func(reflect.Type) bool { return true })
	same := cmp.Options{
		unexported, cmpopts.EquateEmpty(), cmp.Comparer(func(a, b stats.Dist) bool { return a.N() == 0 && b.N() == 0 }),
		cmp.Comparer(func(a, b *DataDir) bool { return a == b }), cmp.Comparer(func(a, b cellSink) bool { return true }),
		cmp.Comparer(func(a, b seq.List[chunkRange]) bool { return a.Len() == b.Len() }),
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".spare" || p.Last().String() == ".none" }, cmp.Ignore()),
	}
	for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
		m := figuresOf(t, traffic(1), v, Config{Interval: 100 * msec, QoE: DefaultQoE})
		d := m.dirs[conn.A]
		used, list := 0, reflect.ValueOf(&d.meters).Elem()
		d.meters.renew(d)
		for _, at := range list.Fields() {
			x := reflect.NewAt(at.Type(), at.Addr().UnsafePointer()).Elem().Interface().(meter)
			if at.IsNil() {
				continue
			}
			used++
			fresh := reflect.New(at.Type().Elem()).Interface().(meter)
			fresh.renew(d)
			if !cmp.Equal(fresh, x, same) {
				t.Errorf("%T differs from a new one. Its method renew drops all figures, and meters.renew calls it (-new +renewed):\n%s", fresh, cmp.Diff(fresh, x, same))
			}
		}
		assert.Check(t, used >= 8, "%v: the session shows something to %d units only", v, used)
	}
}

// TestMetersHaveUnits: each meter has a unit, and is made for readers of directions that
// lack it. Units share a meter only if they are always asked for together.
func TestMetersHaveUnits(t *testing.T) {
	var all meterSet
	with := map[meterSet]*unit{}
	for _, u := range units {
		if o := with[u.meter]; u.meter != 0 && o != nil && (o.family != u.family || !slices.Equal(o.places, u.places) || o.flag != u.flag) {
			t.Errorf("%T and %T share a meter, but not family, places and option", o.report, u.report)
		}
		with[u.meter] = u
		all |= u.meter
	}
	list := reflect.ValueOf(noDir.meters)
	if n := list.NumField(); all != 1<<n-1 {
		t.Errorf("units have the meters %b, want %d", all, n)
	}
	for i := range list.NumField() {
		if list.Field(i).IsNil() {
			t.Errorf("noDir has no %s", list.Type().Field(i).Name)
		}
	}
}
