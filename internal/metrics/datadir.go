package metrics

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/symptoms"
)

// DataDir is one direction of a connection: its meters, and the state that they share. It
// passes events to the meters in the order of the capture. The arguments of an event are
// valid during the call.
type DataDir struct {
	// What most packets read or change comes first, so that it shares cache lines.

	has       meterSet // the meters that the capture point shows something for, of those asked for
	from      conn.Side
	role      Role // role of the capture point
	anchored  bool
	space     *dss.Space // of the direction's data
	rightEdge seq.DSN    // right edge of the receive window: the largest DATA_ACK + window so far; unread before the first window

	// A DATA_ACK passed on a subflow whose window scale is not known. It may have moved
	// the right edge, and the windows of the others are no fair sample: nothing of windows is
	// known from then on.
	edgeUnknown bool

	why    *symptoms.DataDir // explains its figures; nil unless verdicts are asked for
	looked period            // the time that is looked at (--from, --to); empty before the first payload
	meters
	out *seriesWriter
	m   *Connection

	grid     grid  // grid of rates and of other samples; its origin is the time of the first payload
	cellEnds int64 // when the open cell of the sampling grid ends; the largest time where no cell is open
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

func (d *DataDir) init(m *Connection, from conn.Side) {
	*d = DataDir{
		m: m, space: &m.Conn.Spaces[from], from: from, meters: d.meters, out: m.seriesWriter(nil, from),
		grid: grid{cell: m.k.cell()}, cellEnds: math.MaxInt64, rightEdge: unread, why: m.Symptoms.Follow(from),
	}
	d.place(m.roles[from])
	d.renew(d)
}

// place sets the role of the capture point for the direction. Away from both ends no report
// has delays ([Connection.DelayReason]); but before the place is known they are measured.
func (d *DataDir) place(r Role) {
	if d.role, d.has = r, d.m.k.wanted[r]; d.why != nil {
		d.why.Place(r == Sender, r == Receiver)
	}
	if d.m.fixed && r != Sender && r != Receiver {
		d.has &^= hasDelays | hasHoLQueue
	}
}

// anchor sets the origin of the direction's grid, the first payload.
func (d *DataDir) anchor(now int64) {
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
func (d *DataDir) payload(s *SubflowDir, p *conn.Packet, now int64) {
	if !d.anchored {
		d.anchor(now)
	}
	if rtt := p.TCP.FarHalfRTT; rtt > 0 { // first, because the meters read the smoothed round-trip time
		s.farHalf(rtt, now)
	}
	if d.has&hasInFlight != 0 {
		made(d, &d.inFlight).payload(s, now)
	}
	if d.has&hasCwnd != 0 {
		made(d, &d.cwnd).payload(s, now)
	}
	if d.has&hasDSR != 0 {
		made(d, &d.dsr).payload(s, p, now)
	}
	if d.has&hasTimeAccount != 0 {
		made(d, &d.timeAccount).payload(s, p, now)
	}
	if d.has&hasStreaming != 0 {
		made(d, &d.streaming).payload(p, now)
	}
	if d.free() <= 0 && d.has&hasWindow != 0 {
		made(d, &d.window).full(now)
	}
	if d.looked.holds(now) {
		if d.has&hasRates != 0 {
			made(d, &d.rates).payload(s, p, now)
		}
		for list := p.Pieces; len(list) > 0; list = list[1:] {
			d.piece(s, list, now)
		}
	} else {
		d.outside(p.Pieces)
	}
	d.placed(p, now)
}

// piece takes the first of several pieces of data that became known together, in the time
// that is looked at.
func (d *DataDir) piece(s *SubflowDir, list []dss.Piece, now int64) {
	if d.has&hasBursts != 0 {
		made(d, &d.bursts).piece(s, &list[0], now)
	}
	if d.has&hasOrder != 0 {
		made(d, &d.order).piece(s, list, now)
	}
	if d.has&hasRates != 0 {
		made(d, &d.rates).piece(s, &list[0], now)
	}
	if d.has&hasStreaming != 0 {
		made(d, &d.streaming).piece(&list[0], now)
	}
	if d.has&hasRegret != 0 {
		made(d, &d.regret).piece(s, &list[0], now)
	}
}

// outside takes pieces outside the time that is looked at.
func (d *DataDir) outside(list []dss.Piece) {
	if d.has&hasBursts != 0 {
		made(d, &d.bursts).outside()
	}
	if d.has&hasOrder != 0 {
		made(d, &d.order).outside(list)
	}
}

// late takes payload of earlier packets whose mapping became known with an
// acknowledgment.
func (d *DataDir) late(s *SubflowDir, list []dss.Piece) {
	for i := range list {
		if at := list[i].Time; d.looked.holds(at) {
			d.piece(s, list[i:], at)
		} else {
			d.outside(list[i : i+1])
		}
	}
}

// placed takes data that became known with a packet.
func (d *DataDir) placed(p *conn.Packet, now int64) {
	if d.has&(hasInOrder|hasStreaming) != 0 && len(p.InOrder) > 0 && d.looked.holds(now) {
		d.ordered(p.InOrder, now)
	}
	if d.has&hasHoLQueue != 0 {
		made(d, &d.holQueue).settled(p, now)
	}
}

// ordered takes, at the receiver, chunks that are in order now: all data below them has
// arrived.
func (d *DataDir) ordered(chunks []*dss.Chunk, now int64) {
	if d.has&hasInOrder != 0 {
		made(d, &d.inOrder).take(chunks, now)
	}
	if d.has&hasStreaming != 0 {
		made(d, &d.streaming).inOrder(chunks, now)
	}
}

// ack takes a packet of the receiver that acknowledges data on s, or at the data level,
// for the first time.
func (d *DataDir) ack(s *SubflowDir, p *conn.Packet, now int64) {
	if p.TCP.Ack.New {
		d.subflowAck(s, p, now)
	}
	if len(p.LateMapped) > 0 {
		d.late(s, p.LateMapped)
	}
	if d.has&hasDelays != 0 && p.HasDataAck && len(p.DataAcked) > 0 && !p.Uncaptured && p.Seg.Have&packet.Untimed == 0 { // after a fallback the subflow's ACK replaces the DATA_ACK, and HasDataAck is false
		d.delivered(p.DataAcked, now)
	}
	if d.has&hasHoLQueue != 0 {
		made(d, &d.holQueue).settled(p, now)
	}
	if x := d.timeAccount; x != nil && !p.HasDataAck { // else dataAck follows, where the window is known
		x.answer(p, now)
	}
}

// subflowAck takes a packet of the receiver that acknowledges something on s for the
// first time.
func (d *DataDir) subflowAck(s *SubflowDir, p *conn.Packet, now int64) {
	if d.role == Sender {
		s.acknowledged(&p.TCP.Ack, now)
	}
	if d.has&hasStreaming != 0 {
		made(d, &d.streaming).ack(s, now)
	}
	if d.has&hasRegret != 0 {
		made(d, &d.regret).ack(s, now)
	}
}

// delivered takes chunks that a DATA_ACK covers for the first time.
func (d *DataDir) delivered(chunks []*dss.Chunk, now int64) {
	if chunks = d.m.measured(chunks); len(chunks) > 0 {
		made(d, &d.delays).delivered(chunks, now)
	}
}

// dataAck takes a packet of the receiver with a DATA_ACK. window is the window that it
// offers, bytes, or unknownWindow.
func (d *DataDir) dataAck(p *conn.Packet, window, now int64) {
	switch edge := p.DataAck + seq.DSN(window); {
	case window == unknownWindow:
		d.edgeUnknown, d.rightEdge = true, unread
	case d.edgeUnknown:
	case d.rightEdge == unread:
		d.rightEdge = edge
	default:
		d.rightEdge = max(d.rightEdge, edge)
	}
	if !d.edgeUnknown && d.has&hasWindow != 0 {
		made(d, &d.window).dataAck(p, window, now)
	}
	if d.why != nil {
		d.why.DataAck(p, d.free(), window)
	}
	if d.role == Sender {
		d.m.heard(p, now)
	}
	if x := d.timeAccount; x != nil { // behind the symptoms, which know what was taken back of the window
		x.answer(p, now)
	}
}

// unknownWindow is the window of a packet whose window scale is not known.
const unknownWindow = -1

// WindowsKnown reports whether the capture shows the scale of all windows that came with a DATA_ACK.
func (d *DataDir) WindowsKnown() bool { return !d.edgeUnknown }

// free returns the unused bytes of the receive window. They are very many while the right
// edge is not known.
func (d *DataDir) free() int64 { return int64(d.rightEdge - d.space.SndNxt()) }

// tick ends the open cell of the sampling grid, because now is after it. This must
// happen before the packet changes a smoothed round-trip time.
func (d *DataDir) tick(now int64) {
	if d.delays != nil {
		d.delays.cellEnd()
	}
	cell := int64(d.m.k.cfg.Interval)
	d.cellEnds += (now - d.cellEnds + cell) / cell * cell
}

// fallback takes the fallback of the connection to TCP.
func (d *DataDir) fallback(now int64) {
	if d.has&hasHoLQueue != 0 {
		made(d, &d.holQueue).fallback()
	}
	if d.has&hasWindow != 0 {
		made(d, &d.window).limit(now) // no DATA_ACK shows the window any more
	}
}

// close takes the end of the connection; at is the time of its latest packet.
func (d *DataDir) close(at int64) {
	d.deriveAll()
	closed(d.cwnd, at)
	closed(d.dsr, at)
	closed(d.bursts, at)
	closed(d.order, at)
	closed(d.rates, at)
	closed(d.delays, at)
	closed(d.holQueue, at)
	closed(d.window, at)
	closed(d.timeAccount, at)
	closed(d.streaming, at)
	d.out.close()
}

// closed tells a meter, if there is one, that the connection has ended.
func closed[T any, P interface {
	*T
	close(at int64)
}](x P, at int64) {
	if x != nil {
		x.close(at)
	}
}
