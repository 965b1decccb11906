package symptoms

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// part is a part of the stream in segments of 1000 bytes, the first is number 0.
func part(from, to int64) seq.Range[seq.SSN] {
	return seq.Range[seq.SSN]{Start: seq.SSN(1 + 1000*from), End: seq.SSN(1 + 1000*to)}
}

const rtt = 40e6 // ns

// arrive passes segments that came through in order, 1 ms apart, with a delay in ms.
func arrive(l *Losses, from, to, delay int64) {
	for i := from; i < to; i++ {
		l.sample(i*1e6, delay*1e6, 1000*i)
		l.came(part(i, i+1), i*1e6, rtt, 1000, false)
	}
}

// TestLossRounds: what counts as one round of losses, and the delay around it. Ten segments came in order before.
func TestLossRounds(t *testing.T) {
	for _, c := range []struct {
		what         string
		play         func(l *Losses)
		copies, open int64
		want         []LossRound
	}{
		{"two gaps within a round trip are one round of two runs, one much later is another", func(l *Losses) {
			arrive(l, 11, 13, 60) // 10 is missing
			arrive(l, 15, 20, 80) // 13 and 14 are missing
			l.copied(part(10, 11), 1, 25e6, 20001)
			l.copied(part(13, 15), 2, 26e6, 20001)
			l.progress(part(20, 20).Start, 20001)
			arrive(l, 100, 101, 90) // 20 to 99 are missing
			l.copied(part(20, 21), 1, 150e6, 101001)
		}, 4, 1, []LossRound{
			{At: 11e6, Delay: 70e3, Bytes: 11000, Runs: 2, Segments: 3}, // (60 + 80)/2 ms
			{At: 100e6, Delay: 90e3, Bytes: 100000, Runs: 1, Segments: 1},
		}},
		{"a gap that fills without a copy is no loss", func(l *Losses) {
			arrive(l, 12, 20, 50)
			l.came(part(10, 12), 30e6, rtt, 1000, false)
			l.progress(part(20, 20).Start, 20001)
		}, 0, 0, nil},
		{"what is lost with nothing after it has the delay of the segment before", func(l *Losses) {
			l.copied(part(10, 11), 1, 500e6, 15001)
			l.copied(part(11, 15), 4, 550e6, 15001)
		}, 5, 0, []LossRound{{At: 500e6, Delay: 50e3, Bytes: 9000, Runs: 1, Segments: 1}}},
	} {
		var l Losses
		arrive(&l, 0, 10, 50)
		c.play(&l)
		if got := l.Rounds(); !slices.Equal(got, c.want) || l.Copies != c.copies || len(l.open) != int(c.open) || l.LostWhileDown() != 0 {
			t.Errorf("%s: %+v, want %+v; %+v", c.what, got, c.want, l)
		}
	}
}

// TestDarkAtReceiver: nothing comes for a time, then a segment and one far above it. The path was
// down if the time is a timeout, the round trip and 200 ms, and three round trips, and eight segments in a row are
// missing. It may have been if it is only the former.
func TestDarkAtReceiver(t *testing.T) {
	for _, c := range []struct {
		silence, srtt int64
		missing, down int64 // segments
		maybe         bool
	}{
		{240e6, 40e6, 8, 8, false},
		{240e6, 40e6, 7, 0, false},
		{240e6 - 1, 40e6, 8, 0, false},
		{450e6, 150e6, 8, 8, false},
		{450e6 - 1, 150e6, 8, 0, true},
		{350e6, 150e6, 8, 0, true},
		{350e6 - 1, 150e6, 8, 0, false},
	} {
		var l Losses
		arrive(&l, 0, 10, 50)
		again := 9e6 + c.silence
		l.came(part(10, 11), again, float64(c.srtt), 1000, false)
		l.came(part(11+c.missing, 12+c.missing), again+1e6, float64(c.srtt), 1000, false)
		for i := range c.missing {
			l.copied(part(11+i, 12+i), 1, again+(100+i)*1e6, 0)
		}
		if l.LostWhileDown() != c.down || l.MaybeDown() != c.maybe || l.Copies != c.missing {
			t.Errorf("%+v: %d of %d lost while it was down", c, l.LostWhileDown(), l.Copies)
		}
	}
}

