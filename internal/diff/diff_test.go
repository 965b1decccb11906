package diff_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/diff"
)

func read(t *testing.T, text string) any {
	t.Helper()
	v, err := diff.Read([]byte(text))
	assert.NilError(t, err)
	return v
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name, old, now string
		tolerances     string
		normalise      bool
		want           []diff.Difference
	}{
		{"the same", `{"a":[1,2.0,{"b":null}]}`, `{"a":[1,2,{"b":null}]}`, "", false, nil},
		{"a number", `{"a":{"rtt_ms":{"avg":50}}}`, `{"a":{"rtt_ms":{"avg":40}}}`, "", false, []diff.Difference{{".a.rtt_ms.avg", "50", "40", "-10 (-20%)"}}},
		{"beyond all numbers", `{"a":1e400}`, `{"a":1e401}`, "*=any", false, []diff.Difference{{".a", "1e400", "1e401", ""}}},
		{"from zero", `{"a":0}`, `{"a":3}`, "", false, []diff.Difference{{".a", "0", "3", "+3"}}},
		{"kinds", `{"a":1,"b":"x","c":[]}`, `{"a":"1","b":null,"c":{}}`, "", false, []diff.Difference{{".a", "1", `"1"`, ""}, {".b", `"x"`, "null", ""}, {".c", "[]", "{}", ""}}},
		{"fields of one", `{"a":1,"b":2}`, `{"b":2,"c":3}`, "", false, []diff.Difference{{".a", "1", "", ""}, {".c", "", "3", ""}}},
		{"items of one", `[[1],2]`, `[[1,5]]`, "", false, []diff.Difference{{"[0][1]", "", "5", ""}, {"[1]", "2", "", ""}}},
		{"64 bits", `[9007199254740993]`, `[9007199254740992]`, "", false, []diff.Difference{{"[0]", "9007199254740993", "9007199254740992", ""}}},
		{"lines", "{\"a\":1}\n{\"a\":2}\n", "{\"a\":1}\n{\"a\":3}\n", "", false, []diff.Difference{{"[1].a", "2", "3", "+1 (+50%)"}}},

		// One event more: those behind it are the same. Two of a kind: the one that is equal stays.
		{
			"an event more", `[{"kind":"syn","t_s":1},{"kind":"rto","t_s":2},{"kind":"fin","t_s":4}]`,
			`[{"kind":"syn","t_s":1},{"kind":"join","t_s":1.5},{"kind":"rto","t_s":2},{"kind":"fin","t_s":5}]`, "", false,
			[]diff.Difference{{"[2].t_s", "4", "5", "+1 (+25%)"}, {"[1]", "", `{"kind":"join","t_s":1.5}`, ""}},
		},
		{
			"one of a kind more", `[{"kind":"rto","t_s":2},{"kind":"rto","t_s":3}]`, `[{"kind":"rto","t_s":1},{"kind":"rto","t_s":2},{"kind":"rto","t_s":3}]`, "", false,
			[]diff.Difference{{"[0]", "", `{"kind":"rto","t_s":1}`, ""}},
		},
		{
			"one of a kind less", `[{"kind":"rto","subflow":0,"t_s":1},{"kind":"rto","subflow":1,"t_s":2}]`, `[{"kind":"rto","subflow":1,"t_s":3}]`, "", true,
			[]diff.Difference{{"[0]", `{"kind":"rto","subflow":0}`, "", ""}},
		},
		{
			"of another subflow", `[{"kind":"rto","subflow":0},{"kind":"fin"}]`, `[{"kind":"rto","subflow":1}]`, "", false,
			[]diff.Difference{{"[0]", `{"kind":"rto","subflow":0}`, "", ""}, {"[1]", `{"kind":"fin"}`, "", ""}, {"[0]", "", `{"kind":"rto","subflow":1}`, ""}},
		},
		{
			"a subflow less", `{"subflows":[{"id":0,"b":1},{"id":1,"b":2},{"id":2,"b":3}]}`, `{"subflows":[{"id":0,"b":1},{"id":2,"b":4}]}`, "", false,
			[]diff.Difference{{".subflows[1]", `{"b":2,"id":1}`, "", ""}, {".subflows[2].b", "3", "4", "+1 (+33.3%)"}},
		},
		{
			"other verdicts", `[{"code":"a","x":1},{"code":"b"}]`, `[{"code":"c"},{"code":"a","x":2}]`, "*=any", false,
			[]diff.Difference{{"[1]", `{"code":"b"}`, "", ""}, {"[0]", "", `{"code":"c"}`, ""}},
		},
		{
			"verdicts in another order", `{"verdicts":[{"code":"a","x":1},{"code":"b"}]}`, `{"verdicts":[{"code":"b"},{"code":"a","x":2}]}`, "", false,
			[]diff.Difference{{".verdicts[0].x", "1", "2", "+1 (+100%)"}},
		},
		{
			"verdicts come and go", `{"connections":[{"id":0,"verdicts":[{"code":"a","direction":"a2b","severity":"note"}]}],"tcp":[{"id":1,"verdicts":[]}]}`,
			`{"connections":[{"id":0,"verdicts":[{"code":"a","direction":"b2a","subflow":1,"severity":"critical"}]}],"tcp":[{"id":1,"verdicts":[{"code":"b","severity":"note"}]}]}`, "", false,
			[]diff.Difference{
				{".connections[0].verdicts[0]", `{"code":"a","direction":"a2b","severity":"note"}`, "", "verdict a is gone (connection 0, a2b, note)"},
				{".connections[0].verdicts[0]", "", `{"code":"a","direction":"b2a","severity":"critical","subflow":1}`, "verdict a is new (connection 0, subflow 1, b2a, critical)"},
				{".tcp[0].verdicts[0]", "", `{"code":"b","severity":"note"}`, "verdict b is new (TCP connection 0, note)"},
			},
		},
		{"without names", `[{"x":1},{"x":2}]`, `[{"x":2}]`, "", false, []diff.Difference{{"[0].x", "1", "2", "+1 (+100%)"}, {"[1]", `{"x":2}`, "", ""}}},

		{"within percent", `{"srtt_ms":{"avg":100}}`, `{"srtt_ms":{"avg":105}}`, "srtt=5%", false, nil},
		{"beyond percent", `{"srtt_ms":{"avg":100}}`, `{"srtt_ms":{"avg":105.1}}`, "srtt=5%", false, []diff.Difference{{".srtt_ms.avg", "100", "105.1", "+5.1 (+5.1%)"}}},
		{"within a unit", `{"srtt_ms":{"avg":100}}`, `{"srtt_ms":{"avg":98}}`, "srtt=2000us", false, nil},
		{"another metric", `{"rtt_ms":{"avg":100}}`, `{"rtt_ms":{"avg":98}}`, "srtt=50%", false, []diff.Difference{{".rtt_ms.avg", "100", "98", "-2 (-2%)"}}},
		{"a statistic", `{"srtt_ms":{"avg":100,"max":100}}`, `{"srtt_ms":{"avg":99,"max":99}}`, "srtt.max=1%", false, []diff.Difference{{".srtt_ms.avg", "100", "99", "-1 (-1%)"}}},
		{"the last counts", `{"bytes":100,"x":100}`, `{"bytes":99,"x":99}`, "*=1% bytes=0", false, []diff.Difference{{".bytes", "100", "99", "-1 (-1%)"}}},
		{
			"a metric, not what has its name", `{"subflows":[{"b2a":{"bytes":1,"bursts":{"bytes":{"avg":1}}},"paths":[{"bytes":1}]}]}`,
			`{"subflows":[{"b2a":{"bytes":2,"bursts":{"bytes":{"avg":2}}},"paths":[{"bytes":2}]}]}`, "*=any bytes=0", false,
			[]diff.Difference{{".subflows[0].b2a.bytes", "1", "2", "+1 (+100%)"}},
		},
		{"a field", `{"duration_s":10}`, `{"duration_s":11}`, "duration_s=1", false, nil},

		{"any", `{"rtt_ms":{"avg":1},"x":[1,2],"s":"a"}`, `{"rtt_ms":null,"x":[7],"s":"b"}`, "*=any", false, []diff.Difference{{".rtt_ms", `{"avg":1}`, "null", ""}, {".s", `"a"`, `"b"`, ""}}},
		{"any but one", `{"x":1,"bytes":1}`, `{"x":null,"bytes":2}`, "*=any bytes=0", false, []diff.Difference{{".bytes", "1", "2", "+1 (+100%)"}}},

		{"run to run", `{"t_s":1,"token_a":"x","a":{"port":1},"text":"at 1 s","made_by":{}}`, `{"t_s":2,"token_a":"y","a":{"port":2},"text":"at 2 s"}`, "", true, nil},
		{
			"an event of a connection", `{"connections":[{"events":[{"kind":"rto","subflow":1}]}],"hosts":[{"files":[{"kind":"a"}]}]}`, `{"connections":[{"events":[]}],"hosts":[{"files":[]}]}`, "", false,
			[]diff.Difference{{".connections[0].events[0]", `{"kind":"rto","subflow":1}`, "", "event rto is gone (connection 0, subflow 1)"}, {".hosts[0].files[0]", `{"kind":"a"}`, "", ""}},
		},
		{"of the protocol", `{"t_s":1,"kind":"join"}`, `{"t_s":2,"kind":"fin"}`, "", true, []diff.Difference{{".kind", `"join"`, `"fin"`, ""}}},
	} {
		o := diff.Options{Normalise: c.normalise}
		for text := range strings.FieldsSeq(c.tolerances) {
			tolerance, err := diff.ParseTolerance(text)
			assert.NilError(t, err)
			o.Tolerances = append(o.Tolerances, tolerance)
		}
		assert.Check(t, is.DeepEqual(diff.Compare(read(t, c.old), read(t, c.now), &o), c.want), "%s:", c.name)
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"srtt": "want NAME=AMOUNT", "=5": "want NAME=AMOUNT", "strt=5%": "did you mean srtt?", "srtt=5kB": "want ms, ns",
		"srtt=-1": "below 0", "srtt=x%": "want a number", "*=1ms": "without a unit", "nonsense_s=1": "no metric",
	} {
		if _, err := diff.ParseTolerance(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "empty", "{": "EOF", "{}]": "invalid", `{"a":NaN}`: "'N'", `{"a":-Infinity}`: "invalid",
	} {
		if v, err := diff.Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %v: %v, want %q", text, v, err, want)
		}
	}
}

// TestAlwaysNamesFields holds that each field which Normalise leaves out is one of reports.
func TestAlwaysNamesFields(t *testing.T) {
	for _, name := range diff.Always {
		if _, err := diff.ParseTolerance(name + "=1"); err != nil {
			t.Error(err)
		}
	}
}

// FuzzCompare: a document differs from itself in nothing, whatever it holds.
func FuzzCompare(f *testing.F) {
	f.Add(`{"a":[1,{"b":"c"}],"t_s":1e400}`, "srtt.p95=5%")
	f.Add("1 2 3", "*=0")
	f.Add(`{"a":[{"b":-1e999}]} 18446744073709551615`, "*=1%")
	f.Fuzz(func(t *testing.T, text, tolerance string) {
		o := &diff.Options{}
		if one, err := diff.ParseTolerance(tolerance); err == nil {
			o.Tolerances = append(o.Tolerances, one)
		}
		v, err := diff.Read([]byte(text))
		if err != nil {
			return
		}
		if found := diff.Compare(v, v, o); len(found) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
		diff.Compare(v, []any{v}, o)
	})
}
