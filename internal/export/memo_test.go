package export

import (
	"fmt"
	"testing"

	"mpanalyze/internal/report"
)

// What a memo gives is what the plain functions do, also where two cells fall
// on one line of it.
func TestMemo(t *testing.T) {
	var m memo
	for round := range 3 {
		for n := range 200 {
			c := report.Cell{Connection: n % 50, Direction: report.A2B, Subflow: n%5 - 1, Path: fmt.Sprint("path, ", n%7)}
			if n%3 == 0 {
				c.Direction = report.B2A
			}
			if got, want := string(m.appendCell([]byte("x"), &c)), string(appendCell([]byte("x"), &c)); got != want {
				t.Errorf("cell %+v: %q, want %q", c, got, want)
			}
			at := int64(n/2)*1_000_000_007 - int64(round)
			if got, want := string(m.appendTime(nil, at)), string(appendTime(nil, at)); got != want {
				t.Errorf("time %d: %q, want %q", at, got, want)
			}
		}
	}
}

func TestAppendDecimals(t *testing.T) {
	for digits, n := 1, int64(1); digits <= 15; digits, n = digits+1, n*10+int64(digits)%10 {
		for _, v := range []int64{0, 1, n, n / 2} {
			if got, want := string(appendDecimals([]byte("."), v, digits)), fmt.Sprintf(".%0*d", digits, v); got != want {
				t.Errorf("%d with %d digits: %q, want %q", v, digits, got, want)
			}
		}
	}
}
