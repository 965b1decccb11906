package tcpclock

import "testing"

// TestRead: timestamps in a unit of use, which wrap around, show the time that
// passed, to a unit; those in another unit show nothing.
func TestRead(t *testing.T) {
	for _, tick := range []int64{1e3, 1e6, 4e6, 10e6, 33e3, 50e6} {
		var r Reader
		first, known := int64(0), tick != 33e3 && tick != 50e6
		for now := int64(1e9); now < 3e9; now += 5.1e6 {
			shown, ok := r.Read(now, uint32(0xffff_ffe0+now/tick), 3)
			switch {
			case ok != (known && now-1e9 >= learnTime):
				t.Fatalf("unit of %d ns: known %v after %d ns", tick, ok, now-1e9)
			case !ok:
			case first == 0:
				first = now - shown
			case max(now-shown-first, first-now+shown) > tick:
				t.Fatalf("unit of %d ns: the clock is off by %d ns", tick, now-shown-first)
			}
		}
		if r.Known() != known || known && r.Tick() != tick {
			t.Errorf("unit of %d ns: found %d", tick, r.Tick())
		}
	}
}

// TestAttempts: after a pause, in which the clock stands still, the unit is found
// in the second attempt, if there is one.
func TestAttempts(t *testing.T) {
	for _, attempts := range []int32{1, 2} {
		var r Reader
		for i := range int64(100) {
			now, shown := i*10e6, i*10e6
			if i > 5 {
				now += 1e9
			}
			r.Read(now, uint32(shown/1e6), attempts)
		}
		if r.Known() != (attempts == 2) {
			t.Errorf("%d attempts: known %v", attempts, r.Known())
		}
	}
}

// TestFewPackets: a few packets do not show the unit, however far apart they are.
func TestFewPackets(t *testing.T) {
	var r Reader
	for i := range int64(20) {
		now := i * 50e6
		if _, ok := r.Read(now, uint32(now/1e6), 1); ok != (i >= learnPackets) {
			t.Errorf("after %d packets: known %v", i+1, ok)
		}
	}
}
