package tcptrace

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

// TestMoments: the samples 2, 4 and 6 have the sum 12 and the sum of squares 56: the
// variance is (56 - 12*12/3) / 2 = 4.
func TestMoments(t *testing.T) {
	var m moments
	if m.avg() != 0 || m.stdev() != 0 {
		t.Errorf("without samples: mean %v, deviation %v; want 0", m.avg(), m.stdev())
	}
	for _, v := range []float64{4, 2} {
		m.add(v)
	}
	if m.stdev() != 0 {
		t.Errorf("deviation of two samples %v, want 0", m.stdev())
	}
	m.add(6)
	if m.min != 2 || m.max != 6 || m.n != 3 || m.stdev() != 2 {
		t.Errorf("%+v, deviation %v; want 2 to 6 and 2", m, m.stdev())
	}
	if got, want := m.avg(), 12/3.0001; math.Abs(got-want) > 1e-12 {
		t.Errorf("mean %v, want %v", got, want)
	}
	zero := moments{}
	zero.add(0)
	if zero.add(5); zero.min != 5 {
		t.Errorf("minimum of 0 and 5 is %v; tcptrace says 5", zero.min)
	}
}

// TestMidTime: between 1.9 s and 4.0 s lie 2.1 s, of which tcptrace halves 2 s and
// 0.1 s apart; of 1.5 s it halves 0 s, as 1/2 is 0 in whole seconds, and 0.5 s.
func TestMidTime(t *testing.T) {
	for _, c := range []struct{ from, to, want int64 }{
		{1_900_000, 4_000_000, 2_950_000},
		{0, 1_500_000, 250_000},
		{3, 4, 3},
		{5, 2, 5}, // time that runs back is none
	} {
		if got := midTime(c.from, c.to); got != c.want {
			t.Errorf("midTime(%d, %d) = %d, want %d", c.from, c.to, got, c.want)
		}
	}
}

// TestBytesPerSecond: a time of 0 counts as a millisecond.
func TestBytesPerSecond(t *testing.T) {
	for _, c := range []struct{ bytes, us, want int64 }{{1000, 500_000, 2000}, {1000, 0, 1_000_000}, {0, 7, 0}, {1, 3, 333_333}} {
		if got := bytesPerSecond(c.bytes, c.us); got != c.want {
			t.Errorf("%d bytes in %d us: %d per second, want %d", c.bytes, c.us, got, c.want)
		}
	}
}

// TestHardwareDuplicates: the same number and IP identification within eight packets
// is a duplicate; one of the two being 0 says nothing.
func TestHardwareDuplicates(t *testing.T) {
	var r dupRing
	assert.Check(t, !r.has(1, 1) && r.has(1, 1) && !r.has(1, 2) && !r.has(2, 1), "a duplicate is a packet with the number and the identification of an earlier one")
	for i := range 8 {
		r.has(seq.Wire(100+i), 9)
	}
	assert.Check(t, !r.has(1, 1), "a packet is remembered although eight others came after it")
	for range 2 {
		assert.Check(t, !r.has(5, 0) && !r.has(0, 5), "number or identification 0 makes a duplicate")
	}
}

// TestAcrossQuadrants: 20 numbers across the border at 2^30 are a segment in each
// quadrant. When they are sent again each is reported once, and an ACK beyond the
// border finds both.
func TestAcrossQuadrants(t *testing.T) {
	const border = seq.Wire(1 << 30)
	var d SubflowDir
	var again []seq.Wire
	note := func(p *segment) { again = append(again, p.first) }
	if sent := d.space.add(border-10, 20, 100, note); sent.resentBytes != 0 || sent.outOfOrder || len(again) != 0 {
		t.Errorf("new data: %+v, %v sent again", sent, again)
	}
	if sent := d.space.add(border-10, 20, 200, note); sent.resentBytes != 20 || len(again) != 2 || again[0] != border-10 || again[1] != border {
		t.Errorf("the same again: %+v, segments %v", sent, again)
	}
	d.acked(border+10, 1200, false)
	if d.CumAcked != 1 || d.RTTLast.n != 1 || d.RTTLast.min != 1000 {
		t.Errorf("%d acknowledged with others, %d samples after a retransmission from %v us; want 1, 1 and 1000", d.CumAcked, d.RTTLast.n, d.RTTLast.min)
	}
	// A number in the opposite quadrant clears this one: the segment is new again.
	d.space.at(border * 3)
	if sent := d.space.add(border, 10, 300, note); sent.resentBytes != 0 {
		t.Errorf("%d bytes sent again in a quadrant that was forgotten", sent.resentBytes)
	}
}

// TestOutOfOrder: a segment that ends below one that was sent is out of order; filling
// a gap up to its end is not sent again.
func TestOutOfOrder(t *testing.T) {
	var s seqSpace
	none := func(*segment) {}
	for _, c := range []struct {
		first seq.Wire
		n     uint32
		want  transmission
	}{
		{1000, 100, transmission{}},
		{1200, 100, transmission{}},
		{1100, 50, transmission{outOfOrder: true}},
		{1150, 100, transmission{resentBytes: 50, outOfOrder: true}}, // 50 fill the gap, 50 were sent
		{1250, 100, transmission{resentBytes: 50}},                   // 50 new at the end
	} {
		if got := s.add(c.first, c.n, 0, none); got != c.want {
			t.Errorf("%d bytes from %d: %+v, want %+v", c.n, c.first, got, c.want)
		}
	}
}
