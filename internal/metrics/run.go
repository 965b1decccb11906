package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// datum is data that became known with a packet: all of its payload, or a piece.
type datum struct {
	on     *SubDir // that carries it
	at     int64   // ns
	data   seq.Range[seq.DSN]
	packet uint64
	kind   dss.PieceKind
	// list is the datum itself and the pieces that became known together with it
	// and stand behind it. nil where the datum goes on with the data of the one before:
	// then it passes for the first time and is all of its packet's payload.
	list []dss.Piece
}

// goesOn reports whether a datum goes on with the data of the one before it.
func (x *datum) goesOn() bool { return x.list == nil }

// maxRun bounds the data of a run.
const maxRun = 16

// run is data on its way to the meters. What goes on with the data before it
// changes nothing that a meter could ask a tracker about, so that it waits for more
// of its kind, and a meter takes many in one loop. Whatever else happens to the data
// of the direction ends the run first.
type run struct {
	list []datum // bounded by maxRun
	end  seq.DSN // of the latest data
	each bool    // nothing waits: rows are written, in the order of the packets
}

// pieces takes the data of a packet, in the time that is looked at.
func (d *Dir) pieces(s *SubDir, p *conn.Packet, now int64) {
	r := &d.run
	if len(p.Pieces) == 1 {
		k := &p.Pieces[0]
		if k.Data.Start == r.end && k.Kind == dss.First && k.Data.Len() == int64(p.Seg.PayloadLen) {
			r.end = k.Data.End
			r.list = append(r.list, datum{on: s, at: now, data: k.Data, packet: k.Packet})
			if len(r.list) == maxRun || r.each {
				d.endRun()
			}
			return
		}
	}
	for i := range p.Pieces {
		d.piece(s, p.Pieces[i:], now)
	}
}

// piece takes the first of pieces that became known together.
func (d *Dir) piece(s *SubDir, list []dss.Piece, now int64) {
	d.endRun()
	k := &list[0]
	if k.Kind == dss.First {
		d.run.end = k.Data.End
	}
	d.run.list = append(d.run.list, datum{on: s, at: now, data: k.Data, packet: k.Packet, kind: k.Kind, list: list})
	d.endRun()
}

// endRun hands the run to the meters.
func (d *Dir) endRun() {
	if len(d.run.list) == 0 {
		return
	}
	for _, slot := range d.wanted[onData] {
		d.meter(slot).data(d.run.list)
	}
	d.run.list = d.run.list[:0]
}
