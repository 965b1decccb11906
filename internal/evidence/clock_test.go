package evidence

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
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
		a := &aligned{socket: &socket{kept: []kept{{sample: sample{0, hosts.Ref{File: f}}, v: [numCounters]int64{1, 1, 1, 1}}}}, spans: []span{{lo: 0, hi: 1}}}
		for _, at := range c.stamps {
			a.socket.kept = append(a.socket.kept, kept{sample: sample{at * ms, hosts.Ref{File: f}}, v: [numCounters]int64{2, 1, 1, 1}})
			a.spans = append(a.spans, span{lo: 200 * ms, hi: (200 + c.width) * ms})
		}
		a.dropStill()
		for i := range c.stamps {
			if got := a.spans[i+1].bounded(); got != c.want {
				t.Errorf("%s, row %d: a time %v, want %v", name, i, got, c.want)
			}
		}
		assert.Check(t, a.spans[0].bounded(), "%s: a row with other counters lost its time", name)
	}
}

// The offset is the median of the rows whose time is known to 50 ms, or of the best quarter if these are
// few, and it may be off by half of the median of their widths.
func TestSetClock(t *testing.T) {
	const ms = int64(1e6)
	for _, c := range []struct {
		name                string
		widths              []int64 // ms, of rows with the offsets 1, 2, 4, 8, ... ms
		here                bool
		offset, uncertainty float64
		method              report.ClockMethod
	}{
		{"three narrow rows", []int64{10, 20, 50}, false, 2, 10, report.ClockCounters},
		{"two narrow rows", []int64{10, 20, 51}, false, 1, 5, report.ClockCounters},
		{"a quarter of nine", []int64{100, 110, 120, 130, 140, 150, 160, 170, 180}, false, 2, 55, report.ClockCounters},
		{"a row alone", []int64{300}, false, 1, 150, report.ClockCounters},
		{"no row, at the host", nil, true, 0, -1, report.ClockSame},
		{"no row", nil, false, -1, -1, report.ClockNone},
	} {
		var fits []fit
		for i, width := range c.widths {
			fits = append(fits, fit{offset: ms << i, width: width * ms})
		}
		h := &host{}
		h.setClock(fits, c.here)
		got := [2]float64{-1, -1}
		for i, v := range [2]*float64{h.clock.OffsetMS, h.clock.UncertaintyMS} {
			if v != nil {
				got[i] = *v
			}
		}
		if got != [2]float64{c.offset, c.uncertainty} || h.clock.Method != c.method || h.clock.Rows != int64(len(fits)) || h.timed != (c.offset >= 0) {
			t.Errorf("%s: %v by %s of %d rows", c.name, got, h.clock.Method, h.clock.Rows)
		}
	}
}

// The offset of a host changes by the difference of the medians of the first and the last third of nine
// narrow rows: 100 and 700 ms. Wide rows do not count.
func TestDrift(t *testing.T) {
	for _, c := range []struct{ rows, width, want int64 }{{9, 50e6, 600e6}, {8, 50e6, 0}, {9, 50e6 + 1, 0}} {
		fits := []fit{{offset: 9e9, width: 60e6, stamp: -1}}
		for i := range c.rows {
			at := (i*5 + 3) % c.rows // in no order
			fits = append(fits, fit{offset: at * 100e6, width: c.width, stamp: at})
		}
		if got := drift(fits); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// Stamps that are more than 1 s from the capture, or whose offset changes by more than 0.5 s, have a
// warning.
func TestClockWarning(t *testing.T) {
	for _, c := range []struct {
		offset, step int64 // ns
		want         string
	}{
		{1e9, 0, ""},
		{-1e9, 0, ""},
		{1e9 + 1, 0, "its stamps are -1.000 s from the time of the capture"},
		{-1e9 - 1, 0, "its stamps are 1.000 s from the time of the capture"},
		{0, 500_000_000 / 6, ""},
		{0, 500_000_000/6 + 1, "the offset of its stamps changes by 0.500 s"},
		{0, -500_000_000/6 - 1, "the offset of its stamps changes by -0.500 s"},
	} {
		s := finderOf(numbers{}, 0, 0, [2]float64{}, "")
		h := s.hosts[1]
		for _, list := range s.joined {
			a := list[0].sides[1]
			h.aligned = []*aligned{a}
			for i := range int64(9) {
				a.socket.kept = append(a.socket.kept, kept{sample: sample{stamp: 1e12 * (i + 1)}})
				at := 1e12*(i+1) + c.offset + i*c.step
				a.spans = append(a.spans, span{lo: at, hi: at})
			}
		}
		h.setClock(h.fits(), h.here)
		got := h.warnings()
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0].Message, c.want) || got[0].Count != 9) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// An offset is told only if it is beyond the limit by more than it may be off.
func TestDoubtfulOffset(t *testing.T) {
	for _, c := range []struct {
		offset, uncertainty float64 // s
		want                bool
	}{{1.2, 2.1, false}, {1.2, 0.1, true}, {-1.2, 0.3, false}, {-3600, 0.002, true}, {1.5, 0.5, false}, {1.501, 0.5, true}} {
		if got := far(int64(c.offset*1e9), c.uncertainty*1e3); got != c.want {
			t.Errorf("%v s, off by %v s: %v", c.offset, c.uncertainty, got)
		}
	}
}
