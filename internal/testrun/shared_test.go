package testrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestSharedFiles: neither an absent folder nor an absent file is a failure; both are said.
func TestSharedFiles(t *testing.T) {
	dir := t.TempDir()
	here := filepath.Join(dir, "here.pcap")
	assert.NilError(t, os.WriteFile(here, nil, 0o666))
	for _, c := range []struct {
		dir   string
		names []string
		want  []string
		says  string
	}{
		{dir, []string{"here.pcap"}, []string{here}, ""},
		{dir, []string{"gone.pcap", "here.pcap"}, []string{here}, "gone.pcap"},
		{filepath.Join(dir, "gone"), []string{"here.pcap"}, nil, "gone"},
	} {
		r := &recorder{TB: t}
		got := filesIn(r, c.dir, c.names)
		if said := strings.Join(r.logged, "\n"); !slices.Equal(got, c.want) || !strings.Contains(said, c.says) || (said == "") != (c.says == "") {
			t.Errorf("%v in %s: %v and %q, want %v and %q", c.names, c.dir, got, said, c.want, c.says)
		}
		if len(r.errors) > 0 {
			t.Errorf("%v in %s: %q", c.names, c.dir, r.errors)
		}
	}
}
