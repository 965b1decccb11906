package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

func TestPlotWritesFile(t *testing.T) {
	dir := t.TempDir()
	capture := filepath.Join(dir, "a=b.pcap") // a file, in spite of the sign
	if err := os.WriteFile(capture, []byte("sound stream"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "runs.svg")
	f := new(fake)
	r := run(f, nil, "plot", capture, "x="+capture, "x="+capture, "--kind", "box", "--metric", "bytes", "-o", out)
	said := fmt.Sprintf("mpanalyze: %[1]s and x %[1]s are the same capture: they are no two runs\nmpanalyze: %[1]s and x %[1]s are the same capture: they are no two runs\n", capture)
	if r.code != cli.ExitOK || r.out != "" || r.err != said {
		t.Fatalf("status %d, output %q, errors %q", r.code, r.out, r.err)
	}
	if len(f.asked) != 3 {
		t.Errorf("%d analyses, want 3: a file and two runs of x", len(f.asked))
	}
	svg, err := os.ReadFile(out)
	if err != nil || !bytes.Contains(svg, []byte("</svg>")) {
		t.Errorf("no figure in %s: %v", out, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".mpanalyze-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	r = run(f, nil, "plot", capture, "--kind", "box", "--metric", "bytes", "-o", "-", "--format", "pdf")
	if r.code != cli.ExitOK || !strings.HasPrefix(r.out, "%PDF") {
		t.Errorf("status %d, output begins with %.8q, want a PDF", r.code, r.out)
	}
}

func TestPlotUsage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "the file to write is missing"},
		{[]string{"-o", "x.gif"}, "ends in .svg, .png or .pdf"},
		{[]string{"-o", "x.svg", "--kind", "pie"}, "no kind of figure"},
		{[]string{"-o", "x.svg", "--metric", "srtt"}, "it takes no metric"},
		{[]string{"-o", "x.svg", "--from", "2s", "--to", "1s"}, "want a time after"},
		{[]string{"-o", "x.svg", "--kind", "owd"}, "--sender FILE --receiver FILE"},
		{[]string{"-o", "x.svg", "--width", "1000"}, "4 to 100 cm"},
		{[]string{"-o", "x.svg", "--connection", "-7"}, "want the id of a connection"},
		{[]string{"-o", "x.svg", "--legend", "left"}, "--legend"},
		{[]string{"-o", "x.svg", "--columns", "-1"}, "want a number of panels"},
		{[]string{"-o", "x.svg", "--font-size", "0.5"}, "4 to 40 points"},
		{[]string{"--figure", "box"}, "want KIND=FILE or KIND:METRIC,METRIC=FILE"},
		{[]string{"--figure", "box:=x.svg"}, "want KIND=FILE or KIND:METRIC,METRIC=FILE"},
		{[]string{"--figure", "box=x.svg", "--figure", "shares=x.svg"}, "would write the same file, x.svg"},
		{[]string{"--figure", "box=x.gif"}, "--figure x.gif: want a name that ends in .svg"},
		{[]string{"--figure", "box:rttt=x.svg"}, `no metric "rttt"`},
		{[]string{"--figure", "box=x.svg", "-o", "y.svg"}, "--figure and --output do not go together"},
		{[]string{"--figure", "box=x.svg", "--window"}, "--window needs --kind dsn"},
	} {
		r := run(new(fake), nil, append([]string{"plot", "-"}, tt.args...)...)
		if r.code != cli.ExitFailed || !strings.Contains(r.err, tt.want) {
			t.Errorf("%v: status %d, errors %q, want %q", tt.args, r.code, r.err, tt.want)
		}
	}
	// A session without data has nothing to draw; that is no usage error.
	r := run(new(fake), nil, "plot", "-", "-o", filepath.Join(t.TempDir(), "x.svg"))
	if r.code != cli.ExitFailed || !strings.Contains(r.err, "nothing to draw") {
		t.Errorf("status %d, errors %q", r.code, r.err)
	}
}
