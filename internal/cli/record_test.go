//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/testrun"
)

// shells are those with which the script runs; those that are not here are left out.
func shells(t *testing.T) (found [][]string) {
	t.Helper()
	for _, s := range [][]string{{"sh"}, {"dash"}, {"busybox", "ash"}} {
		if path, err := exec.LookPath(s[0]); err == nil {
			found = append(found, append([]string{path}, s[1:]...))
		}
	}
	return found
}

// inShells runs a test in each shell, at the same time: the script waits most of it.
func inShells(t *testing.T, what string, test func(t *testing.T, shell []string)) {
	for _, shell := range shells(t) {
		t.Run(filepath.Base(shell[0])+what, func(t *testing.T) {
			t.Parallel()
			test(t, shell)
		})
	}
}

// recordPlace is where the script runs: a folder to be in, and one with tools.
type recordPlace struct{ dir, script, tools string }

// newRecordPlace links the tools that the script cannot do without, and writes the others.
func newRecordPlace(t *testing.T, others map[string]string) *recordPlace {
	t.Helper()
	p := &recordPlace{t.TempDir(), filepath.Join(t.TempDir(), "record.sh"), t.TempDir()}
	write := func(name, text string, mode os.FileMode) {
		assert.NilError(t, os.WriteFile(name, []byte(text), mode))
	}
	write(p.script, recordScript, 0o600)
	for _, name := range []string{"sh", "mkdir", "grep", "cat", "head", "rm", "sleep", "date"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		assert.NilError(t, os.Symlink(path, filepath.Join(p.tools, name)))
	}
	for name, text := range others {
		write(filepath.Join(p.tools, name), "#!/bin/sh\n"+text+"\n", 0o700)
	}
	return p
}

// run runs the script in a shell, for some seconds or 0 for no end, into the folder host.
func (p *recordPlace) run(t *testing.T, shell []string, first, seconds string, env ...string) (said string, status int) {
	t.Helper()
	words := append(slices.Clone(shell[1:]), "-c", first+`. "$0"`, p.script, "host", seconds)
	c := testrun.Command(t, shell[0], words...)
	c.Dir, c.Env = p.dir, append([]string{"PATH=" + p.tools}, env...)
	out, err := c.CombinedOutput()
	assert.Assert(t, err == nil || c.ProcessState != nil, "%v", err)
	return string(out), c.ProcessState.ExitCode()
}

// The script ends well where nothing is installed, and names each tool that is missing.
func TestRecordWithoutTools(t *testing.T) {
	inShells(t, "", func(t *testing.T, shell []string) {
		p := newRecordPlace(t, nil)
		said, status := p.run(t, shell, `set -- -i lo "$@"; `, "1")
		text, err := os.ReadFile(filepath.Join(p.dir, "host", "missing.txt"))
		assert.Assert(t, status == 0 && err == nil, "status %d, %v: %s", status, err, said)
		for _, name := range []string{"tcpdump", "ss", "nstat", "ip", "tc", "sysctl", "uname"} {
			find := testrun.Command(t, shell[0], append(slices.Clone(shell[1:]), "-c", "command -v "+name)...)
			find.Env = []string{"PATH=" + p.tools}
			if find.Run() == nil {
				continue // busybox may find its own tools without PATH
			}
			n := strings.Count("\n"+string(text), "\n"+name+": ")
			assert.Check(t, n == 1, "%s is missing %d times in\n%s", name, n, text)
		}
	})
}

// TestRecordIsPrivate: nobody else can read the record, wherever CDPATH leads.
func TestRecordIsPrivate(t *testing.T) {
	inShells(t, "", func(t *testing.T, shell []string) {
		p := newRecordPlace(t, map[string]string{"ss": "echo a row", "uname": "echo kernel"})
		other := filepath.Join(p.dir, "other", "host")
		assert.NilError(t, os.MkdirAll(other, 0o755))
		said, status := p.run(t, shell, "umask 022; ", "1", "CDPATH="+filepath.Dir(other))
		entries, err := os.ReadDir(filepath.Join(p.dir, "host"))
		assert.Check(t, status == 0 && err == nil && len(entries) >= 5, "status %d, %d files, %v: %s", status, len(entries), err, said)
		for _, e := range entries {
			info, err := e.Info()
			assert.Check(t, err == nil && info.Mode().Perm()&0o077 == 0, "%s: %v, %v", e.Name(), info.Mode(), err)
		}
		if info, err := os.Stat(filepath.Join(p.dir, "host")); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder: %v, %v", info.Mode(), err)
		}
		astray, err := os.ReadDir(other)
		assert.Check(t, err == nil && len(astray) == 0, "written into the folder of CDPATH: %v, %v", astray, err)
	})
}

