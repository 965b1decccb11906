package stats

import (
	"math"
	"testing"
)

// dirty gives back rooms of each size that are full of what is no value.
func dirty() (middle *middleRoom, full *fullRoom) {
	middle, full = new(middleRoom), new(fullRoom)
	for i := range middle {
		middle[i] = Weighted{math.NaN(), -1}
	}
	for i := range full {
		full[i] = Weighted{math.NaN(), -1}
	}
	giveRoom(middle[:3])
	giveRoom(full[:0])
	return middle, full
}

// A distribution is the same in lists that others left behind. Of the values from
// 1 to n the mean is (n+1)/2, and the variance (n*n-1)/12.
func TestRooms(t *testing.T) {
	again := 0
	for try := range 40 {
		for _, n := range []int{100, 129, 250, 257, 1000, ExactLimit - 1, ExactLimit, 3000} {
			middle, full := dirty()
			var plain, pairs, rooms Dist
			for v := 1; v <= n; v++ {
				plain.Add(float64(v))
				pairs.AddWeighted(float64(v), 2)
				rooms.Room(1)[0] = Weighted{float64(v), 3}
			}
			for i, d := range []*Dist{&plain, &pairs, &rooms} {
				if cap(d.pairs) > 0 {
					at := &d.pairs[:1][0]
					if at == &middle[0] || at == &full[0] {
						again++
					}
				}
				mean, dev := float64(n+1)/2, math.Sqrt(float64(n*n-1)/12)
				if d.N() != int64(n) || d.Min() != 1 || d.Max() != float64(n) ||
					math.Abs(d.Mean()-mean) > 1e-9*mean || math.Abs(d.Stddev()-dev) > 1e-9*dev {
					t.Fatalf("try %d, distribution %d of %d values: %d from %v to %v, mean %v, deviation %v",
						try, i, n, d.N(), d.Min(), d.Max(), d.Mean(), d.Stddev())
				}
			}
			for _, d := range []*Dist{&plain, &pairs, &rooms} {
				if e := d.Emptied(); e.N() != 0 || cap(e.pairs) > Batch {
					t.Fatalf("emptied of %d values: %d values, room for %d", n, e.N(), cap(e.pairs))
				}
			}
		}
	}
	if again == 0 {
		t.Error("no list was used again")
	}
}
