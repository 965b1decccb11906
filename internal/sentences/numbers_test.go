package sentences

import "testing"

// TestTimes: a measured time has three digits or so, and a short one is not 0. A limit has all its digits.
func TestTimes(t *testing.T) {
	for want, got := range map[string]string{
		"10.0 s": durationText(10e9), "9.99 s": durationText(9.994e9), "1.00 s": durationText(1e9), "999 ms": durationText(999e6), "100 ms": durationText(100e6),
		"99.9 ms": durationText(99.94e6), "0.4 ms": durationText(4e5), "0.1 ms": durationText(1e5), "99.9 µs": durationText(99_900),
		"1 s": span(1e9), "1.5 s": span(1.5e9), "200 ms": span(200e6), "1 ms": span(1e6),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
