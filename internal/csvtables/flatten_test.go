package csvtables

import (
	"reflect"
	"testing"

	"mpanalyze/internal/report"
)

// TestReasonsAreOneField: the absent metrics and their reasons are one field. It is quoted as a
// whole if any part of it needs quotes (RFC 4180, Section 2).
func TestReasonsAreOneField(t *testing.T) {
	for _, c := range []struct {
		reasons report.Reasons
		want    string
	}{
		{nil, ``},
		{report.Reasons{{Metric: "drops", Why: "no SACK"}}, `drops: no SACK`},
		{report.Reasons{{Metric: "a", Why: "b"}, {Metric: "c", Why: "d"}}, `a: b; c: d`},
		{report.Reasons{{Metric: "a", Why: "b"}, {Metric: "c", Why: "d, e"}}, `"a: b; c: d, e"`},
		{report.Reasons{{Metric: `"a"`, Why: "b"}, {Metric: "c", Why: "\n\""}}, "\"\"\"a\"\": b; c: \n\"\"\""},
	} {
		if got := string(appendReasons([]byte("x,"), c.reasons)); got != "x,"+c.want {
			t.Errorf("%v: %s, want %s", c.reasons, got[2:], c.want)
		}
	}
}

// flat is a struct with fields of all kinds, some of them behind pointers.
type flat struct {
	base
	N     int              `json:"n"`
	Left  int              `json:"left"`
	Inner *inner           `json:"inner"`
	Some  *float64         `json:"some"`
	Many  report.List[int] `json:"many"`
	At    *report.Time     `json:"at"`
	Why   report.Reasons   `json:"why"`
	Last  inner            `json:"last"`
}

type base struct {
	Name string `json:"name"`
}

type inner struct {
	X    float64 `json:"x"`
	Yes  bool    `json:"yes"`
	Deep struct {
		Z *int64 `json:"z"`
	} `json:"deep"`
}

// TestFlatFields: a column for each value at the end of a path, empty where
// anything on the path is null.
func TestFlatFields(t *testing.T) {
	fields, columns := flatFields(reflect.TypeFor[flat](), "left")
	want := "name,n,inner_x,inner_yes,inner_deep_z,some,many,at,why,last_x,last_yes,last_deep_z"
	if got := header(columns); got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	z, some, at := int64(-70), 2.5, report.Time(1e9)
	full := flat{
		base: base{"a, b"}, N: 12, Left: 5, Inner: &inner{X: 0.25, Yes: true}, Some: &some, Many: report.List[int]{7, 8, 9}, At: &at,
		Why: report.Reasons{{Metric: "rtt", Why: "cut"}},
	}
	full.Last.Deep.Z = &z
	for _, c := range []struct {
		row  flat
		want string
	}{
		{flat{}, ",0,,,,,0,,,0,false,,"},
		{full, `"a, b",12,0.25,true,,2.5,3,1970-01-01T00:00:01.000000000Z,rtt: cut,0,false,-70,`},
	} {
		if got := string(appendFields(nil, fields, reflect.ValueOf(&c.row).Elem())); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
