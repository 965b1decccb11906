package pair

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// TestTakeSent: new data waits for its arrival. A reinjection waits for the decision which
// copy came first, unless the data has arrived already. Copies on the same subflow decide
// nothing.
func TestTakeSent(t *testing.T) {
	data, more := dsnRange{Start: 10, End: 20}, dsnRange{Start: 20, End: 25}
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
		var d matchedDataDir
		if c.arrived {
			addRange(&d.arrived, data)
		}
		sub := conn.Subflow{ID: 0}
		d.sender = &endConn{subflows: []*endSubflow{{sub: &sub}}}
		p := conn.Packet{Seg: &packet.Segment{Time: 5}, SubflowDir: &conn.SubflowDir{Sub: &sub}, Result: dss.Result{Pieces: c.pieces}}
		d.takeSent(&p)
		assert.Check(t, d.sent.Len() == c.sent && len(d.reinjections) == c.copies && d.OriginalFirst == c.originalFirst,
			"%s: %d parts, %d copies, %d bytes whose original came first", c.name, d.sent.Len(), len(d.reinjections), d.OriginalFirst)
		if c.sent > 0 && *d.sent.Front() != (dataPart{dsnRange: data, time: 5, open: c.first}) {
			t.Errorf("%s: %+v", c.name, *d.sent.Front())
		}
	}
}

// TestCopiesByByte: for each byte that arrives, the copy that brought it first decides, in
// however many packets it comes, and whichever capture shows it first. A model follows
// single bytes.
func TestCopiesByByte(t *testing.T) {
	const bytes = 40
	random := rand.New(rand.NewPCG(3, 4))
	var dirs [3]matchedSubflowDir
	for round := range 2000 {
		var d matchedDataDir
		var first [bytes]transmissionID // that brought it
		var copies []transmissionID
		for shift := range 2 + random.IntN(4) {
			copies = append(copies, transmissionID{&dirs[random.IntN(len(dirs))], uint32(1 + shift)})
		}
		anything := func() dsnRange {
			start := seq.DSN(random.IntN(bytes - 1))
			return dsnRange{Start: start, End: start + 1 + seq.DSN(random.IntN(bytes-int(start)))}
		}
		left := map[transmissionID]dsnRange{} // copies, each reported once
		for range random.IntN(20) {
			r, by := anything(), copies[random.IntN(len(copies))]
			if _, told := left[by]; !told && by != copies[0] && random.IntN(3) == 0 {
				left[by] = r
				d.noteReinjection(r, by)
				continue
			}
			for at := r.Start; at < r.End; at++ { // as the tracker divides what arrives into new and old
				one := dsnRange{Start: at, End: at + 1}
				if first[at].dir == nil {
					first[at] = by
					d.noteArrival(one, by)
				}
			}
			d.decideReinjections(r, by, 1)
		}
		var byReinjection, byOther int64
		for by, r := range left {
			for at := r.Start; at < r.End; at++ {
				switch first[at] {
				case transmissionID{}:
				case by:
					byReinjection++
				default:
					byOther++
				}
			}
		}
		assert.Assert(t, d.ReinjectionFirst == byReinjection && d.OriginalFirst == byOther,
			"round %d: %d bytes by copies and %d by others first, want %d and %d", round, d.ReinjectionFirst, d.OriginalFirst, byReinjection, byOther)
	}
}

// TestCarriedIsBounded: data that arrives in turns on two subflows is remembered up to the
// bound; of older data the copy counts as later.
func TestCarriedIsBounded(t *testing.T) {
	var d matchedDataDir
	var dirs [2]matchedSubflowDir
	by := [2]transmissionID{{&dirs[0], 1}, {&dirs[1], 2}}
	for i := range seq.DSN(3 * maxCarried) {
		d.noteArrival(dsnRange{Start: 10 * i, End: 10*i + 10}, by[i&1])
		assert.Assert(t, len(d.carried) <= maxCarried, "%d parts", len(d.carried))
	}
	d.noteReinjection(dsnRange{Start: 10 * (3*maxCarried - 2), End: 10 * 3 * maxCarried}, by[0])
	assert.Check(t, d.ReinjectionFirst == 10 && d.OriginalFirst == 10, "of the latest %d bytes by the copy, %d by the original; want 10 each", d.ReinjectionFirst, d.OriginalFirst)
	d.noteReinjection(dsnRange{Start: 0, End: 20}, by[0])
	assert.Check(t, d.ReinjectionFirst == 10 && d.OriginalFirst == 30, "with the first %d by the copy, %d by the original; want 10 and 30", d.ReinjectionFirst, d.OriginalFirst)
}
