package live

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/build"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// Options say what a [Monitor] shows.
type Options struct {
	Top     int           // how many connections are shown
	Length  int64         // of an interval, ns
	Builder build.Builder // gives verdicts, and names paths
}

// Monitor makes intervals of what a table of connections shows. One goroutine uses it.
type Monitor struct {
	opt     Options
	open    map[*metrics.Connection]*watched // bounded by the connections of the table
	spare   []*watched                       // memory to be used again; bounded by maxSpare
	start   int64                            // of the interval, ns
	number  int64                            // of the interval
	next    Interval                         // the interval so far
	busiest ranking                          // of those that ended in the interval, and at its end of all
	looks   ranking                          // memory that look uses again
}

// maxSpare bounds the spare memory for connections.
const maxSpare = 256

// New returns a monitor for a table without connections.
func New(opt Options) *Monitor {
	return &Monitor{
		opt: opt, open: map[*metrics.Connection]*watched{}, start: math.MinInt64, busiest: ranking{most: opt.Top}, looks: ranking{most: maxLooks},
	}
}

// Opened tells the monitor that the measurement of a connection begins.
func (o *Monitor) Opened(m *metrics.Connection) {
	c := new(watched)
	if n := len(o.spare); n > 0 {
		c, o.spare = o.spare[n-1], o.spare[:n-1]
	}
	c.m = m
	o.open[m] = c
	o.next.Opened++
}

// Closed tells the monitor that a connection has ended. Call it before the memory of the
// connection is used again.
func (o *Monitor) Closed(m *metrics.Connection) {
	c := o.open[m]
	if c == nil {
		return
	}
	delete(o.open, m)
	o.next.Ended++
	o.finalVerdicts(c)
	o.spent(c)
	x := candidate{passed: c.passed()}
	o.next.Amounts.add(x.passed)
	if x.rank = c.rank(x.passed); x.payload > 0 || x.last >= o.start {
		if o.busiest.takes(x.rank) {
			x.shown = c.take(x.last, o)
			x.shown.Ended = true
		}
		o.enter(x, x.last)
	}
	c.clear()
	if len(o.spare) < maxSpare {
		o.spare = append(o.spare, c)
	}
}

// Late counts packets whose time is before the interval.
func (o *Monitor) Late(n int64) { o.next.Late += n }

// Begin sets when the first interval begins, ns.
func (o *Monitor) Begin(start int64) { o.start = start }

// End ends the interval at the time end, in ns, and returns what passed in it. The last interval
// ends with the last packet.
func (o *Monitor) End(end int64, last bool) *Interval {
	o.look(end)
	for _, c := range o.open {
		x := candidate{passed: c.passed(), of: c}
		if x.rank = c.rank(x.passed); x.last >= o.start { // else nothing of its time was settled
			o.spent(c)
		}
		o.next.Amounts.add(x.passed)
		o.next.Open += int64(x.open)
		if x.open == 0 && x.payload == 0 && x.last < o.start { // closed, and without a packet in this interval
			c.read(end)
		} else {
			o.enter(x, end)
		}
	}
	out := o.next
	out.Schema, out.Number, out.Start, out.Last = SchemaName, o.number, report.Time(packet.Unix(o.start)), last
	length := max(0, end-o.start)
	out.Seconds = float64(length) / 1e9
	for _, x := range o.busiest.list {
		if x.of != nil {
			x.shown = x.of.take(end, o)
		}
		out.Shown = append(out.Shown, *x.shown)
	}
	slices.SortFunc(out.Shown, func(a, b Connection) int { return cmp.Compare(a.Number, b.Number) })
	if length > 0 && (!last || 2*length >= o.opt.Length) {
		out.rates(length)
	}
	o.busiest.clear()
	o.start, o.next = end, Interval{}
	o.number++
	return &out
}

// enter enters a connection into those that may be shown. The one that has no room counts among the others.
func (o *Monitor) enter(x candidate, now int64) {
	left, full := o.busiest.add(x)
	if !full {
		return
	}
	if left.payload > 0 || left.of != nil && left.open == 1 {
		o.next.Rest.Connections++
	}
	o.next.Rest.add(left.passed)
	if left.of != nil {
		left.of.read(now)
	}
}

// add adds amounts.
func (a *Amounts) add(b Amounts) {
	a.Bytes += b.Bytes
	a.Payload += b.Payload
}

// rank orders connections. The connection with the most payload comes first. If payloads are
// equal, open connections come first, then those with the latest packet, then the oldest.
type rank struct {
	payload int64
	open    int   // 1 of an open connection
	last    int64 // time of the latest packet, ns
	order   int
}

func (r rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(o.payload, r.payload), cmp.Compare(o.open, r.open), cmp.Compare(o.last, r.last), cmp.Compare(r.order, o.order))
}

// rank returns the rank of a connection that carried these amounts in the interval.
func (c *watched) rank(passed Amounts) rank {
	r := rank{payload: passed.Payload, last: c.m.Conn.Last(), order: c.m.Conn.Order}
	if c.m.Conn.State() == conn.Open {
		r.open = 1
	}
	return r
}

// candidate is a connection that may be shown, with what it carried.
type candidate struct {
	rank
	passed Amounts
	of     *watched    // nil where it has ended
	shown  *Connection // of one that has ended, of others at the end of the interval; it has no bytes where mappings were cut, and passed has
}

// ranking keeps a limited number of connections, those with the first ranks, in order.
type ranking struct {
	most int         // bounds the list
	list []candidate // ascending
}

// takes reports whether the ranking would keep a connection of this rank.
func (l *ranking) takes(r rank) bool {
	return len(l.list) < l.most || l.most > 0 && r.compare(l.list[len(l.list)-1].rank) < 0
}

// add adds a connection. If the ranking is full, it returns the last one.
func (l *ranking) add(x candidate) (left candidate, full bool) {
	at, _ := slices.BinarySearchFunc(l.list, x.rank, func(e candidate, r rank) int { return e.compare(r) })
	l.list = slices.Insert(l.list, at, x)
	if full = len(l.list) > l.most; full {
		left = l.list[l.most]
		l.list = slices.Delete(l.list, l.most, l.most+1)
	}
	return left, full
}

// clear removes all.
func (l *ranking) clear() { l.list = slices.Delete(l.list, 0, len(l.list)) }
