package pair

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
)

// TestLeaves: new data waits for its arrival, a reinjection for the decision
// which copy came first, unless the data has arrived already. Copies on the same
// subflow say nothing.
func TestLeaves(t *testing.T) {
	data, more := dataRange{Start: 10, End: 20}, dataRange{Start: 20, End: 25}
	first, again := dss.Piece{Data: data, Kind: dss.First}, dss.Piece{Data: data, Kind: dss.Reinjection}
	for _, c := range []struct {
		name                 string
		pieces               []dss.Piece
		arrived              bool
		sent, copies         int
		originalFirst, first int64
	}{
		{"new data", []dss.Piece{first}, false, 1, 0, 0, 10},
		{"no data", nil, false, 0, 0, 0, 0},
		{"a reinjection", []dss.Piece{again}, false, 0, 1, 0, 0},
		{"a reinjection of what has arrived", []dss.Piece{again}, true, 0, 0, 10, 0},
		{"new data in two pieces", []dss.Piece{first, {Data: more, Kind: dss.First}}, false, 2, 0, 0, 10},
		{"a retransmission", []dss.Piece{{Data: data, Kind: dss.Retransmission}}, false, 0, 0, 0, 0},
	} {
		var d pairedData
		if c.arrived {
			d.there.add(data)
		}
		sub := conn.Subflow{ID: 0}
		w := watch{flows: []*flow{{sub: &sub}}}
		p := conn.Packet{Seg: &packet.Segment{Time: 5}, Direction: &conn.Direction{Sub: &sub}, Found: dss.Found{Pieces: c.pieces}}
		w.leaves(&d, &p)
		if len(d.sent.list) != c.sent || len(d.copies) != c.copies || d.OriginalFirst != c.originalFirst {
			t.Errorf("%s: %d runs, %d copies, %d octets whose original came first", c.name, len(d.sent.list), len(d.copies), d.OriginalFirst)
		}
		if c.sent > 0 && d.sent.list[0] != (dataRun{dataRange: data, time: 5, open: c.first}) {
			t.Errorf("%s: %+v", c.name, d.sent.list[0])
		}
	}
}
