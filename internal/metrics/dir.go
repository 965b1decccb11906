package metrics

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/symptoms"
)

// Dir is one direction of a connection: its meters, and the state that they share. It
// passes events to the meters in the order of the capture.
type Dir struct {
	m      *Connection
	space  *dss.Space // of the direction's data
	from   conn.Side
	role   Role                // role of the capture point
	meters []meter             // by the slot of the unit, one for each unit; nil until the direction shows an event for the unit
	spare  []meter             // likewise, unused, of the connection that had d's memory before
	wanted *wanted             // which units want which event
	why    *symptoms.Direction // explains its figures; nil unless verdicts are asked for
	out    *outlet

	grid      grid    // grid of rates and of other samples; its origin is the time of the first payload
	looked    period  // the time that is looked at (--skip, --until); empty before the first payload
	cellEnds  int64   // when the open cell of the sampling grid ends; the largest time where no cell is open
	rightEdge seq.DSN // right edge of the receive window: the largest DATA_ACK + window so far; unread before the first window
	anchored  bool

	// A DATA_ACK passed on a subflow whose window scale is not known. It may have moved
	// the right edge, so the edge is not known from then on.
	edgeUnknown bool
}

// period is a part of the capture's time.
type period struct {
	from   int64  // ns
	length uint64 // ns
}

func (p period) holds(t int64) bool { return uint64(t-p.from) < p.length }

// unread is the right edge before any window was read. It is so high that no data
// reaches it.
const unread = math.MaxInt64 / 2

func (d *Dir) init(m *Connection, from conn.Side) {
	meters, spare := d.spareMeters()
	*d = Dir{
		m: m, space: &m.Conn.Spaces[from], from: from,
		meters: meters, spare: spare, out: m.outlet(nil, from),
		grid: grid{cell: m.k.cell()}, cellEnds: math.MaxInt64, rightEdge: unread, why: m.Symptoms.Follow(from),
	}
	d.place(m.roles[from])
}

// spareMeters returns room for meters, and the unused meters of the direction that had
// d's memory before.
func (d *Dir) spareMeters() (meters, spare []meter) {
	if d.meters == nil {
		return make([]meter, len(units)), nil
	}
	if d.spare == nil {
		d.spare = make([]meter, len(units))
	}
	for i, x := range d.meters {
		if x != nil {
			d.spare[i], d.meters[i] = x, nil
		}
	}
	return d.meters, d.spare
}

// place sets the role of the capture point for the direction.
func (d *Dir) place(r Role) { d.role, d.wanted = r, &d.m.k.wanted[r] }

// anchor sets the origin of the direction's grid, the first payload.
func (d *Dir) anchor(now int64) {
	cfg := &d.m.k.cfg
	d.anchored, d.grid.origin = true, now
	d.looked = period{now + int64(cfg.Skip), math.MaxInt64}
	if cfg.Until > 0 {
		d.looked.length = uint64(max(0, cfg.Until-cfg.Skip))
	}
	if cfg.Interval > 0 {
		d.cellEnds = now + int64(cfg.Interval)
		d.m.wakeAt(d.cellEnds)
	}
}

// payload takes a packet with payload of the direction.
func (d *Dir) payload(s *SubDir, p *conn.Packet, now int64) {
	if !d.anchored {
		d.anchor(now)
	}
	if rtt := p.TCP.FarHalfRTT; rtt > 0 { // first, because the meters called next read the smoothed round-trip time
		for _, slot := range d.wanted[onFarHalf] {
			d.meter(slot).farHalf(s, rtt, now)
		}
	}
	for _, slot := range d.wanted[onPayload] {
		d.meter(slot).payload(s, p, now)
	}
	if d.free() <= 0 {
		for _, slot := range d.wanted[onFull] {
			d.meter(slot).full(now)
		}
	}
	if d.looked.holds(now) {
		for i := range p.Pieces {
			d.piece(s, p.Pieces[i:], now)
		}
	} else {
		d.outside(p.Pieces)
	}
	d.placed(p, now)
}

