package pair

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
)

// TestLeaves: what most packets say of the data where it leaves is entered at
// once, unless it depends on what arrived before, or data waits for it.
func TestLeaves(t *testing.T) {
	at, other := new(observed), new(observed)
	data := dataRange{Start: 10, End: 20}
	first, again := dss.Piece{Data: data, Kind: dss.First}, dss.Piece{Data: data, Kind: dss.Reinjection}
	for _, c := range []struct {
		name    string
		at      *observed
		pieces  []dss.Piece
		waiting bool
		taken   bool
		sent    int
	}{
		{"new data", at, []dss.Piece{first}, false, true, 1},
		{"no data", at, nil, false, true, 0},
		{"a reinjection", at, []dss.Piece{again}, false, false, 0},
		{"two pieces", at, []dss.Piece{first, first}, false, false, 0},
		{"data that arrives", other, []dss.Piece{first}, false, false, 0},
		{"data that is awaited", at, []dss.Piece{first}, true, false, 0},
	} {
		d := pairedData{from: at}
		if c.waiting {
			d.delivered.push(dataRun{dataRange: data})
		}
		p := conn.Packet{Seg: &packet.Segment{Time: 5}, Found: dss.Found{Pieces: c.pieces}}
		if got := d.leaves(c.at, &p); got != c.taken || len(d.sent.list) != c.sent {
			t.Errorf("%s: taken %v, %d runs", c.name, got, len(d.sent.list))
		}
		if c.sent > 0 && d.sent.list[0] != (dataRun{dataRange: data, time: 5, open: 10}) {
			t.Errorf("%s: %+v", c.name, d.sent.list[0])
		}
	}
}
