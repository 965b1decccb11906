package conn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/testrun"
)

// What observers are told, which connections end and in which order, their numbers and the
// warnings depend on nothing but the packets: not on batches, the number of goroutines, the way
// that packets take, whether somebody gets chunks, or whether connections use the memory of
// others. Here connections reach every bound of the table, but for one seed in four: they begin,
// end, join again and get late packets in any order.
func TestOrderBeyondBounds(t *testing.T) {
	const n = 60
	reached, shared, again := map[string]bool{}, false, 0
	for seed := range uint64(testrun.Cases(24)) {
		r := rand.New(rand.NewPCG(seed, 3))
		segs := withStrays(r, crowd(t, n, seed))
		low := bounds{open: 4 + r.IntN(n), halfOpen: 2 + r.IntN(12), ended: 1 + r.IntN(6), closed: 1 + r.IntN(6), waitingSYNs: 2 + r.IntN(30)}
		if seed%4 == 3 {
			low = bounds{maxOpen, maxHalfOpen, maxEnded, maxClosed, maxWaitingSYNs}
		}
		o := Options{MaxState: DefaultMaxState}
		if r.IntN(3) == 0 {
			o.MaxState = int64(200+r.IntN(400)) << 10
		}
		inOrder := &diary{}
		inOrder.run(t, low, o, func(table *Table) {
			for i := range segs {
				table.Segment(&segs[i])
			}
		})
		for _, w := range inOrder.warnings {
			reached[w.Code] = true
		}
		for _, goroutines := range []int{1, 2, 4, 8} {
			o.Goroutines = goroutines
			got := &diary{chunks: goroutines == 2, back: goroutines != 8}
			got.run(t, low, o, func(table *Table) { anyWay(r, table, segs) })
			got.compare(t, inOrder, fmt.Sprintf("seed %d, %d goroutines", seed, goroutines))
			shared, again = shared || got.shared.Load(), again+got.again
		}
		compareNumbers(t, seed, low, o.MaxState, segs)
	}
	for _, code := range []string{"half_open", "evicted", "ended_early", "evicted_for_memory", "straggler", "closed_early"} {
		if !reached[code] && !testing.Short() { // with -short there is one capture
			t.Errorf("no capture has the warning %s", code)
		}
	}
	assert.Check(t, (shared || testing.Short()) && again >= 10, "several goroutines processed packets: %v; %d connections used the memory of others", shared, again)
}

// compareNumbers compares the numbers and the warnings of a table that gives modules every
// connection with those of one that does not.
func compareNumbers(t *testing.T, seed uint64, low bounds, maxState int64, segs []packet.Segment) {
	t.Helper()
	short, all := &numbers{}, &numbers{}
	for _, x := range []*numbers{short, all} {
		o := Options{MaxState: maxState}
		if x == short {
			o.LoneSYN = func(l *LoneSYN) { x.note(l.Ends, l.Order, l.ID) }
			o.OneSided = func(f *OneSided) { x.note(f.Ends, f.Order, f.ID) }
		}
		table := NewTable(o, x)
		table.bounds = low
		table.Segments(segs, math.MaxInt64)
		table.Finish()
		slices.Sort(x.list)
		x.warnings = table.Warnings.List()
	}
	if diff := cmp.Diff(short.list, all.list); diff != "" {
		t.Fatalf("seed %d: numbers of connections (-with short records +with every connection):\n%.3000s", seed, diff)
	}
	assert.Assert(t, is.DeepEqual(all.warnings, short.warnings), "seed %d: warnings (-with short records +with every connection)", seed)
}

// numbers is a module that notes the numbers of each connection at its end.
type numbers struct {
	list     []string
	warnings []Warning
}

func (x *numbers) note(ends [2]packet.Endpoint, order, id int) {
	x.list = append(x.list, fmt.Sprintf("%6d: number %d, %v", order, id, ends))
}

func (x *numbers) Open(c *Conn) Observer { return &numbered{x: x, c: c} }

