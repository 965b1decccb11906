package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mpanalyze/internal/cli"
)

// TestBoth: --both gives the engine one file of each host and lets it find the sender. --sender and
// --receiver are taken at their word.
func TestBoth(t *testing.T) {
	dir := t.TempDir()
	one, other := filepath.Join(dir, "one.pcap"), filepath.Join(dir, "other.pcap")
	for _, name := range []string{one, other} {
		if err := os.WriteFile(name, []byte("sound"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range [][]string{{"analyze"}, {"why"}, {"report", "-o", filepath.Join(dir, "x.html")}, {"plot", "--kind", "shares", "-o", filepath.Join(dir, "x.svg")}} {
		for _, find := range []bool{true, false} {
			words := []string{"--both", one, other}
			if !find {
				words = []string{"--sender", one, "--receiver", other}
			}
			var f fake
			r := run(&f, nil, slices.Concat(command, words)...)
			if len(f.asked) == 0 {
				t.Errorf("%v %v: nothing was analysed: status %d, %s", command, words, r.code, r.err)
				continue
			}
			if o := &f.asked[0]; !slices.Equal(o.Paths, []string{one}) || !slices.Equal(o.Receiver, []string{other}) || o.Swap != find {
				t.Errorf("%v %v: captures %q and %q, find the sender: %v, want %v", command, words, o.Paths, o.Receiver, o.Swap, find)
			}
		}
	}
	if r := run(new(fake), nil, "analyze", "--both", one, other); r.code != cli.ExitOK || r.err != "" {
		t.Errorf("analyze --both: status %d, stderr %q", r.code, r.err)
	}
}
