package metrics

import (
	"math/rand/v2"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// a byte plays for a microsecond
const byteRate = 8e6

// streamed returns what a player of A's data would have shown.
func streamed(m *Connection) (whole, sub *report.Streaming, why string) {
	d := ofConnection(m, conn.A)
	var s report.SubDir
	m.ReportSubflow(m.Subs[0], conn.A, fields(), &s)
	why, _ = d.Unavailable.Of("streaming")
	return d.Streaming, s.Streaming, why
}

// TestStreaming plays chunks of 1 ms. The player waits for 10 of them:
//
//	100 ... 109  chunks 0 to 9: it starts at 109, chunk i is due at 109 + i
//	110 ... 114  chunks 10 to 14: played at 124
//	115 ... 118  chunks 16 to 19; chunk 15 is lost
//	140          chunk 15: it has 5 chunks, and goes on waiting
//	145 ... 149  chunks 20 to 24: it has 10 at 149, after a stall of 25 ms, and plays up to 159
//	164          chunk 25, the last: a stall of 5 ms
//
// Late are 15 (16 ms) to 19 (12 ms), 20 to 24 (16 ms each), and 25 (30 ms).
func TestStreaming(t *testing.T) {
	for _, plain := range []bool{false, true} {
		s, f := onePath(tracegen.Config{Version: 1, Plain: plain})
		at := func(i int, when time.Duration) *tracegen.Sent {
			return f.Data(tracegen.A2B, when*msec, int64(1000*i), 1000)
		}
		for i := range 20 {
			if x := at(i, time.Duration(100+i-i/16)); i == 15 {
				x.Lose()
				x.Again(140 * msec)
			}
		}
		for i := 20; i < 25; i++ {
			at(i, time.Duration(125+i))
		}
		at(25, 164)
		f.Ack(tracegen.B2A, 170*msec)
		cfg := Config{Interval: 100 * msec, Player: Player{Bitrate: byteRate, Playout: 10 * msec}}
		m := measure(t, s, tracegen.HostB, cfg)
		got, sub, why := streamed(m.Connection)
		if got == nil || (sub != nil) != plain {
			t.Fatalf("plain %v: streaming of the connection %v (%s), of the subflow %v", plain, got, why, sub)
		}
		near(t, "bitrate", got.Bitrate, 8)
		near(t, "playout", got.Playout, 10)
		near(t, "startup", got.Startup, 9)
		near(t, "since open", got.SinceOpen, 109)
		near(t, "played", got.Played, 26)
		near(t, "stalled", got.Stalled, 25+5)
		near(t, "longest", got.LongestStall, 25)
		near(t, "stalled percent", got.StalledPercent, 100*30/56.)
		if got.Stalls != 2 || got.Chunks != 26 || got.LateChunks != 11 || got.LateBytes != 11000 || got.Messages != nil {
			t.Errorf("got %+v", got)
		}
		near(t, "late percent", got.LatePercent, 100*11/26.)
		near(t, "lateness", got.Lateness.Avg, (16+15+14+13+12+5*16+30)/11.)
		near(t, "most late", got.Lateness.Max, 30)

		if got, _, why := streamed(measure(t, s, tracegen.HostA, cfg).Connection); got != nil || why != atReceiverOnly {
			t.Errorf("at the sender: %v, %q", got, why)
		}
		cfg.Player.Playout = 27 * msec
		if got, _, why := streamed(measure(t, s, tracegen.HostB, cfg).Connection); got != nil || why == "" {
			t.Errorf("a player that waits for more than all data: %v, %q", got, why)
		}
		cfg.Player = Player{}
		if got, _, why := streamed(measure(t, s, tracegen.HostB, cfg).Connection); got != nil || why != "not asked for (--stream)" {
			t.Errorf("without --stream: %v, %q", got, why)
		}
	}
}

// TestStreamingOfAPart: from 130 ms after the first data on the player has chunks of
// 1 ms at 130, 131 and 140, and starts at once: it stalls from 132 to 140.
func TestStreamingOfAPart(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	for i, at := range []time.Duration{100, 200, 230, 231, 240} {
		f.Data(tracegen.A2B, at*msec, int64(1000*i), 1000)
	}
	got, _, _ := streamed(measure(t, s, tracegen.HostB, Config{Skip: 130 * msec, Player: Player{Bitrate: byteRate}}).Connection)
	near(t, "startup", got.Startup, 0)
	near(t, "stalled", got.Stalled, 8)
	near(t, "played", got.Played, 3)
}

// TestMessages sends chunks of 1000 bytes:
//
// 100, 101, 102 three 400, 401 two 450 one 1000, 1001 two; the first is lost and comes
// again at 1300 2000 one
//
// Round trips are 20 ms. By the default rule the messages begin at 100, 400 and 2000: the
// pause before 450 is too short, and data that does not continue what came before begins
// none. They take 2, 900 and 0 ms. With a gap of 40 ms one more begins at 450, and they
// take 2, 1, 850 and 0 ms.
func TestMessages(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	for i, at := range []time.Duration{100, 101, 102, 400, 401, 450, 1000, 1001, 2000} {
		x := f.Data(tracegen.A2B, at*msec, int64(1000*i), 1000)
		if at == 1000 {
			x.Lose()
			x.Again(1300 * msec)
		}
	}
	for _, c := range []struct {
		gap              time.Duration
		count, late      int64
		bytes, took, max float64
	}{
		{0, 3, 1, 9000 / 3., (2 + 900 + 0) / 3., 900},
		{40 * msec, 4, 1, 9000 / 4., (2 + 1 + 850 + 0) / 4., 850},
	} {
		got, _, _ := streamed(measure(t, s, tracegen.HostB, Config{Player: Player{Bitrate: byteRate, MessageGap: c.gap, Playout: 2 * msec}}).Connection)
		m := got.Messages
		if m.Count != c.count || m.Late != c.late || (m.Gap != nil) != (c.gap > 0) || m.Gap != nil && *m.Gap != 40 {
			t.Errorf("gap %v: %+v", c.gap, m)
		}
		near(t, "late", m.LatePercent, 100*float64(c.late)/float64(c.count))
		near(t, "bytes", m.Bytes.Avg, c.bytes)
		near(t, "took", m.Duration.Avg, c.took)
		near(t, "longest", m.Duration.Max, c.max)
	}
}

// TestPlayerAgainstModel compares stalls with those of a player that plays byte by byte.
func TestPlayerAgainstModel(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		playout := int64(r.IntN(40))
		arrives := map[int64]int64{} // bytes by microsecond
		end := int64(0)
		for range 60 {
			end += int64(1 + r.IntN(30))
			arrives[end] = int64(1 + r.IntN(30))
		}
		var x playback
		x.renew(&Player{Bitrate: byteRate, Playout: time.Duration(playout) * time.Microsecond})
		var have, played, start, stalls, lasts, stalled, longest, late int64
		waits := false
		for now := int64(1); now <= end; now++ {
			switch { // the microsecond that ends now
			case start == 0:
			case waits:
				lasts++
			case played == have:
				waits, lasts = true, 1
				stalls++
			default:
				played++
			}
			n, came := arrives[now]
			if !came {
				continue
			}
			if start > 0 && now > start+have {
				late++
			}
			x.chunk(span{have, have + n}, now*1000)
			x.advance(span{have, have + n}, now*1000)
			have += n
			switch {
			case start == 0 && have >= playout:
				start = now
			case waits && (have-played >= playout || now == end):
				waits = false
				stalled += lasts
				longest = max(longest, lasts)
			}
		}
		x.close()
		if start == 0 {
			continue
		}
		if x.stalls != stalls || x.stalled != 1000*stalled || x.longest != 1000*longest || x.lateChunks != late || x.start != 1000*start {
			t.Errorf("seed %d: %d stalls of %d ns, longest %d, %d late, start %d; want %d of %d, %d, %d, %d",
				seed, x.stalls, x.stalled, x.longest, x.lateChunks, x.start, stalls, 1000*stalled, 1000*longest, late, 1000*start)
		}
	}
}

