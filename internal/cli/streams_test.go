package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/cli"
)

func TestColor(t *testing.T) {
	env := func(key, value string) func(*cli.Streams) {
		return func(s *cli.Streams) {
			s.OutTTY = true
			s.Getenv = func(k string) string {
				if k == key {
					return value
				}
				return ""
			}
		}
	}
	for _, c := range []struct {
		name    string
		streams func(*cli.Streams)
		flag    string
		want    bool
	}{
		{"pipe", nil, "--color=auto", false},
		{"terminal", env("", ""), "--color=auto", true},
		{"NO_COLOR", env("NO_COLOR", "1"), "--color=auto", false},
		{"dumb terminal", env("TERM", "dumb"), "--color=auto", false},
		{"a wish beats NO_COLOR", env("NO_COLOR", "1"), "--color=always", true},
		{"never", env("", ""), "--color=never", false},
		{"a wish for a pipe", nil, "--color=always", true},
	} {
		r := run(new(fake), c.streams, "analyze", "-", c.flag)
		assert.Check(t, is.Equal(strings.Contains(r.out, "\x1b["), c.want), "%s: colours", c.name)
	}
}

// TestWidth: the flag beats the terminal, and a pipe has no width.
func TestWidth(t *testing.T) {
	longest := func(r result) (n int) {
		for line := range strings.Lines(r.out) {
			n = max(n, len([]rune(line))-1)
		}
		return n
	}
	terminal := func(s *cli.Streams) { s.OutTTY, s.OutWidth = true, 60 }
	for _, c := range []struct {
		streams  func(*cli.Streams)
		args     []string
		min, max int
	}{
		{terminal, []string{"analyze", "-", "--color=never"}, 1, 60},
		{terminal, []string{"analyze", "-", "--color=never", "--width", "80"}, 61, 80},
		{nil, []string{"analyze", "-"}, 90, 1000},
		{terminal, []string{"connections", "-"}, 40, 60},
		{nil, []string{"connections", "-"}, 90, 1000},
	} {
		n := longest(run(new(fake), c.streams, c.args...))
		assert.Check(t, n >= c.min && n <= c.max, "%v: longest line %d, want %d to %d", c.args, n, c.min, c.max)
	}
}

// broken is a pipe whose reader has closed it.
type broken struct{}

func (broken) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "stdout", Err: syscall.EPIPE}
}

// TestBrokenPipe: if the reader closes the pipe, it is no error, and the other files that were
// requested are still written.
func TestBrokenPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	for _, args := range [][]string{
		{"analyze", "-"},
		{"analyze", "-", "--json"},
		{"analyze", "-", "--json=" + file},
		{"connections", "-"},
		{"follow", "-", "--direction", "b2a"},
		{"explain", "--schema"},
	} {
		r := run(new(fake), func(s *cli.Streams) { s.Out = broken{} }, args...)
		assert.Check(t, r.code == cli.ExitOK && r.err == "", "%v: exit status %d, stderr %q", args, r.code, r.err)
	}
	_, err := os.Stat(file)
	assert.Check(t, err)
}

func TestFollowSparesTheTerminal(t *testing.T) {
	terminal := func(s *cli.Streams) { s.OutTTY = true }
	r := run(new(fake), terminal, "follow", "-", "--direction", "b2a")
	assert.Check(t, r.code == cli.ExitFailed && r.out == "", "exit status %d, stdout %q", r.code, r.out)
	r = run(new(fake), terminal, "follow", "-", "--direction", "b2a", "--sha256")
	assert.Check(t, r.code == cli.ExitOK, "exit status %d: %s", r.code, r.err)
}

// TestMessagesAreHarmless: a file name cannot control the terminal.
func TestMessagesAreHarmless(t *testing.T) {
	r := run(new(fake), nil, "analyze", "\x1b]0;owned\x07.pcap")
	assert.Check(t, r.code == cli.ExitFailed && !strings.ContainsAny(r.err, "\x1b\x07") && strings.Contains(r.err, `\x1b]0;owned\a.pcap`), "exit status %d: %q", r.code, r.err)
}
