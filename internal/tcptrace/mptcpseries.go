package tcptrace

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
)

// seriesFiles are the files of values over time of one direction of a
// connection, in mptcptrace's columns: time, value, colour, 0, 0.
type seriesFiles struct {
	folder *folder
	side   string
	id     int
	files  map[string]*file // by what they hold; few

	top    int64 // end of the data that was sent
	edge   int64 // right edge of the window: DATA_ACK + window, the largest so far
	latest []rateMark
	count  int // DATA_ACKs since the latest bucket
}

// rateMark is a DATA_ACK that advanced.
type rateMark struct{ at, ack int64 }

// goodputAcks is over how many DATA_ACKs goodput is taken: N of mptcptrace's
// option -G.
const goodputAcks = 10

func (f *seriesFiles) row(what string, at int64, colour int, value []byte) {
	out := f.files[what]
	if out == nil {
		out = &file{folder: f.folder, name: fmt.Sprintf("%s_%s_%d.csv", f.side, what, f.id)}
		if f.files == nil {
			f.files = map[string]*file{}
		}
		f.files[what] = out
	}
	out.buf = append(append(appendTime(out.buf, at), ','), value...)
	out.buf = strconv.AppendInt(append(out.buf, ','), int64(colour), 10)
	out.buf = append(out.buf, ",0,0\n"...)
	out.spill()
}

func (f *seriesFiles) number(what string, at int64, colour int, v int64) {
	var scratch [20]byte
	f.row(what, at, colour, strconv.AppendInt(scratch[:0], v, 10))
}

func (f *seriesFiles) fraction(what string, at int64, colour int, v float64) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return // no time went by
	}
	var scratch [32]byte
	f.row(what, at, colour, strconv.AppendFloat(scratch[:0], v, 'f', 6, 64))
}

func (f *seriesFiles) close() {
	for _, out := range f.files {
		out.close()
	}
}

// The colours of the flight file.
const (
	flightWindow = 1 + iota
	flightData
	flightSubflows
)

// sent takes a packet with data of the direction.
func (c *counter) sent(p *conn.Packet) {
	d := &c.sides[p.From]
	for i := range p.Pieces {
		d.series.top = max(d.series.top, int64(p.Pieces[i].Data.End))
	}
	c.flight(p.From, p.Seg.Time/1000)
}

// flight writes what is in flight: of the connection, of each subflow and of
// all subflows together.
func (c *counter) flight(from conn.Side, now int64) {
	d := &c.sides[from]
	lowest := int64(d.first)
	if d.acked {
		lowest = int64(d.ack)
	}
	if n := d.series.top - lowest; n > 0 {
		d.series.number("flight", now, flightData, n)
	}
	sum := int64(0)
	for _, s := range c.conn.Subflows {
		if n := s.Half[from].InFlight(); n > 0 {
			d.series.number("flight_per_flow", now, s.ID+1, n)
			sum += n
		}
	}
	d.series.number("flight", now, flightSubflows, sum)
}

// answered takes a DATA_ACK of the data of a direction: the window, how much it
// covers, how long that took, and goodput.
func (c *counter) answered(from conn.Side, p *conn.Packet) {
	d, now := &c.sides[from], p.Seg.Time/1000
	f := &d.series
	window := int64(p.Seg.Window)
	if shift, ok := p.Sub.Half[p.From].WScale(); ok {
		if _, both := p.Sub.Half[from].WScale(); both {
			window <<= shift
		}
	}
	f.edge = max(f.edge, int64(p.AckAt)+window)
	f.number("flight", now, flightWindow, f.edge-int64(d.ack))
	c.flight(from, now)
	covered := int64(0)
	for _, k := range p.DataAcked {
		covered += k.Data.Len()
		ms := float64(p.Seg.Time-k.Seen) / 1e6
		f.fraction("rtt_ack_ts", now, p.Sub.ID+1, ms)
		f.fraction("rtt_seq_ts", k.Seen/1000, p.Sub.ID+1, ms)
	}
	f.number("acksize", now, p.Sub.ID+1, covered)
	if p.Advanced {
		f.goodput(now, int64(p.AckAt))
	}
}

// goodput writes rates in MB/s: of ten DATA_ACKs (1), since the first (2), and
// of the latest ten (3).
func (f *seriesFiles) goodput(now, ack int64) {
	rate := func(since rateMark) float64 { return float64(ack-since.ack) / float64(now-since.at) }
	if len(f.latest) > 0 {
		first, oldest := f.latest[0], f.latest[1%len(f.latest)]
		if f.count++; f.count == goodputAcks {
			f.fraction("gput", now, 1, rate(f.latest[len(f.latest)-goodputAcks]))
			f.count = 0
		}
		f.fraction("gput", now, 2, rate(first))
		if len(f.latest) > goodputAcks {
			f.fraction("gput", now, 3, rate(oldest))
		}
	}
	f.latest = append(f.latest, rateMark{now, ack})
	if len(f.latest) > goodputAcks+1 {
		f.latest = slices.Delete(f.latest, 1, 2) // the first one stays
	}
}

// addresses writes announced and withdrawn addresses: the way, 1 for the
// client's, and the address or its number.
func (c *counter) addresses(p *conn.Packet) {
	way := int64(1)
	if p.From == conn.B {
		way = 0
	}
	write := func(list **file, name, what string) {
		if *list == nil {
			*list = &file{folder: &c.out.folder, name: fmt.Sprintf("%s_%d.csv", name, c.conn.ID)}
		}
		(*list).buf = fmt.Appendf((*list).buf, "%d,%s\n", way, what)
		(*list).spill()
	}
	mptcp.Walk(p.Seg.RareOptions(), func(sub mptcp.Subtype, opt []byte) bool {
		var added mptcp.AddAddr
		var removed mptcp.RemoveAddr
		switch {
		case sub == mptcp.SubAddAddr && mptcp.ParseAddAddr(opt, &added) == nil && !added.Echo:
			write(&c.added, "add_addr", added.Addr.String())
		case sub == mptcp.SubRemoveAddr && mptcp.ParseRemoveAddr(opt, &removed) == nil:
			for _, id := range removed.AddressIDs() {
				write(&c.removed, "rm_addr", strconv.Itoa(int(id)))
			}
		}
		return true
	})
}

// throughput writes the data that each subflow carried, repetitions too, in
// octets a second of the connection, into a file for each side as mptcptrace
// has them: number of the subflow, client to server, server to client.
func (c *counter) throughput() {
	seconds := float64(max(1, elapsed(c.conn.Start/1000, c.conn.Last()/1000))) / 1e6
	for _, side := range clients {
		out := &file{folder: &c.out.folder, name: fmt.Sprintf("%s_sf_%d.csv", side, c.conn.ID)}
		for i := range slices.Backward(c.conn.Subflows) {
			a, b := at(c.sides[conn.A].carried, i), at(c.sides[conn.B].carried, i)
			out.buf = fmt.Appendf(out.buf, "%d,%d,%d\n", i, int64(float64(a)/seconds), int64(float64(b)/seconds))
		}
		out.close()
	}
}
