package pair

import "testing"

// TestSameID: of a packet of 3000 bytes in segments of 1000 the parts have its
// identification, 40, and the two behind it; what a host merged of three segments
// has that of the first, so that its parts left with it or the two behind it. They
// wrap around at 65536; 0 alone names nothing.
func TestSameID(t *testing.T) {
	for _, c := range []struct {
		sent, came uint16 // identifications
		left       uint32 // bytes of the packet that was sent
		arrived    int64  // and of that which came
		want       bool
	}{
		{40, 40, 1000, 1000, true},
		{0, 0, 1000, 1000, false},
		{40, 42, 3000, 1000, true},
		{40, 43, 3000, 1000, false},
		{40, 41, 1000, 1000, false},
		{42, 40, 1000, 3000, true},
		{43, 40, 1000, 3000, false},
		{41, 40, 1000, 1000, false},
		{65535, 1, 3000, 1000, true},
		{1, 65535, 1000, 3000, true},
	} {
		s, a := sentPart{ipid: c.sent, size: c.left, segmentBytes: 1000}, arrivedPart{ipid: c.came, size: c.arrived, segmentBytes: 1000}
		if got := sameID(&s, &a); got != c.want {
			t.Errorf("%d with %d bytes left and %d with %d came: %t, want %t", c.sent, c.left, c.came, c.arrived, got, c.want)
		}
	}
}
