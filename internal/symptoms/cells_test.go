package symptoms

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
)

// TestRecentCells: a second of ten cells is known while the 48 kept ones hold it all.
func TestRecentCells(t *testing.T) {
	var r recentCells
	for i := int64(5); i < 25; i++ { // cell i has i bytes
		r.add(i, i, 0)
	}
	for from, want := range map[int64]int64{4: -1, 5: 95, 15: 195, 16: -1} { // 5 + ... + 14 = 95
		assert.Check(t, r.sum(from) == want, "from cell %d on %d bytes, want %d", from, r.sum(from), want)
	}
	r.add(25, 25, 3) // three empty cells follow, up to 29
	if got := r.sum(19); got != 19+20+21+22+23+24+25 {
		t.Errorf("with three empty cells %d bytes", got)
	}
	r.add(29, 1<<33, 19) // cells 29 to 49, so that 2 of the 48 kept ones go: 49 - 48 = 1 is below 5
	if got := r.sum(20); got != 20+21+22+23+24+25+1<<32-1 || r.end != 49 || r.first() != 5 {
		t.Errorf("%d bytes, cells %d to %d", got, r.first(), r.end)
	}
	r.add(49, 7, 100) // more empty cells than are kept
	if got := r.sum(140); got != 0 || r.end != 150 || r.first() != 102 {
		t.Errorf("%d bytes, cells %d to %d", got, r.first(), r.end)
	}
}

// TestRatesAroundHandover: before and after a path's silence are known once the second after it
// is over.
func TestRatesAroundHandover(t *testing.T) {
	for _, c := range []struct {
		last  int64 // cell of the latest payload
		rated bool
	}{{30, false}, {31, true}} {
		d := followed(2).Follow(conn.A)
		d.Data.From, d.cellEnd = at(1), 1+cellLength
		for i := range int64(40) {
			d.recent.add(i, i, 0)
			d.cellEnd += cellLength
		}
		d.Data.To = at(1 + c.last*cellLength)
		h := Handover{Gap: PacketRange{From: at(1 + 20*cellLength + 5)}}
		d.compare(&h)
		want := Handover{Gap: h.Gap}
		if c.rated { // cells 10 to 19, and 21 to 30
			want.Before, want.After, want.Rated = 145, 255, true
		}
		assert.Check(t, h == want, "payload up to cell %d: %+v, want %+v", c.last, h, want)
	}
}

// TestFailback: a path is back in use with the first second in which it carries 9/10 of its share
// before. Here all paths carry 100 bytes in each cell.
func TestFailback(t *testing.T) {
	for _, c := range []struct {
		what  string
		share float64
		own   int64 // in each cell from cell 8 on, bytes
		back  int64 // ns
		want  int64 // ns; -1 = never
	}{
		{"a share of half, and 45 of 100", 0.5, 45, 1 + 3*cellLength, 5 * cellLength},
		{"a share of half, and 44 of 100", 0.5, 44, 1 + 3*cellLength, -1},
		{"in use already", 0.5, 100, 1 + 9*cellLength + 50, 0},
		{"all of a share of half before the tenth cell", 0.5, 50, 1 + 3*cellLength, 4 * cellLength},
		{"no share known", 0, 100, 1 + 3*cellLength, -1},
	} {
		d := followed(2).Follow(conn.A)
		p := d.Follow(d.c.followed[0])
		d.Data.From, d.cellEnd = at(1), 1+cellLength
		d.Handovers = []Handover{{From: 0, Unanswered: 6, Share: c.share}}
		h := &d.Handovers[0]
		p.handover = 1
		p.sent(at(5))
		p.sent(at(6))
		p.sent(at(7))
		p.comesBack(at(c.back))
		if h.Unanswered != 8 || h.LastLost != at(6) || h.Back != at(c.back) {
			t.Errorf("%s: %d packets without an answer, the last one %v, want 6+3-1 and 6", c.what, h.Unanswered, h.LastLost)
		}
		for i := range int64(30) {
			if p.cellBytes = 0; i == 0 { // before it died
				p.cellBytes = 1
			} else if i >= 8 {
				p.cellBytes = c.own
			}
			p.recent.add(i, p.cellBytes, 0)
			d.recent.add(i, 100, 0)
			d.compare(&d.Handovers[0])
			d.cellEnd += cellLength
		}
		got := d.Handovers[0]
		if share := d.Follow(d.c.followed[1]).shareBefore(1 + 20*cellLength); share != 0 {
			t.Errorf("%s: a path without payload had a share of %g", c.what, share)
		}
		if share := p.shareBefore(1 + 20*cellLength); c.own == 45 && share != 0.45 || p.shareBefore(1+60*cellLength) != 0 {
			t.Errorf("%s: a share of %g", c.what, share)
		}
		if got.FailedBack != (c.want >= 0) || got.FailedBack && got.Failback != c.want {
			t.Errorf("%s: back after %d ns, %v, want %d", c.what, got.Failback, got.FailedBack, c.want)
		}
	}
}