// TestRecordFullDisk: where a file cannot grow, the script ends with status 1, and names the file.
func TestRecordFullDisk(t *testing.T) {
	long := "i=0; while [ $i -lt 100 ]; do echo a line of some forty letters in each of the rows; i=$((i + 1)); done"
	for file, tools := range map[string]map[string]string{
		"uname.txt":    {"uname": long, "nstat": "echo counters", "ss": "echo a row"},
		"sysctl.txt":   {"sysctl": long, "nstat": "echo counters", "ss": "echo a row"},
		"nstat.before": {"nstat": long, "ss": "echo a row"},
		"nstat.after":  {"nstat": "[ ! -e ss.txt ] || { " + long + "; }", "ss": "echo a row"},
		"ss.txt":       {"nstat": "echo counters", "ss": "[ \"$1\" = -V ] || { " + long + "; }"},
	} {
		seconds := "1"
		if file == "ss.txt" {
			seconds = "0" // it ends by itself
		}
		inShells(t, " "+file, func(t *testing.T, shell []string) {
			p := newRecordPlace(t, tools)
			said, status := p.run(t, shell, "trap '' XFSZ; ulimit -f 2; ", seconds)
			assert.Check(t, status == 1 && strings.Contains(said, "record: cannot write host/"+file+": make room") && !strings.Contains(said, "is written"),
				"status %d: %s", status, said)
		})
	}
}

// TestRecordToolEnds: a tool that ends during the record is said at once, stands in missing.txt, and
// makes the status 1. The rest is recorded.
func TestRecordToolEnds(t *testing.T) {
	for name, c := range map[string]struct{ tool, text, missing string }{
		"at once": {"tcpdump", "echo 'tcpdump: listening on lo' >&2; echo 'no right to capture' >&2; exit 1", "tcpdump: it ended: no right to capture"},
		"later":   {"tcpdump", "while [ ! -s ss.txt ]; do sleep 0.1; done; echo 'the interface went away' >&2; exit 1", "tcpdump: it ended: the interface went away"},
		"monitor": {"ip", `case $* in "-ts mptcp monitor") exit 0 ;; esac`, "ip mptcp monitor: it ended: "},
	} {
		inShells(t, " "+name, func(t *testing.T, shell []string) {
			ends := "echo a row; if grep -q 'it ended' missing.txt; then kill -TERM $RECORD; fi"
			p := newRecordPlace(t, map[string]string{"ss": ends, c.tool: c.text})
			said, status := p.run(t, shell, "RECORD=$$; export RECORD; ", "0")
			missing, err := os.ReadFile(filepath.Join(p.dir, "host", "missing.txt"))
			assert.Check(t, status == 1 && err == nil && strings.Contains(string(missing), c.missing) && strings.Contains(said, " ended: ") && strings.Contains(said, "is written"),
				"status %d, %v\n%s\n%s", status, err, missing, said)
		})
	}
}

// A folder that exists is not written into, and the arguments are checked.
func TestRecordMistakes(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{nil, []string{"usage"}}, {[]string{t.TempDir()}, []string{"cannot make the folder"}}, {[]string{filepath.Join(t.TempDir(), "x"), "soon"}, []string{"no number"}},
	} {
		sh := shells(t)[0]
		run := testrun.Command(t, sh[0], append([]string{"-c", recordScript, "record"}, c.args...)...)
		var said bytes.Buffer
		run.Stderr = &said
		err := run.Run()
		assert.Check(t, err != nil && strings.Contains(said.String(), c.want[0]), "%v: %v, %s", c.args, err, &said)
	}
	for _, o := range []struct {
		recordOptions
		args []string
		ok   bool
	}{
		{recordOptions{print: true}, nil, true},
		{recordOptions{print: true}, []string{"x"}, false},
		{recordOptions{}, nil, false},
		{recordOptions{}, []string{"x", "10"}, true},
		{recordOptions{}, []string{"x", "1", "2"}, false},
	} {
		err := o.check(o.args)
		assert.Check(t, (err == nil) == o.ok, "%v: %v", o.args, err)
	}
}
