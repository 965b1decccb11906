package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/subflow"
)

// End is one of the two captures.
type End uint8

// The ends: the capture at the host that sends the bulk of the data, and the
// one at its peer. Which host sends a packet is found out for each subflow;
// the names tell the captures apart and nothing else.
const (
	AtSender End = iota
	AtReceiver
)

// Other returns the other capture.
func (e End) Other() End { return e ^ 1 }

// Horizon is how long a sent copy waits for its arrival before it counts as
// lost, in nanoseconds: no queue in use holds a packet as long.
const Horizon = 30e9

// Options steer a pair.
type Options struct {
	// Rough is about how far the receiver's clock is ahead of the sender's,
	// ns: enough to keep the captures in step, not for any figure.
	Rough int64
	// Drift says that delays are to be corrected for a drift of the clocks,
	// for which samples are kept.
	Drift bool
	// Packet takes every packet with payload once its fate is known; nil for
	// none. The value is valid during the call.
	Packet func(*Packet)
	// Chunk takes every chunk of the connections that both captures have,
	// under the same rule; nil for none.
	Chunk func(*Chunk)
	// Alone takes, with Chunk, the chunks of the connections that only the
	// sender's capture has.
	Alone func(*conn.Subflow, conn.Side, *dss.Chunk)
}

// Pair matches two captures. Its modules belong into one table each; both are
// driven by one goroutine.
type Pair struct {
	opt     Options
	ends    [2]observed
	hosts   map[[16]byte]End // where the capture of an address was taken; bounded by maxHosts
	flows   []Flow           // of links that are over
	conns   []Conn
	clock   clock
	samples *budget
	swept   int64
	lead    int64                 // about how far the receiver's clock is ahead, ns; from the latest flow that shows it, see [link.deltas]
	watches map[*conn.Conn]*watch // of either capture; those that are open
	joined  map[*conn.Conn]bool   // connections of which Chunk gets the chunks; those that are open
}

// observed is what is known of one of the two captures.
type observed struct {
	reached
	index    index
	beyond   bool  // its host sent packets after its last one: the capture was stopped early
	due      int64 // when it has to come to for the next sweep, ns
	unpaired int64 // TCP connections that the other capture does not have
}

// reached is how far a capture has come.
type reached struct {
	first, last int64 // times of its packets, ns, by its clock; 0 = none yet
	ended       bool
}

const maxHosts = 1 << 12

// New returns a pair that has seen nothing yet.
func New(o Options) *Pair {
	p := &Pair{opt: o, hosts: map[[16]byte]End{}, samples: &budget{left: maxSamples}}
	p.clock.rough, p.lead = o.Rough, o.Rough
	p.watches, p.joined = map[*conn.Conn]*watch{}, map[*conn.Conn]bool{}
	for e := range p.ends {
		p.ends[e].index = newIndex()
	}
	return p
}

// Module returns the observer maker of one capture's table.
func (p *Pair) Module(e End) conn.Module { return module{p, e} }

type module struct {
	p   *Pair
	end End
}

// Open follows a connection of one capture.
func (m module) Open(c *conn.Conn) conn.Observer {
	w := &watch{p: m.p, end: m.end, capture: &m.p.ends[m.end], conn: c}
	m.p.watches[c] = w
	if m.p.opt.Chunk != nil {
		return biographer{w}
	}
	return w
}

// watch follows one connection of one capture.
type watch struct {
	conn.Nop
	p       *Pair
	capture *observed
	ways    []way // by [conn.Direction.DirIndex]
	dirs    [2]*pairedData
	end     End
	conn    *conn.Conn
	flows   []*flow     // by the number of the subflow
	both    *pairedConn // with the same connection of the other capture; nil while it is not known
	waiting pending     // what the data did until then
	over    bool
}

// way is one direction of a subflow.
type way struct {
	lane *lane // nil while the subflow's counterpart, or its place, is not known
	half *subflow.Sender
}

// Subflow begins to follow a subflow.
func (w *watch) Subflow(s *conn.Subflow) {
	w.flows = append(w.flows, &flow{watch: w, sub: s})
	w.ways = append(w.ways, way{half: &s.Senders[conn.A]}, way{half: &s.Senders[conn.B]})
}

// Packet takes a packet.
func (w *watch) Packet(p *conn.Packet) {
	if c := w.capture; p.Seg.Time > c.last {
		if c.last = p.Seg.Time; c.last >= c.due {
			w.p.sweep(c)
		}
	}
	if p.TCP.Sent.Stray {
		return
	}
	way := &w.ways[p.DirIndex]
	switch l := way.lane; {
	case l == nil:
		w.early(p, way)
	case p.Seg.PayloadLen == 0:
		l.small(p.Seg, w.end, dataAck(p))
	default:
		l.take(p.Seg, w.end, way.half.SegmentBytes(), dataAck(p), isProbe(p))
	}
	if len(p.Pieces)+len(p.InOrder) > 0 {
		w.data(p)
	}
}

// Close ends the connection of one capture.
func (w *watch) Close(int64) {
	for _, f := range w.flows {
		f.closed = true
		switch {
		case f.link == nil && !w.p.late(f):
			w.p.retire(f)
		case f.link.flows[w.end.Other()].closed:
			f.link.finish()
		}
	}
	w.over = true
	delete(w.p.watches, w.conn)
	if w.both != nil {
		w.both.closed()
	} else if w.abandoned() {
		w.alone()
	}
}

// Ended says that a capture has no more packets.
func (p *Pair) Ended(e End) {
	p.ends[e].ended = true
	p.ends[AtSender].due, p.ends[AtReceiver].due = 0, 0 // the one that goes on tells the time alone
}

// sweepEvery is the time between two looks for what will not be matched any
// more, ns.
const sweepEvery = 1e9

// now returns the time that both captures have reached, by the sender's clock.
func (p *Pair) now() int64 {
	s, r := &p.ends[AtSender], &p.ends[AtReceiver]
	if s.ended || r.ended {
		return max(s.last, r.last-p.opt.Rough)
	}
	return min(s.last, r.last-p.opt.Rough)
}

// sweep settles, in all subflows, what has waited too long, when both captures,
// of which one has gone on, have reached the time for it.
func (p *Pair) sweep(o *observed) {
	if o.first == 0 {
		o.first = o.last
	}
	now := p.now()
	if now-p.swept < sweepEvery {
		return
	}
	p.swept = now
	p.ends[AtSender].due, p.ends[AtReceiver].due = now+sweepEvery, now+sweepEvery+p.opt.Rough
	for _, l := range p.ends[AtSender].index.links {
		if !l.resolved {
			continue
		}
		for side := range l.lanes {
			l.lanes[side].sweep()
		}
	}
}
