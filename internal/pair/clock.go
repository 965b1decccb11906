package pair

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// nBins is how many spans of time a series of least delays has; their width
// doubles when they are used up.
const nBins = 128

// firstWidth is the width of a bin to begin with, ns.
const firstWidth = 10e6

// maxPaths bounds the address pairs whose delays tell the clocks.
const maxPaths = 64

// clock gathers what tells how far apart the clocks of the captures are.
type clock struct {
	paths  map[[2][16]byte]*pathClock
	order  []*pathClock
	voices []*voice // bounded by maxVoices
	rough  int64
	origin int64 // time 0 of every series
}

// pathClock holds the least delays between two addresses, by the capture at
// the sending host.
type pathClock struct {
	ends   [2][16]byte
	ids    [2]idTally // by the capture at the host that sent
	c      *clock
	minis  [2]series // packets without payload: of equal size, so fit to be compared
	datas  [2]series
	trails [2][2]trail // of plain ACKs, of full-sized packets: where equal sizes are compared
	gaps   [2]gaps
	ignore bool
}

// series is the least delay in each span of time.
type series struct {
	bins  [nBins]least
	width int64
	lead  int64 // of the clock that stamps the arrivals, roughly, ns

	// The bin of the last delay, for the next: most fall into the same and
	// are not less.
	at    int
	from  int64 // when it begins, by the clock of the arrivals
	until int64
	low   int64 // its least delay
}

type least struct {
	t, d int64 // since the clock's origin, by the sender's clock; raw delay, ns
	ok   bool
}

// path returns the clock of an address pair.
func (c *clock) path(ends [2]packet.Endpoint) *pathClock {
	k := [2][16]byte{ends[conn.A].Addr, ends[conn.B].Addr}
	if p := c.paths[k]; p != nil {
		return p
	}
	if c.paths == nil {
		c.paths = map[[2][16]byte]*pathClock{}
	}
	p := &pathClock{c: c, ends: k, ignore: len(c.paths) >= maxPaths}
	p.minis[AtSender].lead, p.datas[AtSender].lead = c.rough, c.rough
	if !p.ignore {
		c.paths[k] = p
		c.order = append(c.order, p)
	}
	return p
}

// small takes the delay of a packet without payload. Plain ones have no options
// that others lack.
func (p *pathClock) small(out End, arrived, delay int64, plain bool) {
	if p.ignore {
		return
	}
	p.minis[out].add(p.c, arrived, delay)
	if plain {
		p.trails[out][0].add(arrived, delay)
	}
}

// data takes that of a full-sized packet.
func (p *pathClock) data(out End, arrived, delay int64) {
	if p.ignore {
		return
	}
	p.datas[out].add(p.c, arrived, delay)
	p.trails[out][1].add(arrived, delay)
}

func (s *series) add(c *clock, arrived, d int64) {
	if arrived >= s.from && arrived < s.until && d >= s.low {
		return
	}
	s.lower(c, arrived, d)
}

// lower takes a delay that is the least of its bin so far, or in another bin
// than the last one.
func (s *series) lower(c *clock, arrived, d int64) {
	t := arrived - s.lead
	if c.origin == 0 {
		c.origin = t
	}
	t = max(t-c.origin, 0)
	s.seek(t)
	b := &s.bins[s.at]
	if !b.ok || d < b.d {
		b.t, b.d, b.ok = t, d, true
	}
	s.from = int64(s.at)*s.width + c.origin + s.lead
	s.until, s.low = s.from+s.width, b.d
}

// seek finds the bin of time t.
func (s *series) seek(t int64) {
	if s.width == 0 {
		s.width = firstWidth
	}
	for t/s.width >= nBins {
		s.widen()
	}
	s.at = int(t / s.width)
}

// widen doubles the width of the bins.
func (s *series) widen() {
	for i := range nBins / 2 {
		x, y := s.bins[2*i], s.bins[2*i+1]
		if !x.ok || y.ok && y.d < x.d {
			x = y
		}
		s.bins[i] = x
	}
	clear(s.bins[nBins/2:])
	s.width *= 2
}

// points returns the series as seconds and milliseconds.
func (s *series) points() (out []point) {
	for _, b := range s.bins {
		if b.ok {
			out = append(out, point{t: float64(b.t) / 1e9, d: ms(b.d)})
		}
	}
	return out
}

// gaps samples how far apart a bottleneck puts packets: what the transmission
// of a packet with payload takes longer than that of one without. Bounded by
// maxGaps.
type gaps struct {
	list   []int64 // ns per packet
	n      int64
	stride int64
}

const (
	maxGaps    = 256
	enoughGaps = 16
)

// gap takes the time between two arrivals of full-sized packets that left
// together, of which the payload's part of a packet is given.
func (p *pathClock) gap(out End, ns int64) {
	g := &p.gaps[out]
	if p.ignore {
		return
	}
	g.stride = max(g.stride, 1)
	if g.n++; g.n%g.stride != 0 {
		return
	}
	if len(g.list) >= maxGaps {
		n := 0
		for i := 1; i < len(g.list); i += 2 {
			g.list[n] = g.list[i]
			n++
		}
		g.list, g.stride = g.list[:n], 2*g.stride
	}
	g.list = append(g.list, ns)
}

// extra returns the median gap in ms.
func (g *gaps) extra() (float64, bool) {
	if len(g.list) < enoughGaps {
		return 0, false
	}
	v := slices.Clone(g.list)
	slices.Sort(v)
	return ms(v[len(v)/2]), true
}
