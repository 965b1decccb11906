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
const lossTimeout = 30e9

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
	opt      Options
	captures [2]captureState
	hosts    map[[16]byte]End // where the capture of an address was taken; bounded by maxHosts
	subflows []Subflow        // of links that are over
	conns    []Conn
	clock    clock
	samples  *budget
	swept    int64
	lead     int64                   // about how far the receiver's clock is ahead, ns; from the latest flow that shows it, see [link.deltas]
	open     map[*conn.Conn]*endConn // of either capture; those that are open
	joined   map[*conn.Conn]bool     // connections of which Chunk gets the chunks; those that are open
}

// observed is what is known of one of the two captures.
type captureState struct {
	reached
	index        index
	stoppedEarly bool  // its host sent packets after its last one: the capture was stopped early
	nextSweep    int64 // when it has to come to for the next sweep, ns
	unpaired     int64 // TCP connections that the other capture does not have
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
	p.open, p.joined = map[*conn.Conn]*endConn{}, map[*conn.Conn]bool{}
	for e := range p.captures {
		p.captures[e].index = newIndex()
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
	w := &endConn{pair: m.p, end: m.end, capture: &m.p.captures[m.end], conn: c}
	m.p.open[c] = w
	if m.p.opt.Chunk != nil {
		return chunkObserver{w}
	}
	return w
}

// watch follows one connection of one capture.
type endConn struct {
	conn.Nop
	pair    *Pair
	capture *captureState
	dirs    []subflowDir // by [conn.Direction.DirIndex]
	data    [2]*dataDirection
	end     End
	conn    *conn.Conn
	flows   []*endSubflow // by the number of the subflow
	both    *connPair     // with the same connection of the other capture; nil while it is not known
	early   earlyData     // what the data did until then
	closed  bool
}

// way is one direction of a subflow.
type subflowDir struct {
	matched *matchedDirection // nil while the subflow's counterpart, or its place, is not known
	half    *subflow.Sender
}

// Subflow begins to follow a subflow.
func (w *endConn) Subflow(s *conn.Subflow) {
	w.flows = append(w.flows, &endSubflow{endConn: w, sub: s})
	w.dirs = append(w.dirs, subflowDir{half: &s.Senders[conn.A]}, subflowDir{half: &s.Senders[conn.B]})
}

// Packet takes a packet.
func (w *endConn) Packet(p *conn.Packet) {
	if c := w.capture; p.Seg.Time > c.last {
		if c.last = p.Seg.Time; c.last >= c.nextSweep {
			w.pair.sweep(c)
		}
	}
	if p.TCP.Sent.Stray {
		return
	}
	way := &w.dirs[p.DirIndex]
	switch l := way.matched; {
	case l == nil:
		w.hold(p, way)
	case p.Seg.PayloadLen == 0:
		l.takePureAck(p.Seg, w.end, dataAck(p))
	default:
		l.take(p.Seg, w.end, way.half.SegmentBytes(), dataAck(p), isProbe(p))
	}
	if len(p.Pieces)+len(p.InOrder) > 0 {
		w.takeData(p)
	}
}

// Close ends the connection of one capture.
func (w *endConn) Close(int64) {
	for _, f := range w.flows {
		f.closed = true
		switch {
		case f.both == nil && !w.pair.lastLook(f):
			w.pair.keepClosed(f)
		case f.both.ends[w.end.Other()].closed:
			f.both.finish()
		}
	}
	w.closed = true
	delete(w.pair.open, w.conn)
	if w.both != nil {
		w.both.finish()
	} else if w.neverPaired() {
		w.emitAlone()
	}
}

// Ended says that a capture has no more packets.
func (p *Pair) Ended(e End) {
	p.captures[e].ended = true
	p.captures[AtSender].nextSweep, p.captures[AtReceiver].nextSweep = 0, 0 // the one that goes on tells the time alone
}

// sweepEvery is the time between two looks for what will not be matched any
// more, ns.
const sweepEvery = 1e9

// now returns the time that both captures have reached, by the sender's clock.
func (p *Pair) now() int64 {
	s, r := &p.captures[AtSender], &p.captures[AtReceiver]
	if s.ended || r.ended {
		return max(s.last, r.last-p.opt.Rough)
	}
	return min(s.last, r.last-p.opt.Rough)
}

// sweep settles, in all subflows, what has waited too long, when both captures,
// of which one has gone on, have reached the time for it.
func (p *Pair) sweep(o *captureState) {
	if o.first == 0 {
		o.first = o.last
	}
	now := p.now()
	if now-p.swept < sweepEvery {
		return
	}
	p.swept = now
	p.captures[AtSender].nextSweep, p.captures[AtReceiver].nextSweep = now+sweepEvery, now+sweepEvery+p.opt.Rough
	for _, l := range p.captures[AtSender].index.pairs {
		if !l.resolved {
			continue
		}
		for side := range l.dirs {
			l.dirs[side].expire()
		}
	}
}
