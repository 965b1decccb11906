package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

// TestRemovedCommands: a command that was removed says what to use instead, whatever its arguments
// are, and does not stand in the help.
func TestRemovedCommands(t *testing.T) {
	for args, want := range map[string]string{
		"split x.pcap --parts 3 --out parts": "the command split was removed: analyze reads",
		"split --help":                       "extract --connection 0-99",
		"merge parts --part 2":               "the command merge was removed: analyze reports",
	} {
		var f fake
		r := run(&f, nil, strings.Fields(args)...)
		if r.code != cli.ExitDamaged || r.out != "" || len(f.asked) > 0 || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q", args, r.code, r.out, r.err)
		}
	}
	if r := run(new(fake), nil, "--help"); strings.Contains(r.out, "  split") || strings.Contains(r.out, "  merge") {
		t.Errorf("the help lists what was removed:\n%s", r.out)
	}
}

// TestOldNames: commands, flags and tables work by the names that they had before, and say the new
// ones. The help does not have the old ones.
func TestOldNames(t *testing.T) {
	for _, c := range []struct{ old, now, line string }{
		{"figures", "task", "the command figures is called task now"},
		{"pair FILE FILE", "analyze --both FILE FILE", "pair FILE FILE is written analyze --both FILE FILE now"},
		{"pair FILE", "analyze --both FILE", "pair FILE FILE is written analyze --both FILE FILE now"},
		{"task --out DIR x=FILE", "task --output DIR x=FILE", "--out is written --output now"},
		{"compare --landscape x=FILE", "compare --latex-float sideways x=FILE", "--landscape is written --latex-float=sideways now"},
		{"compare --table fed23 x=FILE", "compare --table fi23 x=FILE", "--table fed23 is --table fi23 now"},
		{"analyze --no-color -", "analyze --color=never -", "--no-color is written --color=never now"},
		{"why --no-color=true -", "why --color=never -", "--no-color is written --color=never now"},
	} {
		dir := t.TempDir()
		words := strings.NewReplacer("FILE", filepath.Join(dir, "none.pcap"), "DIR", filepath.Join(dir, "results"))
		old := run(new(fake), nil, strings.Fields(words.Replace(c.old))...)
		now := run(new(fake), nil, strings.Fields(words.Replace(c.now))...)
		said, rest, _ := strings.Cut(old.err, "\n")
		if !strings.Contains(said, c.line) || old.code != now.code || old.out != now.out || rest != now.err {
			t.Errorf("%s: status %d, %q, stderr %q\n%s: status %d, %q, stderr %q", c.old, old.code, old.out, old.err, c.now, now.code, now.out, now.err)
		}
		if name, flag, _ := strings.Cut(c.old, " --"); flag != "" && !strings.HasPrefix(flag, "table") {
			flag, _, _ = strings.Cut(flag, " ")
			flag, _, _ = strings.Cut(flag, "=")
			if r := run(new(fake), nil, name, "--help-all"); strings.Contains(r.out, "--"+flag+" ") || strings.Contains(r.out, "--"+flag+"\n") {
				t.Errorf("the help of %s has --%s:\n%s", name, flag, r.out)
			}
		}
	}
}

// TestOldFlagOff: an old flag that is set to false changes nothing.
func TestOldFlagOff(t *testing.T) {
	colours := func(s *cli.Streams) { s.OutTTY, s.Getenv = true, func(string) string { return "" } }
	for flag, want := range map[string]bool{"--no-color=false": true, "--no-color": false, "--color=auto": true} {
		if r := run(new(fake), colours, "analyze", "-", flag); r.code != cli.ExitOK || strings.Contains(r.out, "\x1b[") != want {
			t.Errorf("%s: status %d, colours %v wanted, stdout %q, stderr %q", flag, r.code, want, r.out, r.err)
		}
	}
	if r := run(new(fake), nil, "analyze", "-", "--no-color=maybe"); r.code != cli.ExitFailed || !strings.Contains(r.err, "want true or false") {
		t.Errorf("--no-color=maybe: status %d, stderr %q", r.code, r.err)
	}
}
