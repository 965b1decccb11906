package fairness

import (
	"math"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// A tick is the 64th part of a cell.
const tick = (1 << firstShift) / 64 * time.Nanosecond

// begin is the beginning of a cell.
var begin = time.Unix(0, 1<<60)

// every sends 1000 bytes from A each n-th tick of a part of the time.
func every(n, from, to int, f *tracegen.Subflow, next *int64) (sent []*tracegen.Sent) {
	for i := from; i < to; i += n {
		sent = append(sent, f.Data(tracegen.A2B, time.Duration(i)*tick, *next, 1000))
		*next += 1000
	}
	return sent
}

func path(a, b string) tracegen.Path {
	return tracegen.Path{A: netip.MustParseAddrPort(a), B: netip.MustParseAddrPort(b)}
}

// result plays two paths with Multipath TCP on both, two plain TCP connections on the first and one on the second:
//
//	ticks          1000 bytes  cells (of 64 ticks)  throughout
//	[1000, 5000)   each        15 ... 78            16 ... 77   Multipath TCP, first path
//	[1000, 5000)   fourth      15 ... 78            16 ... 77   Multipath TCP, second path
//	[2000, 4000)   second      31 ... 62            32 ... 61   plain TCP, first path
//	[2000, 3000)   fourth      31 ... 46            32 ... 45   plain TCP, first path
//	[3000, 6000)   eighth      46 ... 93            47 ... 92   plain TCP, second path
//
// On the second path one segment of Multipath TCP is sent twice, at tick 1500.
func result(t *testing.T, v tracegen.View) *report.Fairness {
	t.Helper()
	net := tracegen.NewNetwork(begin)
	multi := net.Session(tracegen.Config{Version: 1})
	second := path("10.0.2.1:40001", "10.0.1.1:80")
	second.Nonce = [2]uint32{1, 2}
	one, two := multi.Subflow(path("10.0.0.1:40000", "10.0.1.1:80")), multi.Subflow(second)
	one.Open(0)
	two.Open(200 * time.Millisecond)
	next := int64(0)
	every(1, 1000, 5000, one, &next)
	every(4, 1000, 5000, two, &next)[0].Again(1500 * tick)
	plain := func(a string, n, from, to int) {
		f := net.Session(tracegen.Config{Plain: true}).Subflow(path(a, "10.0.1.1:80"))
		f.Open(300 * time.Millisecond)
		next := int64(0)
		every(n, from, to, f, &next)
	}
	plain("10.0.0.1:50000", 2, 2000, 4000)
	plain("10.0.0.1:50002", 4, 2000, 3000)
	plain("10.0.2.1:50001", 8, 3000, 6000)
	var k Collector
	conntest.Play(t, multi, v, &k)
	assert.Check(t, k.open == 0, "%d flows are open at the end", k.open)
	return k.Result()
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	assert.Check(t, math.Abs(got-want) <= 1e-9*max(1, math.Abs(want)) && !math.IsNaN(got), "%s: got %v, want %v", what, got, want)
}

// TestFairness: a chunk each tick is 8000 bits in 2^20 ns, 7.63 Mbit/s.
func TestFairness(t *testing.T) {
	const full = 8000 / (1 << 20 / 1e3)
	cell := float64(1<<firstShift) / 1e9
	at := func(n int64) report.Time { return report.Time(1<<60 + n<<firstShift) }
	got := result(t, tracegen.HostA)
	assert.Assert(t, len(got.Paths) == 2 && len(got.Connections) == 1 && got.Omitted == 0, "%+v", got)
	// First path: cells 32 to 61, one chunk a tick against half a one, and a quarter in the first 14 of these 30 cells.
	p := got.Paths[0]
	assert.Check(t, p.Path == "10.0.0.1-10.0.1.1" && p.Direction == report.A2B && len(p.Flows) == 3 && p.From == at(32) && p.To == at(62), "%+v", p)
	near(t, "both active", p.BothActive, 30*cell)
	const all = 30 + 30/2. + 14/4.
	near(t, "share", p.MPTCPShare, 100*30/all)
	near(t, "share of the second flow", p.Flows[1].Share, 100*15/all)
	near(t, "cell", p.Cell, 1e3*cell)
	near(t, "equal share", p.EqualShare, 100/3.)
	near(t, "Jain", p.Jain, (1+.5+.25)*(1+.5+.25)/(3*(1+.25+.0625)))
	near(t, "plain TCP", p.TCP, full*(.5+.25)/2)
	near(t, "rate of the third flow", p.Flows[2].Rate, full/4)
	near(t, "retransmitted", *p.Retransmitted, 0)
	if x := p.Flows[0]; x.Bytes != 30*64*1000 || x.Connection == nil || *x.Connection != 0 || x.Sender.Port != 40000 {
		t.Errorf("%+v", x)
	}
	if x := p.Flows[1]; x.Bytes != 30*32*1000 || x.Connection != nil || x.Sender.Port != 50000 || x.Receiver.Port != 80 {
		t.Errorf("%+v", x)
	}
	// Second path: cells 47 to 77, a quarter against an eighth. 1000 chunks were sent there, one of them twice, and 375.
	p = got.Paths[1]
	assert.Check(t, p.From == at(47) && p.To == at(78), "%+v", p)
	near(t, "share", p.MPTCPShare, 100*2/3.)
	near(t, "retransmitted", *p.Retransmitted, 100/1376.)
	// The connection: 1.25 chunks a tick on both paths against the mean of the first, its best.
	c := got.Connections[0]
	if c.BestPath != "10.0.0.1-10.0.1.1" || !c.TakesMore || c.From != at(32) || c.To != at(62) || c.LeastCongested == nil || *c.LeastCongested != c.BestPath {
		t.Errorf("%+v", c)
	}
	near(t, "rate", c.Rate, 1.25*full)
	near(t, "best", c.BestTCP, full*.375)
	near(t, "ratio", c.Ratio, 1.25/.375)
	near(t, "on a path", c.MostOnAPath, 1/.375)
	near(t, "on the least congested", *c.LeastCongestedShare, 100*4000/5001.)

	// At the receiver nothing says what was retransmitted.
	got = result(t, tracegen.HostB)
	if c := got.Connections[0]; got.Paths[0].Retransmitted != nil || c.LeastCongested != nil || c.LeastCongestedShare != nil {
		t.Errorf("at the receiver: %+v", c)
	}
}

// TestNothingToCompare: one kind of connection alone, and both one after the other, are
// no overlap. Of a single path none is the least congested.
func TestNothingToCompare(t *testing.T) {
	net := tracegen.NewNetwork(begin)
	multi := net.Session(tracegen.Config{Version: 1})
	f := multi.Subflow(path("10.0.0.1:40000", "10.0.1.1:80"))
	f.Open(0)
	next := int64(0)
	every(1, 1000, 2000, f, &next)
	g := net.Session(tracegen.Config{Plain: true}).Subflow(path("10.0.0.1:50000", "10.0.1.1:80"))
	g.Open(2 * time.Second)
	next = 0
	every(1, 3000, 4000, g, &next)
	var k Collector
	conntest.Play(t, multi, tracegen.HostA, &k)
	if got := k.Result(); len(got.Paths)+len(got.Connections) > 0 || len(k.kept) != 2 {
		t.Errorf("%+v of %d directions", got, len(k.kept))
	}
	if path, _ := k.kept[0].balance(k.pathDirs()); path != nil {
		t.Errorf("of one path the least congested is %s", *path)
	}
}

// TestPathDirs: flows share a path if they go in the same direction between the same
// addresses, whoever began the connection, or in the same direction past the same label.
func TestPathDirs(t *testing.T) {
	end := func(a string) packet.Endpoint {
		return packet.Endpoint{Addr: netip.MustParseAddr(a).As16(), Port: 1}
	}
	label := func(x, y netip.Addr) string {
		for _, p := range []struct{ prefix, name string }{{"10.1.0.0/16", "wifi"}, {"10.0.0.0/8", "all"}} {
			if prefix := netip.MustParsePrefix(p.prefix); prefix.Contains(x) || prefix.Contains(y) {
				return p.name
			}
		}
		return ""
	}
	type flow struct {
		a, b string
		from conn.Side
	}
	for _, c := range []struct {
		what  string
		x, y  flow
		label func(a, b netip.Addr) string
		same  bool
	}{
		{"same addresses", flow{"1.1.1.1", "2.2.2.2", conn.A}, flow{"1.1.1.1", "2.2.2.2", conn.A}, nil, true},
		{"begun by the other host", flow{"1.1.1.1", "2.2.2.2", conn.A}, flow{"2.2.2.2", "1.1.1.1", conn.B}, nil, true},
		{"the other direction", flow{"1.1.1.1", "2.2.2.2", conn.A}, flow{"1.1.1.1", "2.2.2.2", conn.B}, nil, false},
		{"another address", flow{"1.1.1.1", "2.2.2.2", conn.A}, flow{"1.1.1.1", "2.2.2.3", conn.A}, nil, false},
		{"one label", flow{"10.1.0.1", "2.2.2.2", conn.A}, flow{"3.3.3.3", "10.1.7.7", conn.B}, label, true},
		{"one label, the other direction", flow{"10.1.0.1", "2.2.2.2", conn.A}, flow{"3.3.3.3", "10.1.7.7", conn.A}, label, false},
		{"two labels", flow{"10.1.0.1", "2.2.2.2", conn.A}, flow{"10.2.0.1", "2.2.2.2", conn.A}, label, false},
		{"both ends labelled", flow{"10.2.0.1", "10.3.0.1", conn.A}, flow{"10.2.0.1", "10.3.0.1", conn.B}, label, false},
	} {
		k := Collector{Label: c.label}
		x, _ := k.key([2]packet.Endpoint{end(c.x.a), end(c.x.b)}, c.x.from)
		y, _ := k.key([2]packet.Endpoint{end(c.y.a), end(c.y.b)}, c.y.from)
		assert.Check(t, (x == y) == c.same, "%s: %v and %v", c.what, x, y)
	}
}

// TestCells compares cells with counts of packets by their times.
func TestCells(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var c, first, second cells
		want, shift := map[int64]int64{}, uint(firstShift)
		var times []int64
		now, total := int64(1<<60+r.IntN(1<<30)), int64(0)
		for range 3000 {
			now += r.Int64N(1 << (20 + seed))
			c.add(now, 7, r.IntN(2) == 0)
			if part := &first; r.IntN(2) == 0 {
				part = &second
				part.add(now, 7, false)
			} else {
				part.add(now, 7, false)
			}
			times = append(times, now)
			total += 7
		}
		shift = c.shift
		for _, at := range times {
			want[at>>shift] += 7
		}
		got := map[int64]int64{}
		for n, x := range c.at {
			got[n] = x.all
		}
		if d := cmp.Diff(want, got); d != "" || c.last-c.first >= maxCells || c.total().all != total || c.at[c.first].all*c.at[c.last].all == 0 {
			t.Errorf("seed %d: %d cells, %v of %d bytes (-want +got):\n%s", seed, len(c.at), c.total(), total, d)
		}
		both := sum(first, second)
		whole := c.longer(both.shift)
		for n := both.first; n <= both.last; n++ {
			if both.at[n].all != whole.at[n].all {
				t.Fatalf("seed %d: cell %d has %d bytes, want %d", seed, n, both.at[n].all, whole.at[n].all)
			}
		}
	}
}

