package distributions

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// Collector is a module that gathers figures of Multipath TCP connections. Its memory does
// not grow with their number.
type Collector struct {
	label func(a, b netip.Addr) string

	connections, timeless  int64
	joinDelay, duration    stats.Dist // ms, s
	subflows               stats.Dist
	bytes                  [2]stats.Dist
	burstBytes, burstTimes [2]stats.Dist // bytes, ms
	cells                  map[cell]*int64
}

// cell is one hour of one path in one direction.
type cell struct {
	hour int64 // full hours of [packet.Segment.Time]
	path string
	from conn.Side
}

// maxCells bounds the cells: it suffices for 100 paths for a month, hour by hour. Data
// beyond that counts for [OtherPaths] and for no hour.
const maxCells = 1 << 16

// OtherPaths is the name under which data is counted that finds no cell.
const OtherPaths = "other paths and hours"

const nowhere = -1 << 62 // the hour of OtherPaths

// New returns a collector. label returns the name of the path between two addresses, or ""
// for the addresses themselves. It may be nil.
func New(label func(a, b netip.Addr) string) *Collector {
	return &Collector{label: label, cells: map[cell]*int64{}}
}

// Connections returns how many Multipath TCP connections ended, and how many of them have
// no times because the clock of the capture cannot be trusted.
func (c *Collector) Connections() (n, timeless int64) { return c.connections, c.timeless }

// Open returns the observer of a connection.
func (c *Collector) Open(to *conn.Conn) conn.Observer { return &watcher{collector: c, conn: to} }

// watcher follows one connection.
type watcher struct {
	conn.Nop
	collector *Collector
	conn      *conn.Conn
	bursts    [2]burst
	subs      []subHour // by subflow and direction
}

// subHour is the cell to which the latest data of one direction of a subflow was added.
type subHour struct {
	hour  int64
	bytes *int64
}

// burst is the current burst of a direction: data that one subflow carries without a gap
// and without data of another subflow between.
type burst struct {
	sub         *conn.Subflow // the subflow that carries it; nil for none
	start, end  seq.DSN
	first, last int64 // ns
}

// Packet adds the data of a packet.
func (w *watcher) Packet(p *conn.Packet) {
	if len(p.Pieces) > 0 {
		w.burst(p.Sub, p.From, p.Pieces)
		w.share(p.Sub, p.From, p.Pieces)
	}
	if len(p.LateMapped) > 0 {
		w.burst(p.Sub, p.From.Other(), p.LateMapped)
		w.share(p.Sub, p.From.Other(), p.LateMapped)
	}
}

// burst follows the bursts, as reports define them: retransmissions neither belong to a
// burst nor end one.
func (w *watcher) burst(s *conn.Subflow, from conn.Side, list []dss.Piece) {
	b := &w.bursts[from]
	for i := range list {
		x := &list[i]
		if x.Kind == dss.Retransmission {
			continue
		}
		if b.sub != s || x.Data.Start != b.end {
			w.closeBurst(from)
			*b = burst{sub: s, start: x.Data.Start, first: x.Time}
		}
		b.end, b.last = x.Data.End, x.Time
	}
}

// closeBurst ends the burst of a direction.
func (w *watcher) closeBurst(from conn.Side) {
	b, c := &w.bursts[from], w.collector
	if b.sub == nil {
		return
	}
	c.burstBytes[from].Add(float64(b.end - b.start))
	if w.conn.ClockFault() == "" {
		c.burstTimes[from].Add(float64(b.last-b.first) / 1e6)
	}
	b.sub = nil
}

// share counts data that passes for the first time for the path that carried it, in the
// hour in which it passed.
func (w *watcher) share(s *conn.Subflow, from conn.Side, list []dss.Piece) {
	i := 2*s.ID + int(from)
	for len(w.subs) <= i {
		w.subs = append(w.subs, subHour{})
	}
	at := &w.subs[i]
	for k := range list {
		x := &list[k]
		if x.Kind != dss.First {
			continue
		}
		if hour := x.Time / int64(time.Hour); at.bytes == nil || at.hour != hour {
			*at = subHour{hour, w.collector.cell(cell{hour, w.collector.path(s), from})}
		}
		*at.bytes += x.Data.Len()
	}
}

