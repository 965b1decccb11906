package pair

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// TestFirstTransmissionMissed: the sender's capture misses the first
// transmission of packet 30, which leaves at 130 ms and arrives at 140, and
// shows a copy on the other subflow, or on the same. One that leaves at 160 ms
// would have taken -20 ms, one at 136 ms 4 ms, and no packet takes less than
// 10: its delay is not known. One at 130 ms can be what arrived.
func TestFirstTransmissionMissed(t *testing.T) {
	for _, c := range []struct {
		name  string
		copy  time.Duration
		same  bool
		lead  time.Duration // of the receiver's clock
		want  int64
		least float64
	}{
		{"reinjection when it has arrived", 160 * msec, false, 0, size, 10},
		{"retransmission when it has arrived", 160 * msec, true, 0, size, 10},
		{"reinjection on its heels", 136 * msec, false, 0, size, 10},
		{"reinjection at once", 130 * msec, false, 0, 0, 10},
		{"clocks apart", 160 * msec, false, 500 * msec, size, 510},
		{"clocks apart the other way", 160 * msec, false, -500 * msec, size, -490},
	} {
		s, f, sent := upload(50)
		g := s.Subflow(path(2))
		g.Open(50 * msec)
		if c.same {
			sent[30].Again(c.copy)
		} else {
			g.Data(tracegen.A2B, c.copy, 30*size, size)
		}
		v := capture2(s)
		zero, port := v[AtSender][0].Time, f.Path().A.Port()
		v[AtSender] = slices.DeleteFunc(v[AtSender], func(p tracegen.Packet) bool {
			return p.WirePayload() > 0 && time.Duration(p.Time-zero) == 130*msec && p.Src.Port() == port
		})
		v.shift(func(time.Duration) time.Duration { return c.lead })
		p := match(t, v, Options{})
		_, conns := p.Results()
		d := conns[0].Dirs[conn.A]
		if d.Unmatched != c.want || d.OneSided != c.want {
			t.Errorf("%s: %d bytes without a delay, %d shown by one capture alone, want %d", c.name, d.Unmatched, d.OneSided, c.want)
		}
		trusted := p.Clock(clock.None)
		dist, shift := trusted.Correct(&d.Delivery)
		if got := shift + dist.Min(); got != c.least {
			t.Errorf("%s: the least delay is %v ms, want %v", c.name, got, c.least)
		}
	}
}

// delivery plays 5000 parts of data to a direction of a connection, of which
// every tenth is split on its way, every hundredth left 50 ms late, so that it
// cannot be what arrived, and some come behind others and with them. With search
// no place is remembered.
func delivery(search bool) (d *dataDirection, remembered int) {
	l := newTestLink()
	l.pair.clocks = clock.New(0, true)
	on := &l.dirs[conn.A]
	on.hasDelay, on.leastDelay = true, 10e6
	w := l.ends[AtReceiver].endConn
	w.dirs = []subflowDir{{matched: on}, {}}
	d = &dataDirection{pair: l.pair, from: AtSender, sender: l.ends[AtSender].endConn, receiver: w, receiverSide: conn.A, aligned: true, shift: 100}
	d.Delivery.Init(l.pair.clocks, AtSender, 0, true)
	r := rand.New(rand.NewPCG(9, 10))
	var held []*dss.Chunk
	for i := range int64(5000) {
		left := i * 1e6
		if r.IntN(100) == 0 {
			left += 50e6
		}
		data := dsnRange{Start: 10 * seq.DSN(i), End: 10 * seq.DSN(i+1)}
		d.sent.insert(sentData(dsnRange{Start: data.Start + d.shift, End: data.End + d.shift}, left))
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
				remembered++
			}
			if search {
				d.sent.hint = -2
			}
			d.takeInOrder([]*dss.Chunk{c}, now)
		}
		held = held[:0]
	}
	d.decideDelays()
	return d, remembered
}

// TestRememberedPlace: data that lies behind the data found last gives what it
// gives when it is searched for.
func TestRememberedPlace(t *testing.T) {
	fast, remembered := delivery(false)
	slow, _ := delivery(true)
	figures := func(d *dataDirection) (raw, samples stats.Description, counts []int64) {
		drift := clock.Estimate{DriftPPM: 1}
		corrected, _ := drift.Correct(&d.Delivery)
		return d.Delivery.Raw.Describe(), corrected.Describe(), []int64{d.OneSided, d.Unmatched, int64(len(d.sent.list) - d.sent.head), int64(len(d.delivered.list))}
	}
	x, samples, counts := figures(fast)
	y, others, want := figures(slow)
	near := cmpopts.EquateApprox(1e-9, 0)
	if d := cmp.Diff(y, x, near) + cmp.Diff(want, counts) + cmp.Diff(others, samples, near); d != "" {
		t.Errorf("(-searched +remembered)\n%s", d)
	}
	if remembered < 3000 || x.N < 4900 || samples.N < 4900 || fast.Unmatched == 0 {
		t.Errorf("%d places were remembered, %d parts have a delay, %d samples, %d bytes have none", remembered, x.N, samples.N, fast.Unmatched)
	}
}