// TestBounds: if there are too many directions, those with the most bytes are kept, in whatever
// order they end. If there are too many flows, new ones are left out.
func TestBounds(t *testing.T) {
	var k Collector
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(3 * maxKept) {
		k.keep(&dataDir{order: i, bytes: int64(i)})
	}
	assert.Check(t, len(k.kept) == maxKept && k.omitted == 2*maxKept, "%d kept, %d omitted", len(k.kept), k.omitted)
	for _, w := range k.kept {
		assert.Check(t, w.bytes >= 2*maxKept, "a direction with %d bytes is kept", w.bytes)
	}

	k = Collector{}
	for i := range 40 {
		k.keep(&dataDir{order: i, bytes: int64(i), flows: make([]*flow, 64)})
	}
	assert.Check(t, len(k.kept) == maxOpen/64 && k.flows == maxOpen && k.omitted == 40-maxOpen/64, "%d kept of %d flows, %d omitted", len(k.kept), k.flows, k.omitted)

	k = Collector{open: maxOpen}
	net := tracegen.NewNetwork(begin)
	s := net.Session(tracegen.Config{Plain: true})
	f := s.Subflow(path("10.0.0.1:50000", "10.0.1.1:80"))
	f.Open(0)
	next := int64(0)
	every(1, 1000, 2000, f, &next)
	conntest.Play(t, s, tracegen.HostA, &k)
	if n := k.Result().Omitted; len(k.kept) != 0 || n != 1 {
		t.Errorf("%d kept, %d omitted", len(k.kept), n)
	}
}