// path returns the name of a subflow's path.
func (c *Collector) path(s *conn.Subflow) string {
	a, b := netip.AddrFrom16(s.Ends[conn.A].Addr).Unmap(), netip.AddrFrom16(s.Ends[conn.B].Addr).Unmap()
	if c.label != nil {
		if name := c.label(a, b); name != "" {
			return name
		}
	}
	return a.String() + "-" + b.String()
}

// cell returns the counter of a cell, bytes.
func (c *Collector) cell(k cell) *int64 {
	n := c.cells[k]
	if n == nil && len(c.cells) >= maxCells {
		k.hour, k.path = nowhere, OtherPaths
		n = c.cells[k]
	}
	if n == nil {
		n = new(int64)
		c.cells[k] = n
	}
	return n
}

// Close adds the figures of a connection that ended.
func (w *watcher) Close(int64) {
	x, c := w.conn, w.collector
	if x.Kind != conn.Multipath || len(x.Subflows) == 0 {
		return
	}
	c.connections++
	c.subflows.Add(float64(len(x.Subflows)))
	for side := range conn.Side(2) {
		w.closeBurst(side)
		c.bytes[side].Add(float64(x.Spaces[side].AppBytes()))
	}
	if x.ClockFault() != "" {
		c.timeless++
		return
	}
	c.duration.Add(float64(x.Last()-x.Start) / 1e9)
	for _, s := range x.Subflows {
		if s.Joined && !s.NoSYN && x.Subflows[0].SYN != 0 && !x.Subflows[0].Joined {
			c.joinDelay.Add(float64(s.Start-x.Subflows[0].Start) / 1e6)
		}
	}
}

// Distribution is one figure over all connections.
type Distribution struct {
	Metric    string // name, as join_delay
	Unit      string
	Direction string // of the data, a2b or b2a; empty where it has none
	Values    *stats.Dist
}

// Distributions returns all figures, also those without values.
func (c *Collector) Distributions() []Distribution {
	return []Distribution{
		{"join_delay", "ms", "", &c.joinDelay},
		{"burst_bytes", "bytes", "a2b", &c.burstBytes[conn.A]},
		{"burst_bytes", "bytes", "b2a", &c.burstBytes[conn.B]},
		{"burst_duration", "ms", "a2b", &c.burstTimes[conn.A]},
		{"burst_duration", "ms", "b2a", &c.burstTimes[conn.B]},
		{"connection_bytes", "bytes", "a2b", &c.bytes[conn.A]},
		{"connection_bytes", "bytes", "b2a", &c.bytes[conn.B]},
		{"connection_duration", "s", "", &c.duration},
		{"subflows", "", "", &c.subflows},
	}
}

// Hours returns how many bytes of application data each path carried first, and the percentage of what all paths carried,
// by hour, direction and path, behind a row of heads. The hour of [OtherPaths] is empty.
func (c *Collector) Hours() [][]string {
	total := map[cell]int64{}
	for k, n := range c.cells {
		total[cell{hour: k.hour, from: k.from}] += *n
	}
	rows := [][]string{{"hour", "direction", "path", "bytes", "share_percent"}}
	for _, k := range slices.SortedFunc(maps.Keys(c.cells), func(x, y cell) int {
		return cmp.Or(cmp.Compare(x.hour, y.hour), cmp.Compare(x.from, y.from), cmp.Compare(x.path, y.path))
	}) {
		hour, percent := "", 0.0
		if k.hour != nowhere {
			hour = time.Unix(0, packet.Unix(k.hour*int64(time.Hour))).UTC().Format(time.RFC3339)
		}
		if all := total[cell{hour: k.hour, from: k.from}]; all > 0 {
			percent = 100 * float64(*c.cells[k]) / float64(all)
		}
		rows = append(rows, []string{hour, [2]string{"a2b", "b2a"}[k.from], report.CellText(k.path), strconv.FormatInt(*c.cells[k], 10), number(percent)})
	}
	return rows
}
