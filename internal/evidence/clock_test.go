package evidence

import (
	"testing"

	"mpanalyze/internal/hosts"
)

// Rows whose counters stand still have a time only if the packets had the same values for as
// long, but for the delay of a row and the resolution of the stamps.
func TestDropStill(t *testing.T) {
	const ms = int64(1e6)
	for name, c := range map[string]struct {
		stamps     []int64 // ms, of rows with the same counters
		width      int64   // ms, of the time in which the packets had them
		resolution int64   // ms
		want       bool
	}{
		"a row alone":          {[]int64{200}, 1, 0, true},
		"moves with packets":   {[]int64{200, 400, 600}, 380, 0, true},
		"stands still":         {[]int64{200, 400, 600}, 300, 0, false},
		"the path died":        {[]int64{200, 3600}, 1, 0, false},
		"whole seconds":        {[]int64{1000, 2000}, 20, 1000, true},
		"whole seconds, still": {[]int64{1000, 4000}, 20, 1000, false},
		"a delayed row":        {[]int64{200, 240}, 1, 0, true},
	} {
		f := &hosts.File{Resolution: c.resolution * ms}
		a := &aligned{socket: &socket{kept: []kept{{stamp: 0, v: [numCounters]int64{1, 1, 1, 1}, file: f}}}, spans: []span{{lo: 0, hi: 1}}}
		for _, at := range c.stamps {
			a.socket.kept = append(a.socket.kept, kept{stamp: at * ms, v: [numCounters]int64{2, 1, 1, 1}, file: f})
			a.spans = append(a.spans, span{lo: 200 * ms, hi: (200 + c.width) * ms})
		}
		a.dropStill()
		for i := range c.stamps {
			if got := a.spans[i+1].bounded(); got != c.want {
				t.Errorf("%s, row %d: a time %v, want %v", name, i, got, c.want)
			}
		}
		if !a.spans[0].bounded() {
			t.Errorf("%s: a row with other counters lost its time", name)
		}
	}
}

// An offset is told only if it is beyond the limit by more than it may be off.
func TestDoubtfulOffset(t *testing.T) {
	for _, c := range []struct {
		offset, uncertainty float64 // s
		want                bool
	}{{1.2, 2.1, false}, {1.2, 0.1, true}, {-1.2, 0.3, false}, {-3600, 0.002, true}, {0.9, 0, false}} {
		if got := far(int64(c.offset*1e9), c.uncertainty*1e3); got != c.want {
			t.Errorf("%v s, off by %v s: %v", c.offset, c.uncertainty, got)
		}
	}
}
