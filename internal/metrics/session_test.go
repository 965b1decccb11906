package metrics

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

const msec = time.Millisecond

// point is one value of a series.
type point struct {
	metric string
	sub    int // -1 for the connection
	from   conn.Side
	t      time.Duration // since the connection's start
	value  float64
}

// measured has what the collector reports on a view of a session.
type measured struct {
	*Connection
	points  []point
	omitted int64
}

// points takes the points of one direction.
type points struct {
	to   *measured
	c    *conn.Conn
	like point
}

func (p *points) Value(s *Series, t int64, value float64) {
	one := p.like
	one.metric, one.t, one.value = s.String(), time.Duration(t-p.c.Start), value
	p.to.points = append(p.to.points, one)
}

func (p *points) Omitted(_ *Series, n int64) { p.to.omitted += n }

func (p *points) Values(s *Series, t int64, values []stats.Weighted, off float64) {
	for _, v := range values {
		p.Value(s, t, v.Value+off)
	}
}

// measure plays a session and measures what a view saw of it. Times of series and events
// count from the first packet there: over a path of 10 ms, time 0 at B is 10 ms.
func measure(t *testing.T, s *tracegen.Session, v tracegen.View, cfg Config) *measured {
	t.Helper()
	out := &measured{}
	out.gather(&cfg)
	conntest.Play(t, s, v, NewCollector(cfg, func(m *Connection) { out.Connection = m }))
	if out.Connection == nil {
		t.Fatal("no connection")
	}
	return out
}

// gather asks for all series.
func (m *measured) gather(cfg *Config) {
	cfg.Wanted = func(string) bool { return true }
	cfg.Series = func(c *conn.Conn, sub *conn.Subflow, from conn.Side) SeriesSink {
		p := &points{m, c, point{sub: -1, from: from}}
		if sub != nil {
			p.like.sub = sub.ID
		}
		return p
	}
}

// series returns the values of one series in order.
func (m *measured) series(s *Series, sub int, from conn.Side) (values []float64, times []time.Duration) {
	for _, p := range m.points {
		if p.metric == s.String() && p.sub == sub && p.from == from {
			values, times = append(values, p.value), append(times, p.t)
		}
	}
	return values, times
}

// twoPaths is a session over two paths whose round trips are 20 and 100 ms,
// established: the first at 30 ms, the second at 350 ms.
func twoPaths(cfg tracegen.Config) (s *tracegen.Session, fast, slow *tracegen.Subflow) {
	s, fast, slow, _ = joined(cfg)
	return s, fast, slow
}

// joined is twoPaths and the packet of B that confirms the join, the first
// with a DATA_ACK.
func joined(cfg tracegen.Config) (s *tracegen.Session, fast, slow *tracegen.Subflow, fourth *tracegen.Sent) {
	s = tracegen.NewSession(cfg)
	fast = s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80")})
	slow = s.Subflow(tracegen.Path{
		A: addr("10.0.2.1:40001"), B: addr("10.0.1.1:80"), Nonce: [2]uint32{1, 2},
		Delay: [2]time.Duration{50 * msec, 50 * msec},
	})
	fast.Open(0)
	h := slow.Open(200 * msec)
	return s, fast, slow, h.Fourth
}

func addr(text string) netip.AddrPort { return netip.MustParseAddrPort(text) }

// acked sends n bytes of the stream from an offset on from A to B, which
// acknowledges them at once.
func acked(f *tracegen.Subflow, at time.Duration, offset int64, n int) *tracegen.Sent {
	x := f.Data(tracegen.A2B, at, offset, n)
	f.Ack(tracegen.B2A, x.ArrivesAt())
	return x
}

// near fails where two numbers differ by more than rounding.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	assert.Check(t, math.Abs(got-want) <= 1e-6*max(1, math.Abs(want)) && !math.IsNaN(got), "%s: got %v, want %v", what, got, want)
}

// dist fails where a distribution has other moments.
func dist(t *testing.T, what string, d *stats.Dist, n int64, avg, lo, hi float64) {
	t.Helper()
	if d.N() != n {
		t.Errorf("%s: %d values, want %d", what, d.N(), n)
	}
	near(t, what+" mean", d.Mean(), avg)
	near(t, what+" min", d.Min(), lo)
	near(t, what+" max", d.Max(), hi)
}
