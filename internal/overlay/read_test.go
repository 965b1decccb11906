package overlay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestTimes: seconds since the epoch and RFC 3339 are absolute, small numbers are relative to the
// first packet. The capture begins at 1700000000 s, the connection 2 s later.
func TestTimes(t *testing.T) {
	const first, start = 1_700_000_000e9, 1_700_000_002e9
	for text, want := range map[string]int64{
		"1700000003":                   1e9,
		"1700000003.5":                 1e9 + 500e6,
		"1.700000003e9":                1e9,
		"2023-11-14T22:13:23Z":         1e9,
		"2023-11-14T23:13:23.25+01:00": 1e9 + 250e6,
		"5":                            3e9,
		"5.5":                          3e9 + 500e6,
		"-1.25":                        -3e9 - 250e6,
		"-0.25":                        -2e9 - 250e6,
		"0":                            -2e9,
		"2.5e0":                        500e6,
	} {
		s, err := Parse(strings.NewReader("time,value,name\n" + text + ",1,x\n"))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := s.Series[0].Since(first, start); len(got) != 1 || got[0].T != want {
			t.Errorf("%s is at %v, want %d", text, got, want)
		}
	}
}

// TestRows: columns stand in any order, series are told apart by name and sorted by time, and rows
// that cannot be used are counted and named with their line.
func TestRows(t *testing.T) {
	text := "\ufeffUnit, name,value,extra,time\n" +
		"dBm,signal,-70,,2\n" + // line 2
		"dBm,signal,-60,,1\n" +
		"\n" + // an empty line is no row
		",handover,1,,1.5\n" +
		"dBm,signal,strong,,3\n" + // line 6
		"mW,signal,1,,3\n" + // line 7
		"dBm,signal\n" + // line 8
		"dBm,signal,NaN,,3\n" +
		"dBm,signal,1,,1700000000000\n" // milliseconds
	s, err := Parse(strings.NewReader(text))
	assert.NilError(t, err)
	s.File = "f.csv"
	assert.Assert(t, s.Rows == 8 && s.Bad == 5 && len(s.Series) == 2, "%d rows, %d bad, %d series; want 8, 5, 2", s.Rows, s.Bad, len(s.Series))
	if got := s.Series[0].Since(0, 0); !slices.Equal(got, []Point{{1e9, -60}, {2e9, -70}}) || s.Series[0].Label() != "signal (dBm)" || s.Series[1].Label() != "handover" {
		t.Errorf("%v of %s, then %s", got, s.Series[0].Label(), s.Series[1].Label())
	}
	said := strings.Join(s.Warnings(), "\n")
	for _, want := range []string{"f.csv: 5 of 8 rows are left out", `line 6: value "strong" is no number`, `line 7: unit "mW"`, "line 8: 2 columns, want 5", "and 2 more"} {
		assert.Check(t, strings.Contains(said, want), "%q lacks %q", said, want)
	}
}

// TestRefused: a file without usable rows is an error that says why.
func TestRefused(t *testing.T) {
	var many strings.Builder
	many.WriteString("time,value,name\n")
	for range maxRows + 1 {
		many.WriteString("1,1,x\n")
	}
	var names strings.Builder
	names.WriteString("time,value,name\n")
	for i := range maxSeries + 1 {
		fmt.Fprintf(&names, "1,1,n%d\n", i)
	}
	for text, want := range map[string]string{
		"":                                "empty",
		"time,value\n1,1\n":               "line 1: want a header",
		"time,value,name\n":               "no rows",
		"time,value,name\nx,1,y\n":        `line 2: time "x"`,
		"time,value,name\n1,1,\n":         "the name is missing",
		"time,value,name\n1,1,\x1b[31m\n": "printable",
		"time,value,name\n1,1,a\"b\n":     "line 2: ",
		many.String():                     "more than 200000 rows",
		"time,value,name\n1,1," + strings.Repeat("n", 65): "at most 64",
	} {
		if _, err := Parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	s, err := Parse(strings.NewReader(names.String()))
	if err != nil || len(s.Series) != maxSeries || s.Bad != 1 {
		t.Errorf("%d series, %d bad rows, %v", len(s.Series), s.Bad, err)
	}
}

// TestWithin: a value holds until the next one, also across the edges, and the last one holds no
// longer than its own time.
func TestWithin(t *testing.T) {
	list := []Point{{10, 1}, {50, 2}, {150, 3}, {300, 4}}
	for name, tt := range map[string]struct {
		from, to int64
		want     []Point
	}{
		"across":         {100, 200, []Point{{100, 2}, {150, 3}, {200, 3}}},
		"holds through":  {200, 250, []Point{{200, 3}, {250, 3}}},
		"before":         {0, 5, nil},
		"begins later":   {0, 20, []Point{{10, 1}, {20, 1}}},
		"after the last": {301, 400, nil},
		"at the edges":   {50, 150, []Point{{50, 2}, {150, 3}}},
		"to the last":    {200, 400, []Point{{200, 3}, {300, 4}}},
	} {
		if got := Within(list, tt.from, tt.to); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// FuzzParse: whatever the file is, counts fit, bounds hold, and points are in order.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"time,value,name,unit\n1,2,a,b\n", "name,time,value\nx,2023-11-14T22:13:23Z,-1e9\n", "time,value,name\n\"1,1,x\n", "time,value,name\n1e308,1,x\n-1,1,x,\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(strings.NewReader(string(text)))
		if err != nil {
			return
		}
		points := int64(0)
		assert.Check(t, len(s.Series) <= maxSeries && len(s.bad) <= maxNamed, "%d series, %d named rows", len(s.Series), len(s.bad))
		for i := range s.Series {
			list := s.Series[i].Since(1e18, 1e18)
			points += int64(len(list))
			if !slices.IsSortedFunc(list, func(a, b Point) int { return int(min(1, max(-1, a.T-b.T))) }) {
				t.Errorf("%v is not in order", list)
			}
			if !plain(s.Series[i].Label()[:len(s.Series[i].Name)]) {
				t.Errorf("name %q", s.Series[i].Name)
			}
		}
		assert.Check(t, points == s.Rows-s.Bad, "%d points of %d rows, %d of them bad", points, s.Rows, s.Bad)
	})
}
