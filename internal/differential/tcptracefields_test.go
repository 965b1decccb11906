package differential

import (
	"context"
	"strings"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/tcptrace"
)

// cell is one field of tcptrace's long output that differs.
type cell struct {
	tcptrace.Difference
}

// fieldExceptions are the fields of the command tcptrace that do not equal
// tcptrace's own.
var fieldExceptions = []exception[cell]{
	{"full-size-of-syn", fullSizeOfSYN},
}

// fullSizeOfSYN: tcptrace takes a segment of one octet for the largest there
// can be, so that its statistics of full-size segments are those of SYN and
// FIN.
func fullSizeOfSYN(c *cell) bool {
	column := strings.ReplaceAll(c.Column, " ", "_")
	return strings.HasPrefix(column, "RTT_full_sz_")
}

// TestTcptraceFields holds every field that the command tcptrace prints of
// every connection against tcptrace.
func TestTcptraceFields(t *testing.T) {
	compared(t, "tcptrace", fieldExceptions, compareFields)
}

func compareFields(t *testing.T, _, path string, used *uses) {
	theirs := tcptraced(t, path)
	ours := tcptrace.Format{RTT: true, Owin: true}.Table(tracked(t, path))
	if want := strings.Join(theirs.Columns, ","); strings.Join(ours.Columns, ",") != want {
		t.Errorf("columns\n%s\ntcptrace\n%s", strings.Join(ours.Columns, ","), want)
	}
	if len(theirs.Rows) == 0 {
		t.Error("tcptrace shows no connection")
	}
	for _, d := range tcptrace.Diff(theirs, ours) {
		if !excused(used, fieldExceptions, &cell{d}) {
			t.Error(d)
		}
	}
}

// tracked runs the collector over one capture.
func tracked(t *testing.T, path string) []*tcptrace.Pair {
	t.Helper()
	collector := &tcptrace.Collector{}
	doc, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, FileOrder: true, Modules: []conn.Module{collector}})
	if err != nil {
		t.Fatal(err)
	}
	return collector.Pairs(int64(*doc.Captures[0].Last))
}
