package differential

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/tcptrace"
	"mpanalyze/internal/testrun"
)

// TestXplot has xplot itself read every graph of the sessions. xplot reads all
// files before it shows the first, ends at the first line that it does not
// understand, and names it: given a file of nonsense last, it must come as far
// as that.
func TestXplot(t *testing.T) {
	need(t, "xplot.org")
	need(t, "Xvfb")
	display := screen(t)
	for _, name := range append([]string{"v1/f-handover/client.pcap.zst", "v0/abort/client.pcap.zst"}, drawn...) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			g, err := tcptrace.NewGraphs(dir)
			assert.NilError(t, err)
			if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{filepath.Join(bundled, name)}, Modules: []conn.Module{g}}); err != nil {
				t.Fatal(err)
			}
			assert.NilError(t, g.Finish())
			files, err := filepath.Glob(filepath.Join(dir, "*.xpl"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no graphs: %v", err)
			}
			for _, nonsense := range []string{"nonsense that comes first", "nonsense that comes last"} {
				end := filepath.Join(dir, "end")
				assert.NilError(t, os.WriteFile(end, []byte("timeval double\n"+nonsense+"\ngo\n"), 0o666))
				args := append(slices.Clone(files), end)
				if strings.HasSuffix(nonsense, "first") {
					args = append([]string{end}, files...)
				}
				complained(t, display, nonsense, args)
			}
		})
	}
}

// screen starts an X server that draws into memory, and returns the name of its
// display.
func screen(t *testing.T) string {
	t.Helper()
	in, out, err := os.Pipe()
	assert.NilError(t, err)
	defer in.Close()
	cmd := testrun.Command(t, "Xvfb", "-displayfd", "3", "-noreset", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{out}
	assert.NilError(t, cmd.Start())
	out.Close()
	t.Cleanup(func() {
		assert.Check(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait() // it says that it was interrupted
	})
	number, err := bufio.NewReader(in).ReadString('\n')
	assert.NilError(t, err, "Xvfb")
	return ":" + strings.TrimSpace(number)
}

// complained fails unless xplot ends with a complaint about the line.
func complained(t *testing.T, display, line string, args []string) {
	t.Helper()
	var said bytes.Buffer
	cmd := testrun.Command(t, "xplot.org", args...)
	cmd.Stderr, cmd.Env = &said, append(os.Environ(), "DISPLAY="+display)
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("xplot: %v, want exit status 1", err)
	}
	if got := said.String(); !strings.Contains(got, "offending line: "+line) {
		t.Errorf("xplot complains about another line than %q:\n%s", line, got)
	}
}
