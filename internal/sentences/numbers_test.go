package sentences

import (
	"testing"
	"time"
)

// Times have three digits or so, and short ones are not 0.
func TestDurationText(t *testing.T) {
	for ns, want := range map[int64]string{
		10e9: "10.0 s", 9.994e9: "9.99 s", 1e9: "1.00 s", 999e6: "999 ms", 100e6: "100 ms", 99.94e6: "99.9 ms", 4e5: "0.4 ms", 1e5: "0.1 ms", 99_900: "99.9 µs",
	} {
		if got := durationText(time.Duration(ns)); got != want {
			t.Errorf("%d ns: %s, want %s", ns, got, want)
		}
	}
}
