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
	header, _, _ := strings.Cut(b.String(), "\n")
	for line := range strings.Lines(b.String()) {
		if n, want := strings.Count(line, "\t"), strings.Count(header, "\t"); n != want {
			t.Errorf("%d tabs, and %d in the header. listHeader, connectionCells and tcpCells have a column each: %q", n, want, line)
		}
	}
}
