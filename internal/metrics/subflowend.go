package metrics

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/symptoms"
)

// subflowEnd is the state for the packets that one host sends over one subflow. It has
// pointers to all that these packets change, so that nothing has to be looked up for
// each packet.
type subflowEnd struct {
	sub  *Sub
	out  *SubflowDir // direction of the data that they carry; nil, like back, until there is something to measure
	back *SubflowDir // direction of the data that they acknowledge
	from conn.Side
	// options is how the host uses MPTCP options; nil before the first packet after the SYNs.
	options *symptoms.OptionUse

	settled     bool // [Connection.rare] is needed only for packets that are rare themselves
	optionsGoOn bool // settled, and the latest packet continued those with MPTCP options
	// shift is the window scale of the next packet, at most 14 (RFC 7323, Section 2.3);
	// negative where that is not known.
	shift int8
}

// unknownShift is the shift of a host whose window scale is not known.
const unknownShift = -1

// init sets the directions of a new subflow.
func (s *Sub) init() {
	for side := range s.flows {
		s.flows[side] = subflowEnd{sub: s, from: conn.Side(side), shift: unknownShift}
	}
}

// due does what depends on the time of a packet. The connection's first payload fixes
// the capture's place, and cells of the grids end.
func (m *Connection) due(p *conn.Packet, now int64) {
	m.k.look(p)
	if !m.fixed && p.HasPayload() && p.Seg.Flags&packet.SYN == 0 { // the payload of a SYN passes before the place can be known
		m.place()
	}
	for _, d := range m.dirs {
		if d != nil && now >= d.cellEnds {
			d.tick(now)
		}
	}
	if m.fixed {
		m.wake = math.MaxInt64
	}
	for _, d := range m.dirs {
		if d == nil {
			continue
		}
		m.wakeAt(d.cellEnds)
		if d.why != nil {
			d.why.Tick(p)
			m.wakeAt(d.why.CellEnd())
		}
	}
}

// wakeAt makes sure that due is called at a time.
func (m *Connection) wakeAt(t int64) { m.wake = min(m.wake, t) }

// unusual takes a packet that is rare, or may end or begin the packets with MPTCP
// options.
func (m *Connection) unusual(p *conn.Packet, f *subflowEnd) {
	m.k.look(p)
	if !f.settled || p.Seg.OtherLen > 0 || p.Seg.Flags&(packet.SYN|packet.RST) != 0 {
		m.rare(p, f)
	} else {
		f.takeOptions(p)
	}
}

// rare takes a packet of a rare kind: a packet of a handshake, a RST, or a packet with
// an MPTCP option other than DSS.
func (m *Connection) rare(p *conn.Packet, f *subflowEnd) {
	sub, h := f.sub, &f.sub.Handshake
	if !sub.thirdACK && p.Sub.ThirdACK != 0 {
		m.handshakeOver(sub, p.Seg.Time)
		m.account(sub)
	}
	m.Symptoms.Rare(&sub.Subflow, p)
	syn := p.Seg.Flags&packet.SYN != 0
	if syn && (h.SYNCut || h.SYNACKCut) { // a SYN is processed while no other packet is
		m.k.hidden = true
	}
	for side := range sub.flows {
		f := &sub.flows[side]
		// A subflow that began before the capture is settled, too, although its
		// handshake is never over.
		f.settled = !syn && h.Over && (sub.thirdACK || h.Uncaptured())
		f.optionsGoOn = f.optionsGoOn && f.settled
		f.shift = unknownShift
		if shift, ok := sub.Sub.WindowShift(conn.Side(side)); ok && !syn { // the window of a SYN is never shifted (RFC 7323, Section 2.2)
			f.shift = int8(shift)
		}
	}
	f.takeOptions(p)
}

// takeOptions takes a packet that may end or begin the packets with MPTCP options.
func (f *subflowEnd) takeOptions(p *conn.Packet) {
	if p.Seg.Flags&(packet.SYN|packet.RST) == 0 {
		f.options = f.sub.TakeOptions(p)
	}
	f.optionsGoOn = f.settled && f.options != nil && f.options.Continues()
}

// payload takes a packet with payload.
func (f *subflowEnd) payload(p *conn.Packet, now int64) {
	d := f.out.dir
	d.payload(f.out, p, now)
	if t := f.out.path; t != nil {
		t.Payload(p, d.free())
		d.m.wakeAt(d.why.CellEnd())
	}
}

// window returns the receive window that a packet offers, bytes.
func (f *subflowEnd) window(p *conn.Packet) int64 {
	if f.shift == unknownShift {
		return unknownWindow
	}
	return int64(p.Seg.Window) << (f.shift & 15)
}

// dataAck takes the DATA_ACK of a packet, in direction d of the data.
func (f *subflowEnd) dataAck(p *conn.Packet, d *DataDir, now int64) {
	d.dataAck(p, f.window(p), now)
}

// ack takes a packet that acknowledges something for the first time, on the
// subflow or at the data level.
func (f *subflowEnd) ack(p *conn.Packet, now int64) {
	s, a := f.back, &p.TCP.Ack
	d := s.dir
	if d.role != Sender && !d.m.fixed && a.New {
		f.keepHandshakeAck(a, now)
	}
	d.ack(s, p, now)
	if s.path != nil {
		s.path.Ack(p)
	}
}

// zeroWindow takes a packet that advertises a window of 0.
func (f *subflowEnd) zeroWindow(p *conn.Packet) {
	if d := f.back.dir; d.why != nil {
		d.why.ZeroWindow(p)
	}
}
