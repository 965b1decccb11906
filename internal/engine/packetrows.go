package engine

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
)

// packetRows writes a row for each packet with payload of two captures. It belongs to
// the tracker.
type packetRows struct {
	sink    report.PacketSink
	path    func(*conn.Subflow) string
	options *Options
	row     report.PacketRow // reused
	err     error            // error of the sink; nothing is written after it
}

// packet writes the row of a packet of a selected connection.
func (w *packetRows) packet(p *pair.Packet) {
	c := p.Sub.Conn
	if w.err != nil || c.Kind != conn.Multipath || !w.options.selected(c) {
		return
	}
	r := &w.row
	*r = report.PacketRow{
		Cell: report.Cell{Connection: c.ID, Direction: report.A2B, Subflow: p.Sub.ID, Path: w.path(p.Sub)},
		SSN:  p.SSN, Length: p.Length, Fate: p.Fate.String(),
		SentPacket: int64(p.SentNum), Sent: report.NoTime, ArrivedPacket: int64(p.ArrivedNum), Arrived: report.NoTime,
	}
	if p.From == conn.B {
		r.Direction = report.B2A
	}
	if d := w.options.Direction; d != "" && d != r.Direction {
		return
	}
	if p.Sent != 0 {
		r.Sent = p.Sent - c.Start
	}
	if p.Arrived != 0 {
		r.Arrived = p.Arrived - c.Start
	}
	w.err = w.sink.Packet(r)
}
