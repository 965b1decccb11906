package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

func TestHTMLReport(t *testing.T) {
	out := filepath.Join(t.TempDir(), "report.html")
	r := run(new(fake), nil, "report", "-", "-o", out)
	if r.code != cli.ExitOK || r.out+r.err != "" {
		t.Fatalf("status %d, output %q, errors %q", r.code, r.out, r.err)
	}
	text, err := os.ReadFile(out)
	if err != nil || !strings.HasPrefix(string(text), "<!DOCTYPE html>") || !strings.Contains(string(text), "one path only") {
		t.Errorf("no page with the verdict in %s: %v", out, err)
	}
	if r = run(new(fake), nil, "report", "-"); r.code != cli.ExitFailed || !strings.Contains(r.err, "the file to write is missing") {
		t.Errorf("status %d, errors %q", r.code, r.err)
	}
}

// TestHTMLReportOfDamage: the page has what was read before the damage, and the exit status says
// that it is incomplete.
func TestHTMLReportOfDamage(t *testing.T) {
	damaged := func(s *cli.Streams) { s.In = strings.NewReader("damaged stream") }
	r := run(new(fake), damaged, "report", "-", "-o", "-")
	if r.code != cli.ExitDamaged || !strings.Contains(r.out, "</html>") || !strings.Contains(r.err, "packet 3") {
		t.Errorf("status %d, errors %q, output ends in %q", r.code, r.err, r.out[max(0, len(r.out)-20):])
	}
}
