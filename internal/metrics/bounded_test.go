package metrics

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
)

// TestMemoryIsBounded: 400 connections are open at once and together take some 40 MB. So
// many are closed early that the others take at most three quarters of 8 MiB, and what
// is added between two checks. Each is reported once.
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
	assert.Check(t, early != 0 && reported == n, "%d connections closed early, %d in all, want some and %d", early, reported, n)
	found := false
	for _, w := range table.Warnings.List() {
		found = found || w.Code == "evicted_for_memory"
	}
	if !found {
		t.Errorf("no warning in %+v", table.Warnings.List())
	}
	// Between two checks 16,384 packets pass, each of which adds 300 bytes at most.
	if want := int64(most*3/4 + 16384*300); peak > want {
		t.Errorf("%d bytes at most, want %d", peak, want)
	}
	t.Logf("%d closed early, %d bytes at most", early, peak)
}

// TestOpenConnectionsAreBounded: connections without data begin one after another and stay
// open. One of two subflows is said to take 16 KiB, so 192 of them are three quarters of
// 4 MiB. One more may be open, because it begins when the others are counted.
func TestOpenConnectionsAreBounded(t *testing.T) {
	const n, most = 1000, 192 + 1
	var opened, closed int
	table := conn.NewTable(conn.Options{MaxState: 4 << 20}, counting{&opened, &closed})
	decoder := decode.New(decode.Options{KeepDuplicates: true})
	for i := range n {
		feed(t, table, decoder, i, 0)
		assert.Assert(t, opened == i+1 && opened-closed <= most, "%d connections opened, %d closed, want %d and at most %d open", opened, closed, i+1, most)
	}
	assert.Check(t, opened-closed >= most-2, "%d connections are open at the end, want as many as there is room for, about %d", opened-closed, most)
	table.Finish()
	assert.Check(t, closed == n, "%d connections closed, want %d", closed, n)
}

// counting counts connections that are opened and closed.
type counting struct{ opened, closed *int }

func (k counting) Open(*conn.Conn) conn.Observer {
	*k.opened++
	return &countingClose{closed: k.closed}
}

type countingClose struct {
	conn.Nop
	closed *int
}

func (k *countingClose) Close(int64) { *k.closed++ }
