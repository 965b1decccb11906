package build_test

import (
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/build"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/tracegen"
)

// places are the types whose fields are metrics.
var places = []struct {
	level catalogue.Level
	typ   reflect.Type
}{
	{catalogue.OfSubflow, reflect.TypeFor[report.Subflow]()},
	{catalogue.OfSubflowDir, reflect.TypeFor[report.SubDir]()},
	{catalogue.OfConnectionDir, reflect.TypeFor[report.ConnDir]()},
}

// metricFields returns the fields of a type that are metrics: of a direction
// all but the reasons, of a subflow those that may lack evidence; the others
// say which subflow it is.
func metricFields(level catalogue.Level, typ reflect.Type) (fields []reflect.StructField) {
	for _, f := range reflect.VisibleFields(typ) {
		identity := level == catalogue.OfSubflow && (f.Type.Kind() != reflect.Pointer || f.Tag.Get("null") != "" || f.Type == reflect.TypeFor[*report.SubDir]())
		if f.Name != "Unavailable" && !f.Anonymous && !identity {
			fields = append(fields, f)
		}
	}
	return fields
}

func row(name string, level catalogue.Level) *catalogue.Metric {
	for _, m := range metrics.Table() {
		if m.JSON == name && slices.Contains(m.Levels, level) {
			return &m
		}
	}
	return nil
}

// TestEveryMetricHasItsRow: each metric of the report stands in the table of
// metrics, and each row of the table in the report. A metric with one unit is a figure or a
// summary of figures; a composite one has no unit of its own.
func TestEveryMetricHasItsRow(t *testing.T) {
	summaries := []reflect.Type{
		reflect.TypeFor[*report.Stat](), reflect.TypeFor[*report.SpreadStat](), reflect.TypeFor[*report.SRTTStat](), reflect.TypeFor[*report.RateStat](),
		reflect.TypeFor[*report.WaitStat](), reflect.TypeFor[*report.OffsetStat](), reflect.TypeFor[*report.DeliveryStat](),
		reflect.TypeFor[int64](), reflect.TypeFor[*int64](), reflect.TypeFor[*int](), reflect.TypeFor[*bool](), reflect.TypeFor[*float64](),
	}
	for _, p := range places {
		var inReport, inTable []string
		for _, f := range metricFields(p.level, p.typ) {
			inReport = append(inReport, report.JSONName(f))
			m := row(report.JSONName(f), p.level)
			assert.Check(t, m == nil || slices.Contains(summaries, f.Type) != (m.Unit == catalogue.Composite), "%s of a %s is %v, its unit %q", m.JSON, p.level, f.Type, m.Unit)
		}
		for _, m := range metrics.Table() {
			if slices.Contains(m.Levels, p.level) {
				inTable = append(inTable, m.JSON)
			}
		}
		slices.Sort(inReport)
		slices.Sort(inTable)
		assert.Check(t, is.DeepEqual(inTable, inReport), "%s", p.level)
	}
}

// TestTermsAreInReports: what explain knows beside metrics is a field of reports, and
// the other names by which it finds a field are fields beside it.
func TestTermsAreInReports(t *testing.T) {
	for _, m := range metrics.Terms() {
		assert.Check(t, m.Name != "" && m.Unit != "" && m.Formula != "" && m.Source != "", "%+v: something is missing", m)
		assert.Check(t, strings.HasSuffix(m.Definition, ".") && (m.Caveats == "" || strings.HasSuffix(m.Caveats, ".")), "%+v: something is missing", m)
		assert.Check(t, len(catalogue.Lookup(metrics.Table(), m.Name)) == 0, "%s is a metric, too", m.Name)
		if m.Name == "statistics" {
			for name := range strings.SplitSeq(m.JSON, ", ") {
				_, ok := fieldOf(reflect.TypeFor[report.Stat](), name)
				assert.Check(t, ok, "%s is no figure of a stat", name)
			}
			continue
		}
		of := reflect.TypeFor[report.ConnDir]()
		if slices.Contains(m.Levels, catalogue.OfReport) {
			of = reflect.TypeFor[report.Document]()
		}
		for name := range strings.SplitSeq(m.JSON, ".") {
			f, ok := fieldOf(of, name)
			assert.Assert(t, ok, "%s: %v has no field %s", m.Name, of, name)
			for of = f.Type; of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice; {
				of = of.Elem()
			}
		}
	}
}

