package evidence

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/hosts"
)

// A field that a row does not have is not known, or 0 with "?"; that of the row before, and a state, can be asked for.
func TestFieldsOfRow(t *testing.T) {
	now, before := rowOf(t, 7, "cwnd:10 rto:200 mss:1448 unacked:3"), rowOf(t, 0, "cwnd:9 rto:200 bytes_sent:50")
	at := &reading{&now.Values, &before.Values, "ESTAB"}
	for text, want := range map[string]float64{
		"cwnd": 10, "before cwnd": 9, "Recv-Q": 7, "bytes_sent": math.NaN(), "bytes_sent?": 0, "before bytes_sent?": 50, "in ESTAB": 1, "in CLOSE-WAIT": math.NaN(),
		"unacked? * mss": 3 * 1448, "ssthresh * mss": math.NaN(), "bytes_sent? > before bytes_sent?": math.NaN(), "unacked? < cwnd - 1": 1,
	} {
		got := compile(text, ofRow)(at)
		assert.Check(t, got == want || math.IsNaN(got) && math.IsNaN(want), "%s: %v, want %v", text, got, want)
	}
}

// A counter that no row of a file has is not printed where other counters say that it cannot be 0; the SYN counts 1
// in bytes_acked. One row that has it shows that it is printed.
func TestPrintedFields(t *testing.T) {
	const row = "ESTAB 0 0 10.2.100.2:5001 10.2.1.1:40000 cwnd:10 rto:200 "
	for rows, want := range map[string]bool{
		row + "bytes_acked:1\n": true, row + "bytes_acked:2\n": false, row + "data_segs_out:1\n": false,
		row + "data_segs_out:1\n" + row + "data_segs_out:1 bytes_sent:100\n": true,
	} {
		x, err := Read([]hosts.Source{{Path: logFile(t, rows)}}, nil)
		assert.NilError(t, err)
		assert.Check(t, sentTerm().isPrinted(x.hosts[0].Files[0]) == want, rows)
	}
}

// logFile returns a file of rows of ss.
func logFile(t *testing.T, rows string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ss.txt")
	assert.NilError(t, os.WriteFile(name, []byte(rows), 0o600))
	return name
}