// TestPlainOrder compares the data in order of plain TCP with a walk over all bytes.
// Packets overlap and come in any order, and some ACKs cover data that is not in the
// capture.
func TestPlainOrder(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 4))
		var o plainOrder
		var there [1000]bool
		o.begin(0)
		rcvNxt := int64(0)
		for range 200 {
			if r.IntN(40) == 0 {
				p := min(rcvNxt+int64(r.IntN(60)), int64(len(there)))
				for i := range p {
					there[i] = there[i] || len(o.waiting) > 0
				}
				o.acked(p)
			} else {
				start := int64(r.IntN(900))
				x := span{start, start + 1 + int64(r.IntN(20))}
				for i := x.start; i < x.end; i++ {
					there[i] = true
				}
				o.add(x)
			}
			for rcvNxt < int64(len(there)) && there[rcvNxt] {
				rcvNxt++
			}
			last := o.rcvNxt
			o.take(func(s span) {
				assert.Assert(t, s.start >= last && s.end > s.start, "seed %d: %v after %d", seed, s, last)
				last = s.end
			})
			assert.Assert(t, o.rcvNxt == rcvNxt, "seed %d: in order up to %d, want %d", seed, o.rcvNxt, rcvNxt)
		}
	}
}

// TestPlainOrderIsBounded: of packets that all wait, no more are kept than the bound
// allows.
func TestPlainOrderIsBounded(t *testing.T) {
	var o plainOrder
	o.begin(0)
	for i := range int64(2 * maxWaiting) {
		o.add(span{2*i + 1, 2*i + 2})
	}
	assert.Check(t, len(o.waiting) == maxWaiting && o.lost, "%d wait, bound noticed: %v", len(o.waiting), o.lost)
}

// TestPlayOfJumps: data sequence numbers that jump over nearly their whole range do not
// make times negative.
func TestPlayOfJumps(t *testing.T) {
	var x playback
	x.renew(&Player{Bitrate: 1})
	now := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	for _, start := range []int64{0, 1 << 40, 1 << 62} {
		x.chunk(span{start, start + 1000}, now)
		x.advance(span{start, start + 1000}, now)
		now += 1e9
	}
	x.close()
	if x.stalled < 0 || x.longest < 0 || x.time(x.origin, x.end) < 0 || x.lateness.N() > 0 && x.lateness.Min() < 0 || x.start+x.stalled+longestPlay < 0 {
		t.Errorf("%+v", x)
	}
}

// TestMessagePause: a message ends with a pause of --stream gap; without that it ends with a pause of
// more than 100 ms and more than two round trips of each open subflow.
func TestMessagePause(t *testing.T) {
	for _, c := range []struct {
		gap    time.Duration
		srtt   int64
		lasted time.Duration
		ends   bool
	}{
		{50 * msec, 80e6, 50 * msec, true},
		{50 * msec, 80e6, 50*msec - 1, false},
		{0, 40e6, 100 * msec, false},
		{0, 40e6, 100*msec + 1, true},
		{0, 80e6, 160 * msec, false},
		{0, 80e6, 160*msec + 1, true},
	} {
		m := bare(Config{Player: Player{MessageGap: c.gap}})
		m.Subs[0].Dir(conn.A).sample(c.srtt, 0)
		if got := new(messages).pause(m.Dir(conn.A), int64(c.lasted)); got != c.ends {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
