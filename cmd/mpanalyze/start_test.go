package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/testrun"
)

// maxInit bounds what one package of ours may allocate before the program begins,
// in bytes: a list of metrics or of remedies fits (17 kB), a long regular expression, a font or
// a template (25 kB and more) does not.
const maxInit = 24 << 10

// TestStart holds that no package of ours prepares anything large, such as fonts or templates,
// before a command needs it: then the analysis of a small capture takes no longer than the start
// of the program. The Go runtime counts the bytes (GODEBUG=inittrace=1).
func TestStart(t *testing.T) {
	c := testrun.Command(t, os.Args[0], "explain", "--schema")
	c.Env = append(os.Environ(), asProgram+"=1", "GODEBUG=inittrace=1")
	var said strings.Builder
	c.Stderr = &said
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	seen := 0
	for line := range strings.Lines(said.String()) {
		f := strings.Fields(line) // init PACKAGE @1.2 ms, 0.1 ms clock, N bytes, M allocs
		if len(f) < 10 || f[0] != "init" || !strings.HasPrefix(f[1], "mpanalyze/internal/") {
			continue
		}
		seen++
		n, err := strconv.Atoi(f[7])
		assert.Check(t, err == nil && n <= maxInit, "%s allocates before the program begins (bound %d bytes): %s", f[1], maxInit, line)
	}
	assert.Check(t, seen != 0, "no package of ours in\n%s", &said)
}