// TestSilenceEnds: only holes that begin with the first segment after a silence are of the silence.
func TestSilenceEnds(t *testing.T) {
	for above, down := range map[int64]int64{0: 10, 1: 0} { // segments that came in order after the first one
		var l Losses
		arrive(&l, 0, 10, 50)
		for i := range 1 + above {
			l.came(part(10+i, 11+i), 2e9+i, rtt, 1000, false)
		}
		l.came(part(21+above, 22+above), 2e9+1e6, rtt, 1000, false)
		l.copied(part(11+above, 21+above), 10, 2e9+2e6, 0)
		assert.Check(t, l.Down == down, "%d segments in order: %d lost while it was down, want %d", above, l.Down, down)
	}
}

// TestNewRound: a hole a round trip after the first one of a round begins a new round. Of more
// than eight open rounds the last one takes all.
func TestNewRound(t *testing.T) {
	for _, c := range []struct {
		apart int64 // ns
		holes int64
		runs  []int64 // by open round
	}{
		{rtt - 1, 2, []int64{2}},
		{rtt, 2, []int64{1, 1}},
		{rtt, 8, []int64{1, 1, 1, 1, 1, 1, 1, 1}},
		{rtt, 10, []int64{1, 1, 1, 1, 1, 1, 1, 3}},
	} {
		var l Losses
		for i := range c.holes + 1 { // every second segment is missing
			l.came(part(2*i, 2*i+1), 1+i*c.apart, rtt, 1000, false)
		}
		var runs []int64
		for i := range l.open {
			runs = append(runs, l.open[i].Runs)
		}
		assert.Check(t, slices.Equal(runs, c.runs), "%d holes %d ns apart: runs %v, want %v", c.holes, c.apart, runs, c.runs)
		l.forget(part(1, 2).End - 1)
		if before := len(l.open); before != len(c.runs) && c.holes > 2 {
			t.Errorf("a hole that is filled in part: %d rounds, want %d", before, len(c.runs))
		}
		if c.holes > 2 {
			l.forget(part(1, 2).End)
			assert.Check(t, len(l.open) == len(c.runs)-1, "a hole that is filled: %d rounds, want %d", len(l.open), len(c.runs)-1)
		}
	}
}

// TestLossOfHole: a copy of any byte of a hole shows a loss, and one beside it none.
func TestLossOfHole(t *testing.T) {
	for _, c := range []struct {
		what       string
		start, end seq.SSN
		segments   int64 // of the hole's round
	}{
		{"up to the hole", 9001, 10001, 0},
		{"its first byte", 9002, 10002, 1},
		{"its last byte", 12000, 12500, 1},
		{"behind the hole", 12001, 13001, 0},
	} {
		var l Losses
		arrive(&l, 0, 10, 50)
		arrive(&l, 12, 20, 70) // 10 and 11 are missing
		l.copied(seq.Range[seq.SSN]{Start: c.start, End: c.end}, 1, 30e6, 20001)
		want := []LossRound{{At: 12e6, Delay: 70e3, Bytes: 12000, Runs: 1, Segments: 1}}
		if c.segments == 0 { // a loss without a hole, after the latest segment
			want = []LossRound{{At: 30e6, Delay: 70e3, Bytes: 19000, Runs: 1, Segments: 1}}
		}
		if got := l.Rounds(); !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", c.what, got, want)
		}
	}
}

// TestDelayAround: a sample has the larger delay of a segment and the one before, in µs within
// about 18 minutes, and the amount in units of 64 bytes.
func TestDelayAround(t *testing.T) {
	var l Losses
	for i, c := range []struct{ delay, around int64 }{
		{5e6, 5e3}, {3e6, 5e3}, {4e6, 4e3}, {-7e6, 4e3}, {-9e6, -7e3}, {2e15, longestDelay}, {-2e15, longestDelay}, {-3e15, -longestDelay},
	} {
		l.sample(int64(i), c.delay, 6400*int64(i)+63)
		if want := (DelaySample{int64(i), int32(c.around), uint32(100 * i)}); l.delays.kept[i] != want {
			t.Errorf("sample %d: %+v, want %+v", i, l.delays.kept[i], want)
		}
	}
}

