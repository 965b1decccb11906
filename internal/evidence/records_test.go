package evidence

import (
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/hosts"
)

// TestTokensOfEvents: once records are read, the tokens of their events are known, of which none is in a capture yet.
func TestTokensOfEvents(t *testing.T) {
	dir := t.TempDir()
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "monitor.txt"), []byte("[CREATED] token=2 saddr4=10.0.0.1\n[CLOSED] token=2\n[CREATED] token=a1\n"), 0o600))
	x, err := Read([]hosts.Source{{Path: dir}}, nil)
	assert.NilError(t, err)
	assert.Check(t, is.DeepEqual(x.hosts[0].tokens, map[string]bool{"0x00000002": false, "0x000000a1": false}))
}
