package symptoms

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// at returns a reference to a packet whose number is its time; to none for 0.
func at(t int64) PacketRef { return PacketRef{Packet: uint64(t), Time: t} }

// periods returns so many times, the longest of which is from one packet to another.
func periods(total, count, from, to int64) Periods {
	return Periods{Total: total, Count: count, Longest: PacketRange{at(from), at(to)}}
}

// TestNoRoom: times without room count up to the last payload. Those of a wait until now count
// to the end.
func TestNoRoom(t *testing.T) {
	for _, c := range []struct {
		what    string
		packets string // at time 10, 20, ...: r with room after it, f with none; R and F with payload
		want    Periods
	}{
		{"always room", "RrR", Periods{}},
		{"once, and payload after it", "RfrR", periods(10, 1, 20, 30)},
		{"twice before payload", "RfrffrR", periods(30, 2, 40, 60)},
		{"none up to the last payload", "Rfrf", Periods{}},
		{"the last payload uses the window up", "RFfr", Periods{}},
		{"no room at the last payload", "RfFf", periods(10, 1, 20, 30)},
		{"no room before the last payload and after it", "RfFrf", periods(10, 1, 20, 30)},
	} {
		d := followed(1).Follow(conn.A)
		made(&d.shut) // each packet is looked at
		for i, k := range c.packets {
			now, free := at(10*int64(1+i)), int64(0)
			if k == 'R' || k == 'F' {
				d.data(now)
			}
			if k == 'R' || k == 'r' {
				free = 1 << 20
			}
			d.room(&conn.Packet{Seg: &packet.Segment{Num: now.Packet, Time: now.Time}, SubflowDir: &conn.SubflowDir{Sub: d.c.followed[0].Sub}}, free)
		}
		without := 10 * int64(strings.Count(strings.ToLower(c.packets), "f")) // each packet without room leaves none for 10
		if got := d.WaitsUntil(10 * int64(1+len(c.packets))).Window; d.NoRoom != c.want || got != without {
			t.Errorf("%s: %+v, want %+v; until the end %d, want %d", c.what, d.NoRoom, c.want, got, without)
		}
	}
}

// TestCells: of three cells of 100 ms one has payload on both paths, one on the first
// alone; in the last nothing passes. A pause ends with the first cell after it.
func TestCells(t *testing.T) {
	c := followed(2)
	d := c.Follow(conn.A)
	a, b := d.Follow(c.followed[0]), d.Follow(c.followed[1])
	d.data(at(1))
	a.cellBytes, b.cellBytes = 1000, 500
	d.tick(at(1).Time + cellLength)
	a.cellBytes = 1000
	d.tick(at(1).Time + 5*cellLength)
	d.tick(at(1).Time + 6*cellLength)
	assert.Check(t, d.Cells == 2 && d.cellEnd == 1+7*cellLength, "%d cells, the open one ends at %d", d.Cells, d.cellEnd)
	for _, k := range []struct {
		path                     *Path
		open, idle, busy, shared int64
	}{{a, 2, 0, 2, 1}, {b, 2, 1, 1, 1}} {
		if p := k.path; p.OpenCells != k.open || p.IdleCells != k.idle || p.BusyCells != k.busy || p.SharedCells != k.shared || p.LongestIdle != k.idle {
			t.Errorf("subflow %d: %+v, want open %d, idle %d, busy %d, shared %d", p.sub.Sub.ID, *p, k.open, k.idle, k.busy, k.shared)
		}
	}
}
