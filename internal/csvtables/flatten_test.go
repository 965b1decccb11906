package csvtables

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

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

// TestReasonTexts: equal reasons give the same text, also if there are more than are kept.
// Reasons that differ in one place or in length do not.
func TestReasonTexts(t *testing.T) {
	known := reasonTexts{}
	all := make(report.Reasons, 3*maxReasonTexts)
	for i := range all {
		all[i] = report.Reason{Metric: fmt.Sprint("m", i), Why: []string{"cut", "no, none"}[i%2]}
	}
	for range 2 {
		for i := range all {
			for n := range 3 {
				r := all[i:min(i+n, len(all))]
				if got, want := string(known.append([]byte("x"), r)), "x"+string(appendReasons(nil, r)); got != want {
					t.Fatalf("%v: %s, want %s", r, got, want)
				}
			}
		}
	}
	assert.Check(t, len(known) <= maxReasonTexts, "%d texts are kept", len(known))
}

// TestAsksForQuotes: a byte that needs quotes is found at each place, and no other byte needs
// them.
func TestAsksForQuotes(t *testing.T) {
	for n := range 40 {
		text := []byte(strings.Repeat("x", n))
		for at := range text {
			for c := range 256 {
				text[at] = byte(c)
				if got, want := asksForQuotes(string(text)), c == '"' || c == ',' || c == '\n' || c == '\r'; got != want {
					t.Errorf("%q: %v", text, got)
				}
			}
			text[at] = "x-\v+\x8c\xa2"[at%6]
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
