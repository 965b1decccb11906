package metrics

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
)

// TestMemoryIsBounded: 400 connections are open at once and together take some 40 MB. So
// many are closed early that the others take at most 8 MiB and what is added between two
// checks. Each is reported once.
func TestMemoryIsBounded(t *testing.T) {
	const n, data, most = 400, 300, 8 << 20
	reported := 0
	table := conn.NewTable(conn.Options{MaxState: most}, NewCollector(Config{Interval: DefaultInterval, QoE: DefaultQoE}, func(m *Connection) {
		if m.Conn.Kind == conn.Multipath && len(m.Subs) == 2 {
			reported++
		}
	}))
	decoder := decode.New(decode.Options{KeepDuplicates: true})
	before, peak := inUse(), int64(0)
	for i := range n {
		feed(t, table, decoder, i, data)
		if i%50 == 49 {
			peak = max(peak, inUse()-before)
		}
	}
	early := reported
	table.Finish()
	if early == 0 || reported != n {
		t.Errorf("%d connections closed early, %d in all, want some and %d", early, reported, n)
	}
	found := false
	for _, w := range table.Warnings.List() {
		found = found || w.Code == "evicted_for_memory"
	}
	if !found {
		t.Errorf("no warning in %+v", table.Warnings.List())
	}
	// Between two checks 65,536 packets pass: of 150 such connections, 16 MB.
	if peak > most+20<<20 {
		t.Errorf("%d bytes at most, want %d", peak, most)
	}
	t.Logf("%d closed early, %d bytes at most", early, peak)
}
