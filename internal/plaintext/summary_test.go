package plaintext_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	goldenfile "gotest.tools/v3/golden"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if goldenfile.FlagUpdate() {
		assert.NilError(t, os.WriteFile(path, []byte(got), 0o666))
		t.Errorf("%s written anew", path)
		return
	}
	want, err := os.ReadFile(path)
	assert.NilError(t, err)
	assert.Check(t, is.DeepEqual(got, string(want)), "%s", path)
}

func summary(t *testing.T, d *report.Document, o plaintext.Options) string {
	t.Helper()
	var b bytes.Buffer
	assert.NilError(t, plaintext.Summary(&b, d, o))
	return b.String()
}

func TestSummaryGolden(t *testing.T) {
	for _, width := range []int{0, 60, 80, 120} {
		golden(t, fmt.Sprintf("summary-%d.golden", width), summary(t, reporttest.Everything(), plaintext.Options{Width: width}))
	}
	golden(t, "summary-color.golden", summary(t, reporttest.Everything(), plaintext.Options{Width: 80, Color: true}))
	golden(t, "summary-crowd.golden", summary(t, reporttest.Crowd(200), plaintext.Options{Width: 80}))
	golden(t, "summary-empty.golden", summary(t, &report.Document{Schema: report.SchemaName}, plaintext.Options{}))
}

// TestSummaryFits holds every line to the width: where columns can be dropped
// and text wrapped nothing may run over.
func TestSummaryFits(t *testing.T) {
	for width := 60; width <= 200; width++ {
		for _, d := range []*report.Document{reporttest.Everything(), reporttest.Crowd(50)} {
			for line := range strings.Lines(summary(t, d, plaintext.Options{Width: width})) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("width %d: %d characters: %q", width, n, line)
				}
			}
		}
	}
}

// TestSummaryIsHarmless looks for anything that a terminal acts on.
func TestSummaryIsHarmless(t *testing.T) {
	for _, o := range []plaintext.Options{{}, {Width: 60}, {Width: 120, All: true}} {
		for _, r := range summary(t, reporttest.Everything(), o) {
			assert.Assert(t, (r == '\n' || unicode.IsPrint(r)) && r != utf8.RuneError, "%+v: character %U in the summary", o, r)
		}
	}
}

// TestSummaryColorChangesNoText takes the colours out again and expects the plain
// summary.
func TestSummaryColorChangesNoText(t *testing.T) {
	plain := summary(t, reporttest.Everything(), plaintext.Options{Width: 100})
	colored := summary(t, reporttest.Everything(), plaintext.Options{Width: 100, Color: true})
	assert.Assert(t, plain != colored, "no colours")
	for _, code := range []string{"0", "1", "2", "33"} {
		colored = strings.ReplaceAll(colored, "\x1b["+code+"m", "")
	}
	assert.Check(t, is.DeepEqual(colored, plain))
}

// TestSummaryLeavesOutNothingWithAll: of 200 connections the 30 worst have a line each,
// with --all each has a block.
func TestSummaryLeavesOutNothingWithAll(t *testing.T) {
	for _, c := range []struct {
		all           bool
		blocks, lines int
	}{{true, 200, 0}, {false, 0, 30}} {
		text := summary(t, reporttest.Crowd(200), plaintext.Options{Width: 80, All: c.all})
		if n := strings.Count(text, "\nconnection "); n-strings.Count(text, "\nconnection  ") != c.blocks {
			t.Errorf("all %v: %d blocks, want %d", c.all, n, c.blocks)
		}
		_, table, _ := strings.Cut(text, "with the most data")
		if n := len(regexp.MustCompile(`(?m)^ +\d+ `).FindAllString(table, -1)); n != c.lines {
			t.Errorf("all %v: %d lines, want %d", c.all, n, c.lines)
		}
	}
}

// TestSummaryOfOneDirection: lines on the selected direction are the same as in a summary of both
// directions. No line is about the other direction; lists of many connections have a dash for it.
func TestSummaryOfOneDirection(t *testing.T) {
	both := strings.Split(summary(t, reporttest.Everything(), plaintext.Options{Width: 200}), "\n")
	d := reporttest.Everything()
	report.Only(d, report.B2A)
	text := summary(t, d, plaintext.Options{Width: 200})
	assert.Check(t, !strings.Contains(text, "a2b:") && !strings.Contains(text, " a2b  5"), "the other direction is mentioned:\n%s", text)
	for _, line := range both {
		assert.Check(t, !strings.Contains(line, "b2a:") || strings.Contains(text, line), "missing: %s", line)
	}
	assert.Check(t, strings.Contains(text, "-  1.01 MB  2.86 kB"), "of the plain connection not 1.01 MB, 2.86 kB of them again:\n%s", text)
	many := reporttest.Crowd(200)
	report.Only(many, report.B2A)
	if text := summary(t, many, plaintext.Options{Width: 100}); !strings.Contains(text, "-  199 kB") {
		t.Errorf("the list of many:\n%s", text)
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain – text", "plain – text"},
		{"\x1b[31mred", `\x1b[31mred`},
		{"a\tb\nc\rd", `a\tb\nc\rd`},
		{"\u202egnp", `\u202egnp`},
		{"\x9b31m", `\x9b31m`},
		{"c1 \u009b", `c1 \u009b`},
		{"zero\u200bwidth", `zero\u200bwidth`},
		{"\xff\x00", `\xff\x00`},
		{"real \ufffd", "real \ufffd"},
	} {
		if got := plaintext.Clean(c.in); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[0m\u202e\xc3(")
	f.Add("it's \"quoted\" \\x1b")
	f.Fuzz(func(t *testing.T, s string) {
		got := plaintext.Clean(s)
		for _, r := range got {
			assert.Assert(t, unicode.IsPrint(r), "%q gave %U", s, r)
		}
		if again := plaintext.Clean(got); again != got {
			t.Fatalf("%q gave %q, which is not clean", s, got)
		}
	})
}

// TestSummaryFloors: in a connection of 10 s, a window that is full for 100 ms and one chunk of
// 2000 that is out of order are mentioned; less is not.
func TestSummaryFloors(t *testing.T) {
	for _, tt := range []struct {
		duration, limited, ratio float64
		window, order            bool
	}{
		{10, 100, 0.0005, true, true},
		{10, 99.9, 0.00049, false, false},
		{10, 0.004, 0, false, false},
		{1000, 999, 0.5, false, true},
		{1000, 1000, 0.5, true, true},
		{0, 0, 0, false, false},
	} {
		d := &report.Document{Connections: []report.Connection{{DurationS: tt.duration, B2A: &report.ConnDir{
			Bytes: new(int64(1)), RwndLimitedMS: &tt.limited, OutOfOrder: &report.OutOfOrder{Ratio: tt.ratio},
		}}}}
		text := summary(t, d, plaintext.Options{})
		if got := strings.Contains(text, "receive window used up"); got != tt.window {
			t.Errorf("%+v: the window is mentioned: %v", tt, got)
		}
		if got := strings.Contains(text, "out of order"); got != tt.order {
			t.Errorf("%+v: the order is mentioned: %v", tt, got)
		}
	}
}
