package subflow

import "testing"

func TestStamps(t *testing.T) {
	type echo struct {
		val   uint32
		first int64
		ok    bool
	}
	tests := []struct {
		name   string
		sent   []timestamp
		echoes []echo
	}{
		{"none sent", nil, []echo{{5, 0, false}}},
		{"each from its first packet", []timestamp{{5, 100}, {5, 101}, {6, 102}}, []echo{{5, 100, true}, {5, 100, true}, {6, 102, true}}},
		{"an older one is forgotten", []timestamp{{5, 100}, {6, 101}}, []echo{{6, 101, true}, {5, 0, false}}},
		{"one that was never sent", []timestamp{{5, 100}, {8, 101}}, []echo{{7, 0, false}, {8, 101, true}}},
		{"from the future: all before it are forgotten", []timestamp{{5, 100}}, []echo{{9, 0, false}, {5, 0, false}}},
		{"a copy that was overtaken keeps its order", []timestamp{{5, 100}, {7, 101}, {6, 102}}, []echo{{6, 0, false}, {7, 101, true}}},
		{"across the wrap", []timestamp{{0xffff_ffff, 100}, {0, 101}, {1, 102}}, []echo{{0xffff_ffff, 100, true}, {1, 102, true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s timestamps
			for _, x := range tt.sent {
				s.add(x.val, x.first)
			}
			for _, e := range tt.echoes {
				first, ok := s.firstSent(e.val)
				want(t, "echo", echoOf(e.val, first, ok), echoOf(e.val, e.first, e.ok))
			}
		})
	}
}

func echoOf(val uint32, first int64, ok bool) [3]any { return [3]any{val, first, ok} }

// At the bound the oldest timestamps are forgotten.
func TestStampsAreBounded(t *testing.T) {
	var s timestamps
	const n = 5 * maxTimestamps
	for i := range uint32(n) {
		s.add(i, int64(i)+1)
	}
	want(t, "remembered", len(s.buf)-s.head, maxTimestamps)
	want(t, "room taken", cap(s.buf) <= 4*maxTimestamps, true)
	_, ok := s.firstSent(n - maxTimestamps - 1)
	want(t, "the newest of the forgotten", ok, false)
	first, ok := s.firstSent(n - maxTimestamps)
	want(t, "the oldest remembered", first, n-maxTimestamps+1)
	want(t, "found", ok, true)
}
