package hosts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

const followedRow = "ESTAB 0 0 10.0.0.9:5001 10.0.1.1:40000 ino:11 sk:1 <->\n\t cubic rto:204 rtt:%d.5/2 mss:1448 cwnd:%d bytes_acked:1\n"

// grow appends a text to a file.
func grow(t *testing.T, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	assert.NilError(t, err)
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, f.Close())
}

// Rows come as the file grows, each once, whatever part of a line is there, and never those of a
// later time. Files of other kinds do not matter.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "ss.txt")
	grow(t, filepath.Join(dir, "limits"), "add_addr_accepted 2 subflows 2\n")
	w, err := Follow(dir)
	assert.NilError(t, err)
	const second = int64(1e9)
	until := func(at int64, want ...float64) {
		t.Helper()
		var got []float64
		assert.NilError(t, w.Until(at*second, func(r *Row) { got = append(got, r.Value(Cwnd)) }))
		assert.Check(t, slices.Equal(got, want), "until %d: windows %v, want %v", at, got, want)
	}
	sample := func(at, cwnd int) string {
		return fmt.Sprintf("%d.000000000\n", at) + fmt.Sprintf(followedRow, 20, cwnd)
	}
	until(1795626705)
	grow(t, name, sample(1795626705, 10)+"17956267")
	until(1795626706) // the row may go on
	grow(t, name, "06.0\n"+fmt.Sprintf(followedRow, 20, 11)+sample(1795626707, 12)+sample(1795626708, 13))
	until(1795626705, 10)
	until(1795626705)
	until(1795626707, 11, 12)
	until(1795626710)
	grow(t, filepath.Join(dir, "more.txt"), sample(1795626706, 20)+sample(1795626709, 21)+sample(1795626712, 22))
	until(1795626710, 20, 21)
	grow(t, name, sample(1795626711, 14)+sample(1795626712, 15))
	until(1795626711, 13, 14)
	if _, err := Follow(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there is followed")
	}
}
