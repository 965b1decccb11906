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
	ids    [2]idCount // by the capture at the host that sent
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
	n     int64
	from  int64 // when the bin of the last delay begins
	at    int   // its number
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
	p := &pathClock{c: c, ignore: len(c.paths) >= maxPaths}
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
	p.add(&p.minis, out, arrived, delay)
	if plain {
		p.trails[out][0].add(arrived, delay)
	}
}

// data takes that of a full-sized packet.
func (p *pathClock) data(out End, arrived, delay int64) {
	if p.ignore {
		return
	}
	p.add(&p.datas, out, arrived, delay)
	p.trails[out][1].add(arrived, delay)
}

func (p *pathClock) add(by *[2]series, out End, arrived, delay int64) {
	if out == AtSender {
		arrived -= p.c.rough
	}
	if p.c.origin == 0 {
		p.c.origin = arrived
	}
	by[out].add(arrived-p.c.origin, delay)
}

func (s *series) add(t, d int64) {
	t = max(t, 0)
	if t < s.from || t >= s.from+s.width {
		s.seek(t)
	}
	s.n++
	b := &s.bins[s.at]
	if !b.ok || d < b.d {
		b.t, b.d, b.ok = t, d, true
	}
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
	s.from = int64(s.at) * s.width
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
