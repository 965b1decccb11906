package pair

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// delivery plays 5000 runs of data to a direction of a connection, of which
// every tenth is split on its way, every hundredth left 50 ms late, so that it
// cannot be what arrived, and some come behind others and with them. With search
// none is where it is expected.
func delivery(search bool) (d *dataDirection, due int) {
	l := newTestLink()
	on := &l.dirs[conn.A]
	on.hasDelay, on.leastDelay = true, 10e6
	w := l.ends[AtReceiver].endConn
	w.dirs = []subflowDir{{matched: on}, {}}
	d = &dataDirection{conn: &connPair{pair: l.pair}, sender: &l.pair.captures[AtSender], receiver: w, receiverSide: conn.A, aligned: true, shift: 100}
	d.delivery.stride, d.delivery.budget = 1, &budget{left: maxSamples}
	r := rand.New(rand.NewPCG(9, 10))
	var held []*dss.Chunk
	for i := range int64(5000) {
		left := i * 1e6
		if r.IntN(100) == 0 {
			left += 50e6
		}
		data := dsnRange{Start: 10 * seq.DSN(i), End: 10 * seq.DSN(i+1)}
		d.sent.push(dsnRange{Start: data.Start + d.shift, End: data.End + d.shift}, left)
		now := i*1e6 + 10e6 + r.Int64N(1e6)
		if r.IntN(10) == 0 {
			mid := data.Start + 5
			held = append(held, &dss.Chunk{Data: dsnRange{Start: data.Start, End: mid}, FirstSeen: now}, &dss.Chunk{Data: dsnRange{Start: mid, End: data.End}, FirstSeen: now})
		} else {
			held = append(held, &dss.Chunk{Data: data, FirstSeen: now})
		}
		if r.IntN(4) == 0 { // a hole
			continue
		}
		for _, c := range held {
			if x := d.sent.hint + 1; !search && x < len(d.sent.list) && d.sent.list[x].Start == c.Data.Start+d.shift && d.sent.list[x].End == c.Data.End+d.shift {
				due++
			}
			if search {
				d.sent.hint = -2
			}
			d.inOrder([]*dss.Chunk{c}, now)
		}
		held = held[:0]
	}
	d.decideDelays()
	return d, due
}

// TestDue: data that is the run behind the one before gives what it gives when
// it is searched for.
func TestDue(t *testing.T) {
	fast, due := delivery(false)
	slow, _ := delivery(true)
	figures := func(d *dataDirection) (stats.Description, []int64, []sample) {
		return d.Delivery.Raw.Describe(), []int64{d.OneSided, d.Unmatched, int64(len(d.sent.list) - d.sent.head), int64(len(d.delivered.list))}, d.delivery.list
	}
	x, counts, samples := figures(fast)
	y, want, others := figures(slow)
	if d := cmp.Diff(y, x, cmpopts.EquateApprox(1e-9, 0)) + cmp.Diff(want, counts) + cmp.Diff(others, samples, cmp.AllowUnexported(sample{})); d != "" {
		t.Errorf("(-searched +due)\n%s", d)
	}
	if due < 3000 || x.N < 4900 || fast.Unmatched == 0 {
		t.Errorf("%d runs were due, %d have a delay, %d octets none", due, x.N, fast.Unmatched)
	}
}

// TestNth holds the n-th least of a list against the sorted list.
func TestNth(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		list := make([]float64, 1+r.IntN(70))
		for i := range list {
			list[i] = float64(r.IntN(1 + r.IntN(100)))
		}
		n := r.IntN(len(list))
		if want := slices.Sorted(slices.Values(list))[n]; nth(list, n) != want {
			t.Fatalf("element %d of %d is not %v", n, len(list), want)
		}
	}
}

// TestRoom: packets that wait stay in their order, and the latest of them are
// kept, whatever of them is taken out between.
func TestRoom(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var q ackQueue
	var want []uint64
	for i := range uint64(20_000) {
		if len(want) == maxPureAcks {
			want = want[maxPureAcks/2:]
		}
		q.push(ackKey{position: i}, 0, 0)
		want = append(want, i)
		for len(want) > 0 && r.IntN(4) > int(i/4000) { // fewer and fewer are found
			q.take(q.head)
			want = want[1:]
		}
	}
	got := make([]uint64, 0, maxPureAcks)
	for _, x := range q.list[q.head:] {
		got = append(got, x.key.position)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-model +queue)\n%s", d)
	}
}
