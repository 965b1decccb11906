package tcptrace

import (
	"fmt"
	"strconv"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// dataGraphs are the time-sequence graphs of a Multipath TCP connection at the
// data level, as mptcptrace draws them: by the sender of the data, with the
// number of the subflow as the colour. mptcptrace draws whole mappings, once for
// each packet that repeats one; these graphs show what each packet carried.
type dataGraphs struct {
	conn   *conn.Conn
	folder *folder
	plots  [2]*plot
	colour [2]int // number of the current colour; -1 before the first

	high  [2]int64 // end of the latest data in the graph
	early []*conn.Event
}

// marked are the events that the graphs show, with the word for each.
var marked = map[conn.EventKind]string{
	conn.EventJoin: "join", conn.EventMerged: "join", conn.EventAddAddr: "ADD_ADDR", conn.EventRemoveAddr: "REMOVE_ADDR",
	conn.EventReset: "reset", "handover": "handover", conn.EventFallback: "fallback", conn.EventInfinite: "fallback",
}

// maxEarly bounds the events before the first data, which are drawn when data comes.
const maxEarly = 32

// event draws a tick with the name of an event at the latest data of both
// directions, as mptcpplot does.
func (d *dataGraphs) event(e *conn.Event) {
	if d.conn.Kind != conn.Multipath || marked[e.Kind] == "" {
		return
	}
	if d.plots[0] == nil && d.plots[1] == nil {
		if len(d.early) < maxEarly {
			kept := *e
			d.early = append(d.early, &kept)
		}
		return
	}
	for from, p := range d.plots {
		if p != nil {
			d.tick(conn.Side(from), e)
		}
	}
}

func (d *dataGraphs) tick(from conn.Side, e *conn.Event) {
	sub := 0
	if e.Sub != nil {
		sub = e.Sub.ID
	}
	out := d.on(from, sub)
	out.object("vtick", "", e.Time/1000, d.high[from])
	out.text("rtext", "", e.Time/1000, d.high[from], " "+marked[e.Kind])
}

// clients names the directions: the client sent the MP_CAPABLE SYN.
var clients = [2]string{"c2s", "s2c"}

// subflowColour is the number of a subflow's colour; xplot has eight.
func subflowColour(sub int) int { return (sub + 1) % 8 }

func (d *dataGraphs) packet(p *conn.Packet) {
	if d.conn.Kind != conn.Multipath {
		return
	}
	other := p.From.Other()
	for i := range p.Pieces {
		d.piece(p.From, p.Sub.ID, &p.Pieces[i])
	}
	for i := range p.LateMapped {
		d.piece(other, p.Sub.ID, &p.LateMapped[i])
	}
	if p.HasDataAck {
		d.on(other, p.Sub.ID).object("diamond", "", p.Seg.Time/1000, wire(d.conn, other, p.DataAck))
	}
}

func (d *dataGraphs) piece(from conn.Side, sub int, piece *dss.Piece) {
	now, top := piece.Time/1000, wire(d.conn, from, piece.Data.End)
	out := d.on(from, sub)
	d.high[from] = top
	out.object("line", "", now, wire(d.conn, from, piece.Data.Start), now, top)
	if piece.Kind == dss.Reinjection {
		out.text("atext", "", now, top, " R")
	}
}

// on returns the graph of a direction, and sets the colour of a subflow in it.
func (d *dataGraphs) on(from conn.Side, sub int) *plot {
	p := d.plots[from]
	if p == nil {
		name := fmt.Sprintf("%s_seq_%d.xpl", clients[from], d.conn.ID)
		p = newPlot(d.folder, name, "timeval double", clients[from]+" - Time sequence", "Time", "Sequence number")
		d.plots[from], d.colour[from] = p, -1
		d.high[from] = wire(d.conn, from, 0)
		for _, e := range d.early {
			d.tick(from, e)
		}
	}
	if c := subflowColour(sub); c != d.colour[from] {
		p.colour(strconv.Itoa(c))
		d.colour[from] = c
	}
	return p
}

func (d *dataGraphs) close() {
	for _, p := range d.plots {
		if p != nil {
			p.close()
		}
	}
}

// wire returns the low 4 bytes of a DSN, as they are in a DSS option with 4-byte numbers.
func wire(c *conn.Conn, from conn.Side, p seq.DSN) int64 {
	n, _ := c.Spaces[from].Absolute(p)
	return int64(uint32(n))
}
