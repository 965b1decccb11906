package plaintext_test

import (
	"bytes"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

func TestConnections(t *testing.T) {
	var b bytes.Buffer
	assert.NilError(t, plaintext.Connections(&b, reporttest.Everything()))
	golden(t, "connections.golden", b.String())
	header, _, _ := strings.Cut(b.String(), "\n")
	for line := range strings.Lines(b.String()) {
		if n, want := strings.Count(line, "\t"), strings.Count(header, "\t"); n != want {
			t.Errorf("%d tabs, and %d in the header. listHeader, connectionCells and tcpCells have a column each: %q", n, want, line)
		}
	}
}

// TestConnectionsOfOneDirection: a direction that is null has dashes.
func TestConnectionsOfOneDirection(t *testing.T) {
	var b bytes.Buffer
	doc := &report.Document{Connections: []report.Connection{{B2A: &report.ConnDir{Bytes: new(int64(7))}}}, TCP: []report.TCP{{A2B: &report.SubDir{BytesUnique: new(int64(8))}}}}
	assert.NilError(t, plaintext.Connections(&b, doc))
	lines := strings.Split(b.String(), "\n")
	for i, want := range map[int]string{1: "\t0\t-\t7\t-\t-\t", 2: "\t-\t8\t-\t-\t-\t"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %q lacks %q", lines[i], want)
		}
	}
}