// fieldOf returns the field of a type that reports call by that name.
func fieldOf(typ reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(typ) {
		if report.JSONName(f) == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// document reports on what a view saw of a session.
func document(t *testing.T, s *tracegen.Session, v tracegen.View) *report.Document {
	t.Helper()
	var b build.Builder
	cfg := metrics.Config{Interval: 100 * time.Millisecond, QoE: metrics.DefaultQoE, Regret: true, Player: metrics.Player{Bitrate: 16e3, Playout: metrics.DefaultPlayout}}
	conntest.Play(t, s, v, metrics.NewCollector(cfg, func(m *metrics.Connection) {
		assert.Check(t, b.Add(m))
	}))
	doc := &report.Document{Schema: report.SchemaName}
	doc.Connections, doc.TCP = b.Lists()
	assert.Assert(t, len(doc.Connections) == 1, "%d connections", len(doc.Connections))
	stored, err := report.Store(doc)
	assert.NilError(t, err)
	defer stored.Close()
	back, err := stored.Document()
	assert.Check(t, err == nil && reflect.DeepEqual(back, doc), "what was stored is not what was reported: %v", err)
	return doc
}

// TestEvidenceIsWhatTheTableSays: where the table names evidence, the report has the
// metric with that evidence; elsewhere it has none. The session may not show a metric
// whose field is made from its row: then the reason must not be the place of the capture.
func TestEvidenceIsWhatTheTableSays(t *testing.T) {
	for _, c := range []struct {
		view tracegen.View
		kind func(catalogue.Evidence) string
	}{
		{tracegen.HostA, func(e catalogue.Evidence) string { return e.Sender }},
		{tracegen.HostB, func(e catalogue.Evidence) string { return e.Receiver }},
	} {
		doc := document(t, byHand(), c.view)
		assert.Check(t, reporttest.Check(doc))
		k := &doc.Connections[0]
		for _, p := range []struct {
			level catalogue.Level
			value any
		}{
			{catalogue.OfSubflow, &k.Subflows[1]}, {catalogue.OfSubflowDir, k.Subflows[0].A2B}, {catalogue.OfConnectionDir, k.A2B},
		} {
			v := reflect.ValueOf(p.value).Elem()
			for _, f := range metricFields(p.level, v.Type()) {
				m := row(report.JSONName(f), p.level)
				if m == nil || f.Type.Kind() != reflect.Pointer || m.JSON == "streaming" && p.level == catalogue.OfSubflowDir { // there it is of plain TCP
					continue
				}
				want, field := c.kind(m.Evidence), v.FieldByIndex(f.Index)
				switch {
				case field.IsNil() && m.Form != "" && !strings.HasPrefix(reasonOf(v, m.JSON), "only a capture"):
				case field.IsNil() != (want == ""):
					t.Errorf("view %d: %s of a %s is null: %v (%q), the table says %q. Correct the row or the reason",
						c.view, m.JSON, p.level, field.IsNil(), reasonOf(v, m.JSON), want)
				case field.IsNil() || field.Elem().Kind() != reflect.Struct:
				default:
					e := field.Elem().FieldByName("Evidence")
					assert.Check(t, !e.IsValid() || e.String() == want, "view %d: %s of a %s rests on %s, the table says %s", c.view, m.JSON, p.level, e, want)
				}
			}
		}
	}
}

// reasonOf returns the reason why a field of a part of a report is null.
func reasonOf(part reflect.Value, name string) string {
	why, _ := part.FieldByName("Unavailable").Interface().(report.Reasons).Of(name)
	return why
}

// TestAbsenceOfEverything: between the hosts and without a handshake every
// absence has its reason.
func TestAbsenceOfEverything(t *testing.T) {
	assert.Check(t, reporttest.Check(document(t, byHand(), tracegen.Middle)))
	s := tracegen.NewSession(tracegen.Config{Version: 1, NoTimestamps: true})
	f := s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")})
	f.Assume()
	x := f.Data(tracegen.A2B, 0, 0, 1000)
	f.Ack(tracegen.B2A, x.ArrivesAt())
	doc := document(t, s, tracegen.HostA)
	assert.Check(t, reporttest.Check(doc))
	d := doc.Connections[0].A2B
	assert.Check(t, d.AwndDelta == nil && d.RB2Loc == nil && d.RecPathList == nil && d.RwndLimitedMS == nil, "a window without its scale")
}
