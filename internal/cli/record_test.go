//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// The script ends well where nothing is installed, and names each tool that is missing.
func TestRecordWithoutTools(t *testing.T) {
	script := filepath.Join(t.TempDir(), "record.sh")
	if err := os.WriteFile(script, []byte(recordScript), 0o600); err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	for _, name := range []string{"mkdir", "grep", "cat", "head", "rm", "sleep", "date"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, shell := range shells(t) {
		dir := filepath.Join(t.TempDir(), "host")
		c := testrun.Command(t, shell[0], append(shell[1:], script, "-i", "lo", dir, "1")...)
		c.Env = []string{"PATH=" + tools}
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", shell, err, out)
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "missing.txt"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range []string{"tcpdump", "ss", "nstat", "ip", "tc", "sysctl", "uname"} {
			find := testrun.Command(t, shell[0], append(shell[1:], "-c", "command -v "+name)...)
			find.Env = c.Env
			if find.Run() == nil {
				continue // busybox may find its own tools without PATH
			}
			if n := strings.Count("\n"+string(text), "\n"+name+": "); n != 1 {
				t.Errorf("%v: %s is missing %d times in\n%s", shell, name, n, text)
			}
		}
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
		if err := run.Run(); err == nil || !strings.Contains(said.String(), c.want[0]) {
			t.Errorf("%v: %v, %s", c.args, err, &said)
		}
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
		{recordOptions{}, []string{"x", "0"}, false},
		{recordOptions{}, []string{"x", "1", "2"}, false},
	} {
		if err := o.check(o.args); (err == nil) != o.ok {
			t.Errorf("%v: %v", o.args, err)
		}
	}
}
