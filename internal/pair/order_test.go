package pair

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// TestVariation: neighbours in the order of sending are compared once, whichever arrived
// first, also across missing packets.
func TestVariation(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var o arrivalOrder
	var d SubflowDir
	delay := map[int64]int64{}
	order := []int64{}
	for i := int64(1); i <= 5000; i++ {
		if r.IntN(10) > 0 {
			order = append(order, i)
		}
	}
	for i := range order { // some change places
		if j := i + r.IntN(20); r.IntN(5) == 0 && j < len(order) {
			order[i], order[j] = order[j], order[i]
		}
	}
	for _, i := range order {
		delay[i] = r.Int64N(1e7)
		o.addPacket(&d, i, delay[i], i*1e6)
	}
	n, sum, most := int64(0), 0.0, math.Inf(-1)
	for i, x := range delay {
		if before, ok := delay[i-1]; ok {
			n++
			sum += ms(x - before)
			most = max(most, ms(x-before))
		}
	}
	if d.IPDV.N() != n || math.Abs(d.IPDV.Mean()-sum/float64(n)) > 1e-9 || d.IPDV.Max() != most {
		t.Errorf("%d differences, mean %v, most %v; want %d, %v, %v", d.IPDV.N(), d.IPDV.Mean(), d.IPDV.Max(), n, sum/float64(n), most)
	}
	highest := int64(0)
	late := int64(0)
	for _, i := range order {
		if i < highest {
			late++
		}
		highest = max(highest, i)
	}
	assert.Check(t, d.Reordered == late, "%d packets were overtaken, want %d", d.Reordered, late)
}
