package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/launch"
	"mpanalyze/internal/testrun"
)

// mistakes is the table of wrong input: for each a command line behind "$ ", the lines of
// standard error, and the exit status. Words are separated by blanks; quotes are those of
// a shell.
const mistakes = "testdata/mistakes.txt"

// TestMistakes gives the program wrong input of every kind. It says what is wrong, where, and
// what to do: exactly what the table has. A command that needs no shell runs in this process;
// the others start the program.
func TestMistakes(t *testing.T) {
	dir, env := mistakesDir(t)
	table, err := os.ReadFile(mistakes)
	assert.NilError(t, err)
	file, err := filepath.Abs(mistakes)
	assert.NilError(t, err)
	t.Chdir(dir)
	var got strings.Builder
	n := 0
	for entry := range strings.SplitSeq(string(table), "\n\n") {
		command, found := strings.CutPrefix(strings.SplitN(entry, "\n", 2)[0], "$ ")
		if !found {
			fmt.Fprintf(&got, "%s\n\n", strings.TrimSuffix(entry, "\n")) // a heading
			continue
		}
		n++
		run := mistaken
		if strings.HasPrefix(command, "mpanalyze ") && !strings.ContainsAny(command, `|<>;&$"'*()`) {
			run = mistakenHere
		}
		stderr, status := run(t, dir, env, command)
		if strings.Contains(stderr, "this program has no libpcap") {
			fmt.Fprintf(&got, "%s\n", strings.TrimSuffix(entry, "\n")+"\n")
			continue
		}
		now := fmt.Sprintf("$ %s\n%sexit status %d\n", command, stderr, status)
		want := strings.TrimSuffix(entry, "\n") + "\n"
		assert.Check(t, now == want || golden.FlagUpdate(), "%s\nsays\n%s\nwant\n%s", command, now, want)
		fmt.Fprintf(&got, "%s\n", now)
		for line := range strings.Lines(stderr) {
			assert.Check(t, strings.HasPrefix(line, "mpanalyze: "), "%s: %q does not name the program", command, line)
		}
		assert.Check(t, stderr != "" && (status != 0 || strings.Contains(command, "plot")), "%s: exit status %d, and %q: no mistake", command, status, stderr)
	}
	assert.Check(t, n >= 60, "%d mistakes in the table, want at least 60", n)
	if golden.FlagUpdate() {
		assert.NilError(t, os.WriteFile(file, []byte(strings.TrimSuffix(got.String(), "\n")), 0o666))
		t.Errorf("%s was written anew", mistakes)
	}
}

// mistakenHere does what mistaken does, in this process, whose directory is dir.
func mistakenHere(t *testing.T, dir string, env []string, command string) (stderr string, status int) {
	t.Helper()
	getenv := func(name string) string {
		for _, v := range slices.Backward(env) {
			if value, found := strings.CutPrefix(v, name+"="); found {
				return value
			}
		}
		return ""
	}
	said, code := runHere(strings.Fields(command)[1:], getenv)
	return strings.ReplaceAll(said, dir, "DIR"), int(code)
}

// runHere runs the program in this process and returns what it says on standard error.
func runHere(args []string, getenv func(string) string) (stderr string, code cli.ExitCode) {
	var errs bytes.Buffer
	code = cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &errs, Getenv: getenv, Now: time.Now}, launch.Engine(), "")
	return errs.String(), code
}

// mistaken runs a command line and returns what it says, with the directory as DIR.
func mistaken(t *testing.T, dir string, env []string, command string) (stderr string, status int) {
	t.Helper()
	cmd := testrun.Command(t, "sh", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return strings.ReplaceAll(errs.String(), dir, "DIR"), cmd.ProcessState.ExitCode()
}

// mistakesDir makes a directory of files that are no captures, and of some that are.
func mistakesDir(t *testing.T) (dir string, env []string) {
	t.Helper()
	if _, err := os.Stat("/dev/full"); err != nil || runtime.GOOS != "linux" {
		t.Skip("the messages of the system are those of Linux, and a full disk is /dev/full")
	}
	_, env = workshop(t)
	dir = t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("a text that somebody packed\n")); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	capture, err := os.ReadFile(filepath.Join(sessions, "v1/l-single-loss/client.pcap.zst"))
	assert.NilError(t, err)
	for name, text := range map[string]string{
		"session.pcap": string(capture),
		"cut.pcap":     string(capture[:len(capture)/2]),
		"empty.pcap":   "",
		"page.pcap":    "<!DOCTYPE html>\n<html><body>404</body></html>\n",
		"notes.txt":    "These are the notes of the measurement.\n",
		"notes.gz":     packed.String(),
		"data.json":    `{"connections": 3}` + "\n",
		"report.json":  `{ "schema": "mpanalyze/1", "captures": [] }` + "\n",
		"pointer.pcap": "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
		"runs.csv":     "scenario,run\none,1\n",
		"folder/x":     "",
	} {
		name = filepath.Join(dir, name)
		assert.NilError(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)))
	}
	for name, session := range map[string]string{"client.pcap": "v1/p-skew/client.pcap.zst", "server.pcap": "v1/p-skew/server.pcap.zst", "plain.pcap": "v1/j-plain-server/client.pcap.zst"} {
		assert.NilError(t, os.Symlink(filepath.Join(mustAbs(t, sessions), session), filepath.Join(dir, name)))
	}
	return dir, append(env, "LC_ALL=C")
}

func mustAbs(t *testing.T, name string) string {
	t.Helper()
	full, err := filepath.Abs(name)
	assert.NilError(t, err)
	return full
}
