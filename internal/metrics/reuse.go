package metrics

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// The figures of a connection are given back with it: see [conn.Conn.Recycle]. What was
// made for one is spare for the next one in its memory, until that shows as much.

// GiveBack says that nobody will look at m and its connection any more.
func (m *Connection) GiveBack() { m.Conn.Recycle(m) }

// vacant returns figures for c of which nothing is measured yet.
func (k *Collector) vacant(c *conn.Conn) *Connection {
	m, ok := c.RecycledObserver().(*Connection)
	if ok {
		m.clear()
	} else {
		m = new(Connection)
	}
	m.Conn, m.k, m.series, m.omit, m.tickAt = c, k, k.cfg.Series != nil, k.cfg.Omit, math.MaxInt64
	return m
}

// clear makes m figures of which nothing is measured.
func (m *Connection) clear() {
	for side, d := range m.dirs {
		setAside(&m.spare[side], d)
	}
	*m = Connection{Subs: m.Subs[:0], Events: seq.Reuse(m.Events), spare: m.spare, amounts: m.amounts}
}

// setAside keeps what was made, if it was.
func setAside[T any](spare **T, made *T) {
	if made != nil {
		*spare = made
	}
}

// use takes what was set aside; nil where nothing was.
func use[T any](spare **T) *T {
	x := *spare
	*spare = nil
	return x
}

// newSub returns a subflow of which nothing is measured: one that m had before it was
// cleared, if it had so many.
func (m *Connection) newSub() *Sub {
	n := len(m.Subs)
	if n == cap(m.Subs) || m.Subs[:n+1][n] == nil {
		return new(Sub)
	}
	s := m.Subs[:n+1][n]
	for side := range s.ways {
		setAside(&s.spare.dirs[side], s.dirs[side])
		setAside(&s.spare.courses[side], s.courses[side])
		setAside(&s.spare.talks[side], s.ways[side].talk)
	}
	*s = Sub{spare: s.spare, early: seq.Reuse(s.early)}
	return s
}

// spareSub is what was made for another subflow.
type spareSub struct {
	dirs    [2]*SubDir
	courses [2]*Course
	talks   [2]*Talk
}

func (s *Sub) newDir(from conn.Side) *SubDir {
	d := use(&s.spare.dirs[from])
	if d == nil {
		return new(SubDir)
	}
	empty(&d.RTT, &d.RTTNewest, &d.SRTT, &d.RTTVar, &d.RTO, &d.InFlight, &d.PathDelay, &d.HoLWait, &d.InOrderWait, &d.waiting,
		&d.Rate.Cells, &d.Bursts.Bytes, &d.Bursts.Duration, &d.Cwnd.Bytes, &d.Cwnd.Segments, &d.Cwnd.Throughput, &d.Cwnd.Decisions.Next, &d.DSR.Rates)
	*d = SubDir{
		RTT: d.RTT, RTTNewest: d.RTTNewest, SRTT: d.SRTT, RTTVar: d.RTTVar, RTO: d.RTO, InFlight: d.InFlight,
		PathDelay: d.PathDelay, HoLWait: d.HoLWait, InOrderWait: d.InOrderWait, waiting: d.waiting,
		Rate:   Rate{Cells: d.Rate.Cells},
		Bursts: Bursts{Bytes: d.Bursts.Bytes, Duration: d.Bursts.Duration},
		Cwnd: Cwnd{
			Bytes: d.Cwnd.Bytes, Segments: d.Cwnd.Segments, Throughput: d.Cwnd.Throughput,
			Decisions: Decisions{Next: d.Cwnd.Decisions.Next},
		},
		DSR:      DSR{Rates: d.DSR.Rates},
		smoothed: smoothed{samples: seq.Reuse(d.samples)},
	}
	return d
}

func (s *Sub) newCourse(from conn.Side) *Course {
	c := use(&s.spare.courses[from])
	if c == nil {
		return new(Course)
	}
	*c = Course{}
	return c
}

func (s *Sub) newTalk(from conn.Side) *Talk {
	t := use(&s.spare.talks[from])
	if t == nil {
		return new(Talk)
	}
	*t = Talk{}
	return t
}

func (m *Connection) newDir(from conn.Side) *Dir {
	d := use(&m.spare[from])
	if d == nil {
		return new(Dir)
	}
	o := &d.Order
	empty(&d.ProtocolDelay, &d.HoLDegree, &d.HoLBlocking, &d.HoLDegreeAllPaths, &d.Throughput.Cells, &d.Goodput.Cells,
		&o.Offset, &o.ExtentChunks, &o.ExtentMS, &o.ExtentBytes, &o.Buffer.Chunks,
		&d.Window.Rwnd, &d.Window.Free, &d.Awnd.Delta, &d.queue.Bytes, &d.queue.Segments)
	*d = Dir{
		ProtocolDelay: d.ProtocolDelay, HoLDegree: d.HoLDegree, HoLBlocking: d.HoLBlocking, HoLDegreeAllPaths: d.HoLDegreeAllPaths,
		Throughput: Rate{Cells: d.Throughput.Cells},
		Goodput:    Rate{Cells: d.Goodput.Cells},
		Order: Order{
			Offset: o.Offset, ExtentChunks: o.ExtentChunks, ExtentMS: o.ExtentMS, ExtentBytes: o.ExtentBytes,
			Buffer:   buffer{Chunks: o.Buffer.Chunks, Counts: seq.Reuse(o.Buffer.Counts), spans: o.Buffer.spans.Reuse()},
			arrivals: arrivals{leaps: seq.Reuse(o.leaps), runs: seq.Reuse(o.runs)},
		},
		Window: Window{Rwnd: d.Window.Rwnd, Free: d.Window.Free},
		Awnd:   Awnd{Delta: d.Awnd.Delta},
		queue:  holQueue{Bytes: d.queue.Bytes, Segments: d.queue.Segments, tail: seq.Reuse(d.queue.tail)},
	}
	return d
}

func empty(all ...*stats.Dist) {
	for _, d := range all {
		d.Reset()
	}
}
