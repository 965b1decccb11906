package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

// TestGates judges a report in which the direction b2a has 10 bytes and no other figure: "from
// stdin" is the stream.
func TestGates(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	damaged, empty := file("damaged", "damaged from stdin"), file("empty", "sound ")
	for _, c := range []struct {
		file   string
		failOn []string
		code   cli.ExitCode
		said   string
	}{
		{"-", []string{"bytes < 10"}, cli.ExitOK, ""},
		{"-", []string{"bytes<=10"}, cli.ExitWorse, "--fail-on bytes<=10: connection 0, b2a: 10 bytes, limit 10 bytes"},
		{"-", []string{"bytes < 10", "b2a.bytes < 1kB"}, cli.ExitWorse, "--fail-on b2a.bytes < 1kB: connection 0, b2a: 10 bytes, limit 1000 bytes"},
		{"-", []string{"a2b.bytes < 10"}, cli.ExitCannotTell, "--fail-on a2b.bytes < 10: cannot tell: connection 0, a2b: no data in this direction"},
		{"-", []string{"goodput < 10"}, cli.ExitCannotTell, "--fail-on goodput < 10: cannot tell: connection 0, b2a: "},
		{"-", []string{"goodput < 10", "bytes < 11"}, cli.ExitWorse, "cannot tell"},
		{damaged, []string{"bytes < 10"}, cli.ExitDamaged, "packet 3"},
		{damaged, []string{"bytes < 11"}, cli.ExitWorse, "packet 3"},
		{damaged, []string{"goodput < 11"}, cli.ExitCannotTell, "packet 3"},
		{empty, []string{"bytes < 10"}, cli.ExitFailed, "no connection with Multipath TCP carried data"},
	} {
		args := []string{"analyze", c.file}
		for _, text := range c.failOn {
			args = append(args, "--fail-on", text)
		}
		r := run(new(fake), nil, args...)
		if r.code != c.code || !strings.Contains(r.err, c.said) || !strings.Contains(r.out, "connection 0") {
			t.Errorf("%v: status %d, want %d; %s%s", args, r.code, c.code, r.err, r.out)
		}
	}
}
