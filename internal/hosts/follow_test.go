package hosts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const followedRow = "ESTAB 0 0 10.0.0.9:5001 10.0.1.1:40000 ino:11 sk:1 <->\n\t cubic rto:204 rtt:%d.5/2 mss:1448 cwnd:%d bytes_acked:1\n"

// grow appends a text to a file.
func grow(t *testing.T, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// Rows come as the file grows, each once, whatever part of a line is there, and never those of a
// later time. Files of other kinds do not matter.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "ss.txt")
	grow(t, filepath.Join(dir, "limits"), "add_addr_accepted 2 subflows 2\n")
	w, err := Follow(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	const second = int64(1e9)
	until := func(at int64, want ...float64) {
		t.Helper()
		var got []float64
		if err := w.Until(at*second, func(r *Row) { got = append(got, r.Value(Cwnd)) }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("until %d: windows %v, want %v", at, got, want)
		}
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
