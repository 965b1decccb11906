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
	opt    Options
	open   map[*metrics.Connection]*watched // bounded by the connections of the table
	spare  []*watched                       // memory to be used again; bounded by maxSpare
	ended  ranking[endedOne]                // the busiest of those that ended in the interval
	start  int64                            // of the interval, ns
	number int64                            // of the interval
	next   Interval                         // the interval so far
	looks  ranking[*watched]                // memory that look uses again
	shown  ranking[*watched]                // memory that End uses again
}

// maxSpare bounds the spare memory for connections.
const maxSpare = 256

// New returns a monitor for a table without connections.
func New(opt Options) *Monitor {
	return &Monitor{
		opt: opt, open: map[*metrics.Connection]*watched{}, start: math.MinInt64,
		ended: ranking[endedOne]{most: opt.Top}, shown: ranking[*watched]{most: opt.Top}, looks: ranking[*watched]{most: maxLooks},
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
	passed := c.passed()
	o.next.Amounts.add(passed)
	if r := c.rank(passed); r.payload > 0 || r.last >= o.start {
		if o.ended.takes(r) {
			var out Connection
			c.take(r.last, &out, o)
			out.Ended = true
			if left, r, ok := o.ended.add(r, endedOne{out, passed}); ok {
				o.next.Rest.addEnded(r, left.passed)
			}
		} else {
			o.next.Rest.addEnded(r, passed)
		}
	}
	c.clear()
	if len(o.spare) < maxSpare {
		o.spare = append(o.spare, c)
	}
}

// endedOne is a connection that ended in the interval, and how much it carried. For a direction
// whose mappings were cut, reported has no bytes but passed has.
type endedOne struct {
	reported Connection
	passed   Amounts
}

// Late counts packets whose time is before the interval.
func (o *Monitor) Late(n int64) { o.next.Late += n }

// Begin sets when the first interval begins, ns.
func (o *Monitor) Begin(start int64) { o.start = start }

// End ends the interval at the time end, in ns, and returns what passed in it. The last interval
// ends with the last packet.
func (o *Monitor) End(end int64, last bool) *Interval {
	o.look(end)
	out := o.next
	out.Schema, out.Number, out.Start, out.Last = SchemaName, o.number, report.Time(packet.Unix(o.start)), last
	length := max(0, end-o.start)
	out.Seconds = float64(length) / 1e9
	o.choose(&out, end)
	for _, e := range o.shown.list {
		var c Connection
		e.value.take(end, &c, o)
		out.Shown = append(out.Shown, c)
	}
	for _, e := range o.ended.list {
		out.Shown = append(out.Shown, e.value.reported)
	}
	slices.SortFunc(out.Shown, func(a, b Connection) int { return cmp.Compare(a.Number, b.Number) })
	if length > 0 && (!last || 2*length >= o.opt.Length) {
		out.rates(length)
	}
	o.shown.clear()
	o.ended.clear()
	o.start, o.next = end, Interval{}
	o.number++
	return &out
}

// choose finds the busiest connections to show. It puts those that go on into shown; those that
// ended are in ended already. It counts all other connections in out.Rest.
func (o *Monitor) choose(out *Interval, end int64) {
	for _, c := range o.open {
		passed := c.passed()
		out.Amounts.add(passed)
		r := c.rank(passed)
		if r.open {
			out.Open++
		}
		if !r.open && r.payload == 0 && r.last < o.start { // closed, and without a packet in this interval
			c.take(end, nil, o)
			continue
		}
		left, at, ok := c, r, true
		if o.shown.takes(r) {
			left, at, ok = o.shown.add(r, c)
		}
		if ok {
			left.leave(at, out, end)
		}
	}
	for len(o.shown.list)+len(o.ended.list) > o.opt.Top {
		if n, k := len(o.shown.list), len(o.ended.list); k == 0 || n > 0 && o.shown.list[n-1].rank.compare(o.ended.list[k-1].rank) > 0 {
			e := o.shown.pop()
			e.value.leave(e.rank, out, end)
		} else {
			e := o.ended.pop()
			out.Rest.addEnded(e.rank, e.value.passed)
		}
	}
}

// leave counts a connection that goes on and is not shown.
func (c *watched) leave(r rank, out *Interval, end int64) {
	passed := c.passed()
	if r.open || passed.Payload > 0 {
		out.Rest.Connections++
	}
	out.Rest.add(passed)
	c.take(end, nil, nil)
}

// addEnded adds a connection that has ended.
func (r *Rest) addEnded(at rank, passed Amounts) {
	if at.payload > 0 {
		r.Connections++
	}
	r.add(passed)
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
	open    bool
	last    int64 // time of the latest packet, ns
	order   int
}

func (r rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(o.payload, r.payload), -compareBool(r.open, o.open), cmp.Compare(o.last, r.last), cmp.Compare(r.order, o.order))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// rank returns the rank of a connection that carried these amounts in the interval.
func (c *watched) rank(passed Amounts) rank {
	of := c.m.Conn
	return rank{passed.Payload, of.State() == conn.Open, of.Last(), of.Order}
}

// ranking keeps a limited number of values, those with the first ranks, in order.
type ranking[T any] struct {
	most int         // bounds the list
	list []ranked[T] // ascending
}

type ranked[T any] struct {
	rank  rank
	value T
}

// takes reports whether the ranking would keep a value of this rank.
func (l *ranking[T]) takes(r rank) bool {
	return len(l.list) < l.most || l.most > 0 && r.compare(l.list[len(l.list)-1].rank) < 0
}

// add adds a value that the ranking takes. If the ranking is full, it removes the last value
// and returns it, and ok is true.
func (l *ranking[T]) add(r rank, v T) (left T, of rank, ok bool) {
	if len(l.list) == l.most {
		e := l.pop()
		left, of, ok = e.value, e.rank, true
	}
	at, _ := slices.BinarySearchFunc(l.list, r, func(e ranked[T], r rank) int { return e.rank.compare(r) })
	l.list = slices.Insert(l.list, at, ranked[T]{r, v})
	return left, of, ok
}

// pop removes the last value and returns it.
func (l *ranking[T]) pop() ranked[T] {
	n := len(l.list) - 1
	e := l.list[n]
	l.list = slices.Delete(l.list, n, n+1)
	return e
}

// clear removes all values.
func (l *ranking[T]) clear() { l.list = slices.Delete(l.list, 0, len(l.list)) }
