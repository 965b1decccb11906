package overview

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// TestOnlyDirection: one direction is named as the only one where all connections lack the other one.
// Where some lack it, the overview is of what the captures show.
func TestOnlyDirection(t *testing.T) {
	whole := report.Connection{A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
	ofA, ofB := report.Connection{A2B: &report.ConnDir{}}, report.Connection{B2A: &report.ConnDir{}}
	for _, c := range []struct {
		all     []report.Connection
		only    report.Direction
		lacking bool
	}{
		{[]report.Connection{whole, whole}, "", false},
		{[]report.Connection{ofA, ofA}, report.A2B, false},
		{[]report.Connection{ofB}, report.B2A, false},
		{[]report.Connection{whole, ofA, whole}, "", true},
		{[]report.Connection{ofB, whole}, "", true},
	} {
		b := newBuilder(Keep{})
		for i := range c.all {
			b.connection(i, &c.all[i])
		}
		assert.Check(t, b.out.Only == c.only && b.out.Lacking == c.lacking, "%d connections: only %q, lacking %t", len(c.all), b.out.Only, b.out.Lacking)
	}
}