// TestRepeats: one copy of the first outstanding segment is no sign of a dead path; two are.
func TestRepeats(t *testing.T) {
	for repeats, down := range map[int32]int64{1: 0, 2: 5, 3: 5} {
		l := Losses{repeats: repeats}
		l.copied(part(0, 5), 5, 1e6, 8001)
		if got := l.LostWhileDown(); got != down {
			t.Errorf("%d copies: %d lost while it is down, want %d", repeats, got, down)
		}
		l.progress(part(0, 1).End, 8001)
		l.copied(part(7, 8), 1, 2e6, 9001)  // sent before the path answered
		l.copied(part(8, 10), 2, 3e6, 9001) // sent later
		if want := down + min(down, 1); l.Down != want || l.LostWhileDown() != want {
			t.Errorf("%d copies: %d lost while it was down, want %d", repeats, l.Down, want)
		}
	}
}

// TestLossesOfSession: of a segment each millisecond the ones of 100, 101 and 105 ms are lost, and
// sent again at 160, 161 and 162 ms. The round trip is 20 ms.
func TestLossesOfSession(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")})
	f.Open(0)
	lost, again := map[int64]*tracegen.Sent{}, map[int64]time.Duration{100: 160, 101: 161, 105: 162}
	for k := int64(50); k < 150; k++ {
		x := f.Data(tracegen.A2B, time.Duration(k)*msec, 1000*(k-50), 1000)
		if again[k] != 0 {
			lost[k] = x.Lose()
			continue
		}
		f.Ack(tracegen.B2A, x.ArrivesAt())
	}
	for k, x := range lost {
		f.Ack(tracegen.B2A, x.Again(again[k]*msec).ArrivesAt())
	}
	for _, c := range []struct {
		view  tracegen.View
		at    time.Duration // when the first hole shows
		delay int32         // µs
		acked int64
	}{
		{tracegen.HostA, 102 + 20, 20e3, 51_000}, // the segment of 102 ms is the 51st to be acknowledged
		// At B the delay is that of the arrival less the timestamp: against the first segment it is 0.
		// An acknowledgment leaves with each arrival, so that 50 segments are acknowledged before that of 102 ms.
		{tracegen.HostB, 102 + 10, 0, 50_000},
	} {
		o := play(t, s, c.view)
		l := &o.subs[0].Path(conn.A).Losses
		want := []LossRound{{At: o.at(c.at * msec).Time, Delay: c.delay, Bytes: c.acked, Runs: 2, Segments: 3}}
		if got := l.Rounds(); !slices.Equal(got, want) || l.Copies != 3 || l.LostWhileDown() != 0 {
			t.Errorf("view %d: %d copies, %+v, want %+v", c.view, l.Copies, got, want)
		}
		if n := len(l.Delays()); n != 97 && c.view == tracegen.HostB || n == 0 {
			t.Errorf("view %d: %d delays", c.view, n)
		}
	}
	if l := play(t, s, tracegen.Middle).subs[0].Path(conn.A).Losses; l.Copies != 0 || len(l.Delays()) != 0 {
		t.Errorf("between the hosts: %+v", l)
	}
}

// TestSenderClock: a clock that counts milliseconds is known, one of another unit is not.
func TestSenderClock(t *testing.T) {
	for unit, want := range map[int64]bool{1e6: true, 4e6: false, 10e6: false, 100e6: false, 1e3: false} {
		var k senderClock
		for ms := range int64(1000) {
			k.delay(ms*1e6, uint32(1<<32-500+ms*1e6/unit)) // it wraps
		}
		assert.Check(t, k.isKnown() == want, "unit of %d ns: known %v", unit, !want)
	}
	var k senderClock
	k.delay(0, 1<<32-1)
	if got := k.delay(105e6, 99); got != 5e6 { // 100 ms by the sender's clock
		t.Errorf("delay %d ns, want 5 ms", got)
	}
}

// TestThinned: at the limit every second value goes, and half as many of the others are kept.
func TestThinned(t *testing.T) {
	var s thinned[int]
	for i := range 17 {
		s.add(i, 8)
	}
	if want := []int{0, 4, 8, 12, 16}; !slices.Equal(s.kept, want) {
		t.Errorf("%v, want %v", s.kept, want)
	}
	if n := testing.AllocsPerRun(1000, func() { s.add(1, 8) }); n != 0 {
		t.Errorf("%g allocations for each value", n)
	}
}
