package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

// TestOverlayFlag: a file without usable rows is an error before anything is analysed; rows that are
// left out are a warning; a figure or a command line that cannot show the series is refused.
func TestOverlayFlag(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	capture, good, bad := file("a.pcap", "sound stream"), file("good.csv", "time,value,name\n0,1,x\nsoon,1,x\n"), file("bad.csv", "when,value\n")
	page := filepath.Join(dir, "x.html")
	for _, tt := range []struct {
		args  []string
		code  cli.ExitCode
		want  string
		asked int
	}{
		{[]string{"report", capture, "-o", page, "--overlay", good}, cli.ExitOK, "good.csv: 1 of 2 rows are left out: line 3: time \"soon\"", 1},
		{[]string{"report", capture, "-o", page, "--overlay", bad}, cli.ExitFailed, "--overlay " + bad + ": line 1: want a header", 0},
		{[]string{"report", capture, "-o", page, "--overlay", filepath.Join(dir, "none.csv")}, cli.ExitFailed, "none.csv", 0},
		{[]string{"report", capture, "-o", good, "--overlay", good}, cli.ExitFailed, "good.csv", 0},
		{[]string{"why", capture, "--overlay", good}, cli.ExitOK, "good.csv: 1 of 2 rows are left out", 1},
		{[]string{"why", capture, "--overlay", bad}, cli.ExitFailed, "want a header", 0},
		{[]string{"plot", capture, "-o", "x.svg", "--overlay", bad}, cli.ExitFailed, "want a header", 0},
		{[]string{"plot", capture, "-o", "x.svg", "--kind", "dsn", "--overlay", good}, cli.ExitFailed, "--overlay needs --kind series", 0},
		{[]string{"plot", "x=" + capture, "y=" + capture, "-o", "x.svg", "--overlay", good}, cli.ExitFailed, "--overlay belongs to one run", 0},
	} {
		f := new(fake)
		r := run(f, nil, tt.args...)
		if r.code != tt.code || !strings.Contains(r.err, tt.want) || len(f.asked) != tt.asked {
			t.Errorf("%v: status %d, %d analyses, %q; want %d, %d, %q", tt.args, r.code, len(f.asked), r.err, tt.code, tt.asked, tt.want)
		}
	}
}
