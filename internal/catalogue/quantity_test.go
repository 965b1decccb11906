package catalogue_test

import (
	"testing"

	"mpanalyze/internal/catalogue"
)

func TestParseQuantity(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       float64
	}{
		{"5", "ms", 5},
		{" 1.5 s ", "ms", 1500},
		{"250us", "ms", 0.25},
		{"2e3ns", "ms", 0.002},
		{"5Mbit/s", "Mbit/s", 5},
		{"500 kbps", "Mbit/s", 0.5},
		{"1MB/s", "Mbit/s", 8}, // 8 bits a byte
		{"2KiB", "bytes", 2048},
		{"-3", "ms", -3},
		{"1%", "percent", 1},
		{"7 packets", "packets", 7},
		{"7", "", 7},
	} {
		if got, err := catalogue.ParseQuantity(c.text, c.unit); err != nil || got != c.want {
			t.Errorf("%q in %s: %v, %v, want %v", c.text, c.unit, got, err, c.want)
		}
	}
	for _, c := range [][2]string{{"", "ms"}, {"ms", "ms"}, {"5 mbit/s", "Mbit/s"}, {"5 MB", "ms"}, {"1e999", "ms"}, {"5x", ""}} {
		if got, err := catalogue.ParseQuantity(c[0], c[1]); err == nil {
			t.Errorf("%q in %s: %v", c[0], c[1], got)
		}
	}
}