type numbered struct {
	Nop
	x *numbers
	c *Conn
}

func (o *numbered) Close(int64) { o.x.note(o.c.Subflows[0].Ends, o.c.Order, o.c.ID) }

// anyWay gives packets to the table in random batches, each on any of the ways.
func anyWay(r *rand.Rand, table *Table, segs []packet.Segment) {
	for len(segs) > 0 {
		n := min(1+r.IntN(1+r.IntN(3000)), len(segs))
		if r.IntN(4) == 0 {
			table.Segments(segs[:n], math.MaxInt64)
		} else {
			table.SegmentsByConn(segs[:n/2], segs[n/2:n])
		}
		segs = segs[n:]
	}
}

// withStrays adds packets to a capture: SYNs without an answer, copies of earlier packets, some with FIN
// or RST. Some packets have a time before that of the packet before.
func withStrays(r *rand.Rand, segs []packet.Segment) (all []packet.Segment) {
	for i := range segs {
		all = append(all, segs[i])
		at := segs[i].Time
		switch r.IntN(60) {
		case 0:
			s := syn(20000+i%30000, at)
			if r.IntN(2) == 0 {
				s = withOption(s, &mptcp.Capable{Have: mptcp.CapableHasSenderKey, SenderKey: r.Uint64()})
			}
			all = append(all, s)
		case 1:
			s := segs[r.IntN(i+1)]
			s.Time = at
			if r.IntN(4) == 0 {
				s.Flags |= [...]packet.Flags{packet.FIN, packet.RST}[r.IntN(2)]
			}
			all = append(all, s)
		case 2:
			all[len(all)-1].Time -= int64(r.IntN(8e9))
		}
	}
	for i := range all {
		all[i].Num = uint64(i + 1)
	}
	return all
}

// run makes a table for the diary, gives it packets and finishes it. Then nothing is left of what the
// table had to know of the connections.
func (d *diary) run(t *testing.T, low bounds, o Options, give func(*Table)) {
	t.Helper()
	short := d.options()
	o.LoneSYN, o.OneSided = short.LoneSYN, short.OneSided
	table := NewTable(o, d)
	table.bounds = low
	give(table)
	table.Finish()
	d.warnings = table.Warnings.List()
	if g := &table.grouping; len(table.flows)+len(table.tokens)+len(table.pendingByFlow)+len(table.dsnIndex.lists)+table.heldBytes+table.subflows > 0 ||
		table.numConns()+table.halfOpen.n+table.lone.n+table.oneEnd.n+table.ended.n+table.closed.n > 0 || table.state != 0 || len(g.free) != len(g.slots) {
		t.Errorf("%d 4-tuples, %d tokens, %d pending flows, %d lists of numbers, %d subflows, %d connections and %d of %d slots are left",
			len(table.flows), len(table.tokens), len(table.pendingByFlow), len(table.dsnIndex.lists), table.subflows, table.numConns(), len(g.slots)-len(g.free), len(g.slots))
	}
}

// compare reports in what a diary differs from another one.
func (d *diary) compare(t *testing.T, want *diary, what string) {
	t.Helper()
	if !slices.Equal(want.ends, d.ends) {
		t.Fatalf("%s: the order of ends (-in order +grouped):\n%.3000s", what, cmp.Diff(want.ends, d.ends))
	}
	if diff := cmp.Diff(want.all, d.all); diff != "" {
		t.Fatalf("%s (-in order +grouped):\n%.3000s", what, diff)
	}
	assert.Check(t, is.DeepEqual(d.rest, want.rest), "%s: without a connection (-in order +grouped)", what)
	assert.Check(t, is.DeepEqual(d.warnings, want.warnings), "%s: warnings (-in order +grouped)", what)
}

// chunkDiarist is a diarist that gets chunks, as one who writes tables does.
type chunkDiarist struct{ *diarist }

// Settled does nothing.
func (chunkDiarist) Settled(*Subflow, Side, []dss.Chunk) {}