// piece takes the first of pieces that became known together.
func (d *Dir) piece(s *SubDir, list []dss.Piece, now int64) {
	for _, slot := range d.wanted[onPiece] {
		d.meter(slot).piece(s, list, now)
	}
}

// outside takes pieces outside the time that is looked at.
func (d *Dir) outside(list []dss.Piece) {
	for _, slot := range d.wanted[onOutside] {
		d.meter(slot).outside(list)
	}
}

// late takes payload of earlier packets whose mapping became known with an
// acknowledgment.
func (d *Dir) late(s *SubDir, list []dss.Piece) {
	for i := range list {
		if at := list[i].Time; d.looked.holds(at) {
			d.piece(s, list[i:], at)
		} else {
			d.outside(list[i : i+1])
		}
	}
}

// placed takes data that became known with a packet.
func (d *Dir) placed(p *conn.Packet, now int64) {
	if len(p.InOrder) > 0 && d.looked.holds(now) {
		for _, slot := range d.wanted[onInOrder] {
			d.meter(slot).inOrder(p.InOrder, now)
		}
	}
	d.settled(p, now)
}

func (d *Dir) settled(p *conn.Packet, now int64) {
	for _, slot := range d.wanted[onSettled] {
		d.meter(slot).settled(p, now)
	}
}

// ack takes a packet of the receiver that acknowledges data on s for the first time.
func (d *Dir) ack(s *SubDir, p *conn.Packet, now int64) {
	if p.TCP.Ack.New {
		for _, slot := range d.wanted[onAck] {
			d.meter(slot).ack(s, p, now)
		}
	}
	if len(p.LateMapped) > 0 {
		d.late(s, p.LateMapped)
	}
	if p.HasDataAck && len(p.DataAcked) > 0 && !p.Uncaptured && p.Seg.Have&packet.Untimed == 0 { // after a fallback the subflow's ACK replaces the DATA_ACK, and HasDataAck is false
		d.delivered(p.DataAcked, now)
	}
	d.settled(p, now)
}

// delivered takes chunks that a DATA_ACK covers for the first time.
func (d *Dir) delivered(chunks []*dss.Chunk, now int64) {
	if chunks = d.m.measured(chunks); len(chunks) == 0 {
		return
	}
	for _, slot := range d.wanted[onDelivered] {
		d.meter(slot).delivered(chunks, now)
	}
}

// dataAck takes a packet of the receiver with a DATA_ACK. window is the window that it
// offers, bytes, or unknownWindow.
func (d *Dir) dataAck(p *conn.Packet, window, now int64) {
	switch {
	case window == unknownWindow:
		d.edgeUnknown, d.rightEdge = true, unread
	case d.edgeUnknown:
	case d.rightEdge == unread:
		d.rightEdge = p.DataAck + seq.DSN(window)
	default:
		d.rightEdge = max(d.rightEdge, p.DataAck+seq.DSN(window))
	}
	for _, slot := range d.wanted[onDataAck] {
		d.meter(slot).dataAck(p, window, now)
	}
}

// unknownWindow is the window of a packet whose window scale is not known.
const unknownWindow = -1

// free returns the unused bytes of the receive window. They are very many while the right
// edge is not known.
func (d *Dir) free() int64 { return int64(d.rightEdge - d.space.SndNxt()) }

// tick ends the open cell of the sampling grid, because now is after it. This must
// happen before the packet changes a smoothed round-trip time.
func (d *Dir) tick(now int64) {
	d.cellEnd()
	cell := int64(d.m.k.cfg.Interval)
	d.cellEnds += (now - d.cellEnds + cell) / cell * cell
}

func (d *Dir) cellEnd() {
	for _, slot := range d.wanted[onCellEnd] {
		if x := d.meters[slot]; x != nil {
			x.cellEnd()
		}
	}
}

// fallback takes the fallback of the connection to TCP.
func (d *Dir) fallback(now int64) {
	for _, slot := range d.wanted[onFallback] {
		d.meter(slot).fallback(now)
	}
}

func (d *Dir) close(at int64) {
	for _, slot := range d.wanted[onClose] {
		if x := d.meters[slot]; x != nil {
			x.close(at)
		}
	}
	d.out.close()
}
