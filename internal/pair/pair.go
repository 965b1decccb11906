package pair

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/pair/clock"
)

// End is one of the two captures.
type End = clock.End

// The ends: the capture at the host that sends the bulk of the data, and the
// one at its peer. Which host sends a packet is found out for each subflow.
const (
	AtSender   = clock.AtSender
	AtReceiver = clock.AtReceiver
)

// lossTimeout is how long a sent packet waits for its arrival before it counts
// as lost, ns: no queue in use holds a packet as long.
const lossTimeout = 30e9

// Options steer a pair.
type Options struct {
	// RoughLead is about how far the receiver's clock is ahead of the sender's,
	// ns: enough to keep the captures in step, not for any figure.
	RoughLead int64
	// CorrectDrift keeps samples of delays, so that they can be corrected for a
	// drift of the clocks.
	CorrectDrift bool
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

// Pair matches two captures. Give each of its modules to one table; one
// goroutine must feed both tables.
type Pair struct {
	opt      Options
	captures [2]captureState
	hosts    map[[16]byte]End           // where the capture of an address was taken; bounded by maxHosts
	paths    map[[2][16]byte]sharedPath // by addresses of A and B in the sender's capture; bounded by [clock.MaxPaths]
	clocks   *clock.Estimator
	subflows []Subflow // of both captures, finished
	conns    []Conn    // of both captures, finished
	swept    int64     // time of the latest sweep, ns
	lead     int64     // about how far the receiver's clock is ahead, ns; from the latest subflow that shows it, see [subflowPair.placeByTimes]
	open     map[*conn.Conn]*endConn
}

// sharedPath holds what all subflows between two addresses share.
type sharedPath struct {
	clock *clock.Path
	ids   *[2]idTally // by the capture at the host that sent
}

// captureState is the state of one of the two captures.
type captureState struct {
	first, last  int64 // times of its packets, ns, by its clock; 0 = none yet
	ended        bool
	index        index
	stoppedEarly bool  // its host sent packets after the capture had ended
	unpaired     int64 // TCP connections that the other capture does not have
}

const maxHosts = 1 << 12

// New returns a pair that has not seen a packet yet.
func New(o Options) *Pair {
	p := &Pair{
		opt: o, lead: o.RoughLead, clocks: clock.New(o.RoughLead, o.CorrectDrift),
		hosts: map[[16]byte]End{}, paths: map[[2][16]byte]sharedPath{},
		open: map[*conn.Conn]*endConn{},
	}
	for e := range p.captures {
		p.captures[e].index.byKey = map[key]*endSubflow{}
	}
	return p
}

// Module returns the observer maker of one capture's table.
func (p *Pair) Module(e End) conn.Module { return module{p, e} }

type module struct {
	pair *Pair
	end  End
}

// Open follows a connection of one capture.
func (m module) Open(c *conn.Conn) conn.Observer {
	w := &endConn{pair: m.pair, end: m.end, capture: &m.pair.captures[m.end], conn: c}
	m.pair.open[c] = w
	if m.pair.opt.Chunk != nil {
		return chunkObserver{w}
	}
	return w
}

// Ended tells that a capture has no more packets.
func (p *Pair) Ended(e End) { p.captures[e].ended = true }

// Results returns the matched subflows and connections; call it when both
// tables are finished.
func (p *Pair) Results() ([]Subflow, []Conn) { return p.subflows, p.conns }

// Paired reports whether an open connection of either capture is known to be in
// the other one, too. From then on its chunks are handed to [Options.Chunk].
func (p *Pair) Paired(c *conn.Conn) bool {
	w := p.open[c]
	return w != nil && w.joint != nil
}

// Clock estimates how far apart the clocks are.
func (p *Pair) Clock(m clock.Mode) clock.Estimate {
	c := p.clocks.Estimate(m)
	if s, r := &p.captures[AtSender], &p.captures[AtReceiver]; c.Nothing != "" && m != clock.None && (s.last < r.first || r.last < s.first) {
		return p.clocks.Incomparable(c.Nothing + ", and the captures have no time in common")
	}
	return c
}

// Unpaired returns how many TCP connections of each capture have no
// counterpart in the other.
func (p *Pair) Unpaired() (n [2]int64) {
	for e := range p.captures {
		x := &p.captures[e].index
		x.closed = slices.DeleteFunc(x.closed, func(f *endSubflow) bool { return f.both != nil })
		n[e] = p.captures[e].unpaired + int64(len(x.closed))
	}
	return n
}

// path returns the data that all subflows between two addresses share.
func (p *Pair) path(ends [2]packet.Endpoint) sharedPath {
	addrs := [2][16]byte{ends[conn.A].Addr, ends[conn.B].Addr}
	x, ok := p.paths[addrs]
	if !ok {
		x = sharedPath{clock: p.clocks.NewPath(addrs), ids: new([2]idTally)}
		if len(p.paths) < clock.MaxPaths {
			p.paths[addrs] = x
		}
	}
	return x
}

// sweepEvery is the time between two sweeps, ns.
const sweepEvery = 1e9

// now returns the time that both captures have reached, by the sender's clock;
// the time of the other one when one has ended.
func (p *Pair) now() int64 {
	s, r := &p.captures[AtSender], &p.captures[AtReceiver]
	if s.ended || r.ended {
		return max(s.last, r.last-p.opt.RoughLead)
	}
	return min(s.last, r.last-p.opt.RoughLead)
}

// sweep decides, every sweepEvery, on packets of all subflows that have waited
// too long.
func (p *Pair) sweep() {
	now := p.now()
	if now-p.swept < sweepEvery {
		return
	}
	p.swept = now
	for _, l := range p.captures[AtSender].index.pairs {
		if !l.resolved {
			continue
		}
		for side := range l.dirs {
			l.dirs[side].expire()
		}
	}
}
