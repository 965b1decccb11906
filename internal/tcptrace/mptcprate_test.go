package tcptrace

import (
	"fmt"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/seq"
)

// TestGoodput: each DATA_ACK acknowledges 1 MB more than the one before, one second later. The rate of a bucket of ten DATA_ACKs (1), the rate
// since the first one (2) and the rate of the latest nine (3) are 1 MB/s. The first
// bucket begins with DATA_ACK 0, has numbers 1 to 10 in it, and ends with number 11.
func TestGoodput(t *testing.T) {
	var g goodput
	var got []string
	for i := range 13 {
		g.add(seq.Wire(1e6*i), int64(i)*1e6, func(colour int, v float64) { got = append(got, fmt.Sprintf("%d: %d %.2f", i, colour, v)) })
	}
	want := []string{
		"1: 2 1.00", "2: 2 1.00", "3: 2 1.00", "4: 2 1.00", "5: 2 1.00", "6: 2 1.00", "7: 2 1.00", "8: 2 1.00", "9: 2 1.00", "10: 2 1.00",
		"11: 1 1.00", "11: 2 1.00", "11: 3 1.00",
		"12: 2 1.00", "12: 3 1.00",
	}
	assert.Check(t, is.DeepEqual(got, want))
}

// TestGoodputOfOldAcks: a DATA_ACK that acknowledges nothing new gives no rate, and
// numbers may wrap. 3 MB in 2 s are 1.5 MB/s.
func TestGoodputOfOldAcks(t *testing.T) {
	var g goodput
	var got []float64
	start := seq.Wire(1<<32 - 1e6)
	for _, x := range []struct {
		ack seq.Wire
		at  int64
	}{{start, 0}, {start, 5e5}, {start + 1e6, 1e6}, {start + 1e6, 15e5}, {start + 5e5, 16e5}, {start + 3e6, 2e6}} {
		g.add(x.ack, x.at, func(_ int, v float64) { got = append(got, v) })
	}
	assert.Check(t, is.DeepEqual(got, []float64{1, 1.5}))
}
