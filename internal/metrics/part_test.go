package metrics

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// TestPartOfTheTime looks at what A sends from 1010 ms to 1050 ms:
//
//	1000 fast [0, 1000)
//	1011 fast [1000, 2000)
//	1012 fast [2000, 3000)
//	1015 fast [1000, 2000) again
//	1020 slow [3000, 5000)
//	1030 fast [3000, 3500), which the slow one carried
//	1040 fast [5000, 7000)
//	1050 slow [7000, 8000)
//	1060 slow [3000, 5000) again
//
// Fast was the first to carry 4000 bytes of 6000, slow 2000; 1500 passed again.
// The runs are the fast one's [1000, 3000), [3000, 3500) and [5000, 7000), and the
// slow one's [3000, 5000): those across the bounds begin and end there.
func TestPartOfTheTime(t *testing.T) {
	for name, omit := range map[string]catalogue.Families{"all": 0, "basic": catalogue.AllFamilies, "order": catalogue.AllFamilies &^ catalogue.FamilyOrder} {
		s, fast, slow := twoPaths(tracegen.Config{Version: 1})
		fast.Data(tracegen.A2B, 1000*msec, 0, 1000)
		again := fast.Data(tracegen.A2B, 1011*msec, 1000, 1000)
		fast.Data(tracegen.A2B, 1012*msec, 2000, 1000)
		again.Again(1015 * msec)
		late := slow.Data(tracegen.A2B, 1020*msec, 3000, 2000)
		fast.Data(tracegen.A2B, 1030*msec, 3000, 500)
		fast.Data(tracegen.A2B, 1040*msec, 5000, 2000)
		slow.Data(tracegen.A2B, 1050*msec, 7000, 1000)
		late.Again(1060 * msec)
		cfg := Config{Interval: 100 * msec, Skip: 10 * msec, Until: 50 * msec, Omit: omit}
		m := measure(t, s, tracegen.HostA, cfg)
		if all, quick, other := m.First(nil, conn.A), m.First(m.Subs[0], conn.A), m.First(m.Subs[1], conn.A); all != 6000 || quick != 4000 || other != 2000 {
			t.Errorf("%s: first carried %d bytes, %d and %d of them; want 6000, 4000 and 2000", name, all, quick, other)
		}
		if n := m.Again(conn.A); n != 1500 {
			t.Errorf("%s: %d bytes passed again, want 1500", name, n)
		}
		if omit&catalogue.FamilyOrder != 0 {
			continue
		}
		quick, other := m.Subs[0].Dir(conn.A).Bursts(), m.Subs[1].Dir(conn.A).Bursts()
		dist(t, name+": runs on fast", &quick.Bytes, 3, (2000+500+2000)/3., 500, 2000)
		dist(t, name+": their time", &quick.Duration, 3, 1/3., 0, 1)
		dist(t, name+": runs on slow", &other.Bytes, 1, 2000, 2000, 2000)
	}
}

// TestAllOfTheTime: a limit after everything changes no figure. Only the reasons for absent ones may differ.
func TestAllOfTheTime(t *testing.T) {
	for seed := range uint64(6) {
		whole := measure(t, traffic(seed), tracegen.HostA, Config{Interval: 100 * msec}).Connection
		bound := measure(t, traffic(seed), tracegen.HostA, Config{Interval: 100 * msec, Until: 24 * time.Hour}).Connection
		assert.Assert(t, !whole.Part() && bound.Part(), "not a part against the whole")
		for _, from := range []conn.Side{conn.A, conn.B} {
			sub, dir := reported(whole, from)
			subOfPart, dirOfPart := reported(bound, from)
			assert.Check(t, is.DeepEqual(subOfPart, sub), "seed %d, from %v", seed, from)
			assert.Check(t, is.DeepEqual(dirOfPart, dir), "seed %d, from %v", seed, from)
		}
	}
}
