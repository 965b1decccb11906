package helptext

import (
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"paragraphs", "One\nline.\n\nAnother.", "One\nline.\n\nAnother."},
		{"a list", "Kinds:\n  dsn     numbers\n  series  metrics", "Kinds:\n\n- `dsn`: numbers\n- `series`: metrics"},
		{"an item of two lines", "  dsn  numbers\n       over time\n  ssn  others", "- `dsn`: numbers over time\n- `ssn`: others"},
		{"a table", "It takes\n\n  runs  2   3\n  of each  4   5", "It takes\n\n      runs  2   3\n      of each  4   5"},
		{"options", "With --csv (--packets) too", "With `--csv` (`--packets`) too"},
		{"what Markdown knows", "reports (*.json), max_rtt", "reports (\\*.json), max\\_rtt"},
	} {
		if got := Markdown(c.text); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestKindsAreAList holds that the list of the kinds of figures is a list.
func TestKindsAreAList(t *testing.T) {
	root := cli.NewRoot(cli.Streams{}, cli.Engine{}, "")
	Tree(root)
	plot, _, err := root.Find([]string{"plot"})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"dsn", "series", "grid", "rec16"} {
		if !strings.Contains(plot.Long, "\n- `"+kind+"`: ") {
			t.Errorf("%s is no item of a list:\n%s", kind, plot.Long)
		}
	}
}
