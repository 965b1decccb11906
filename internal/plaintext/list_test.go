package plaintext_test

import (
	"bytes"
	"strings"
	"testing"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report/reporttest"
)

func TestConnections(t *testing.T) {
	var b bytes.Buffer
	if err := plaintext.Connections(&b, reporttest.Everything()); err != nil {
		t.Fatal(err)
	}
	golden(t, "connections.golden", b.String())
	for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if n := strings.Count(line, "\t"); n != 16 {
			t.Errorf("line %d has %d tabs, want 16: %q", i, n, line)
		}
	}
}
