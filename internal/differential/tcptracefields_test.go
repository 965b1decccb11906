package differential

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/tcptrace"
)

// cell is one field of tcptrace's long output that differs.
type cell struct {
	tcptrace.Difference
	capture string
	row     tcptrace.Row // tcptrace's, of the connection
}

// fieldExceptions are the fields of the command tcptrace that do not equal
// tcptrace's own.
var fieldExceptions = []exception[cell]{
	{"full-size-of-syn", fullSizeOfSYN},
	{"mss-below-zero", mssBelowZeroField},
	{"owin-below-zero", owinBelowZeroField},
	{"port-reused-with-same-isn", func(c *cell) bool { return c.capture == sameISN }},
}

// fullSizeOfSYN: tcptrace takes a segment of one byte for the largest there
// can be, so that its statistics of full-size segments are those of SYN and
// FIN.
func fullSizeOfSYN(c *cell) bool {
	column := strings.ReplaceAll(c.Column, " ", "_")
	return strings.HasPrefix(column, "RTT_full_sz_")
}

// mssBelowZeroField: see [mssBelowZero]. The command prints the MSS of the option.
func mssBelowZeroField(c *cell) bool {
	ours, theirs := c.numbers()
	return strings.HasPrefix(c.Column, "mss_requested_") && ours >= 1<<15 && theirs == ours+1<<32-1<<16
}

// owinBelowZeroField: see [owinBelowZero]. The command takes it for none, so the
// averages over such samples differ as well.
func owinBelowZeroField(c *cell) bool {
	i := strings.Index(c.Column, "_owin_")
	if i < 0 {
		return false
	}
	most, err := strconv.ParseFloat(c.row["max"+c.Column[i:]], 64)
	return err == nil && most >= 1<<63
}

// numbers returns both values, 0 for what is no number.
func (c *cell) numbers() (ours, theirs float64) {
	ours, _ = strconv.ParseFloat(c.Ours, 64)
	theirs, _ = strconv.ParseFloat(c.Theirs, 64)
	return ours, theirs
}

// TestTcptraceFields compares every field that the command tcptrace prints, of every connection,
// with tcptrace's.
func TestTcptraceFields(t *testing.T) {
	compared(t, "tcptrace", fieldExceptions, compareFields)
}

func compareFields(t *testing.T, name, path string, used *uses) {
	theirs := tcptraced(t, path)
	ours := tcptrace.Format{RTT: true, Owin: true}.Table(tracked(t, path))
	if want := strings.Join(theirs.Columns, ","); strings.Join(ours.Columns, ",") != want {
		t.Errorf("columns\n%s\ntcptrace\n%s", strings.Join(ours.Columns, ","), want)
	}
	assert.Check(t, len(theirs.Rows) != 0, "tcptrace shows no connection")
	for _, d := range tcptrace.Diff(theirs, ours) {
		c := cell{Difference: d, capture: name}
		if d.Number > 0 && d.Number <= len(theirs.Rows) {
			c.row = theirs.Rows[d.Number-1]
		}
		assert.Check(t, excused(used, fieldExceptions, &c), "%v", d)
	}
}

// tracked runs the collector over one capture.
func tracked(t *testing.T, path string) []*tcptrace.Pair {
	t.Helper()
	collector := &tcptrace.Collector{}
	doc, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, FileOrder: true, Modules: []conn.Module{collector}, Captured: true})
	assert.NilError(t, err)
	return collector.Pairs(int64(*doc.Captures[0].Last))
}
