package textwrap_test

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/textwrap"
)

func TestFill(t *testing.T) {
	for _, c := range []struct {
		text, first, rest string
		width             int
		want              []string
	}{
		{"one two three", "", "  ", 7, []string{"one two", "  three"}},
		{"one two three", "- ", "  ", 9, []string{"- one two", "  three"}},
		{"one two three", "", "", 0, []string{"one two three"}},
		{"averylongword b", "", "", 4, []string{"averylongword", "b"}},
		{"žluťoučký kůň", "", "", 13, []string{"žluťoučký kůň"}}, // 13 characters, 18 bytes
		{"  \n ", "x", "", 5, []string{"x"}},
	} {
		if got := textwrap.Fill(c.text, c.first, c.rest, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestReflow(t *testing.T) {
	const text = "One paragraph of\ntwo lines.\n\nKinds:\n  box    a box per scenario\n  x      short\n    indented without a second column"
	for width, want := range map[int]string{
		20: "One paragraph of two\nlines.\n\nKinds:\n  box    a box per\n         scenario\n  x      short\n    indented without\n      a second\n      column",
		80: "One paragraph of two lines.\n\nKinds:\n  box    a box per scenario\n  x      short\n    indented without a second column",
	} {
		if got := textwrap.Reflow(text, width); got != want {
			t.Errorf("width %d:\n%s\nwant\n%s", width, got, want)
		}
	}
}

// TestCommand: what a shell makes of the lines is what it makes of the one line.
func TestCommand(t *testing.T) {
	const line = `  mpanalyze why x.pcap --json | jq '.a | select(.b == "c d e f g h")' -- --flag value`
	got := textwrap.Command(line, 40)
	want := []string{`  mpanalyze why x.pcap --json | jq \`, `    '.a | select(.b == "c d e f g h")' \`, `    -- --flag value`}
	assert.Check(t, slices.Equal(got, want), "%q, want %q", got, want)
	joined := strings.ReplaceAll(strings.Join(got, "\n"), "\\\n", "")
	assert.Check(t, strings.Join(strings.Fields(joined), " ") == strings.TrimSpace(line), "a shell reads %q", joined)
	if got := textwrap.Command("  short", 80); !slices.Equal(got, []string{"  short"}) {
		t.Errorf("%q", got)
	}
}
