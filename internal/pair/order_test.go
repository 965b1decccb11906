package pair

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestVariation: neighbours in the order of sending are compared once, whichever arrived
// first. Packet i takes i*i ms, so that 1 and 2, 2 and 3, 5 and 6, 6 and 7, 7 and 8 differ by 3, 5, 11, 13
// and 15 ms. Packet 2 comes 1 ms after 3, which overtook it; 6 and 7 come 1 and 2 ms after 8.
func TestVariation(t *testing.T) {
	var o arrivalOrder
	var d SubflowDir
	for at, i := range []int64{1, 3, 2, 5, 8, 6, 7} {
		o.addPacket(&d, i, i*i*1e6, int64(at)*1e6)
	}
	got := []float64{d.IPDV.Min(), d.IPDV.Mean(), d.IPDV.Max(), d.ReorderExtent.Min(), d.ReorderExtent.Max()}
	assert.Check(t, is.DeepEqual(got, []float64{3, (3 + 5 + 11 + 13 + 15) / 5.0, 15, 1, 2}))
	counted := []int64{d.IPDV.N(), d.Reordered, d.ReorderExtent.N()}
	assert.Check(t, is.DeepEqual(counted, []int64{5, 3, 3}))
}
