package symptoms

import (
	"slices"
	"testing"

	"mpanalyze/internal/seq"
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
		l.came(part(i, i+1), i*1e6, rtt, 1000)
	}
}

// TestLossRounds: two gaps within a round trip are one round of two runs, with the mean
// of the delays around them; a gap much later is another.
func TestLossRounds(t *testing.T) {
	var l Losses
	arrive(&l, 0, 10, 50)
	arrive(&l, 11, 13, 60) // 10 is missing
	arrive(&l, 15, 20, 80) // 13 and 14 are missing
	l.copied(part(10, 11), 1, 25e6, 20001)
	l.copied(part(13, 15), 2, 26e6, 20001)
	l.progress(part(20, 20).Start, 20001)
	arrive(&l, 100, 101, 90) // 20 to 99 are missing
	l.copied(part(20, 21), 1, 150e6, 101001)
	want := []LossRound{
		{At: 11e6, Delay: 70e3, Bytes: 11000, Runs: 2, Segments: 3}, // (60 + 80)/2 ms
		{At: 100e6, Delay: 90e3, Bytes: 100000, Runs: 1, Segments: 1},
	}
	if got := l.Rounds(); !slices.Equal(got, want) || l.Copies != 4 || l.LostWhileDown() != 0 {
		t.Errorf("%+v, %d copies, %d down, want %+v, 4, 0", got, l.Copies, l.LostWhileDown(), want)
	}
}

// TestReorderingIsNoLoss: a gap that fills without a copy is no loss.
func TestReorderingIsNoLoss(t *testing.T) {
	var l Losses
	arrive(&l, 0, 10, 50)
	arrive(&l, 12, 20, 50)
	l.came(part(10, 12), 30e6, rtt, 1000)
	l.progress(part(20, 20).Start, 20001)
	if got := l.Rounds(); len(got) != 0 || l.Copies != 0 || len(l.open) != 0 {
		t.Errorf("%+v", l)
	}
}

// TestLostTail: what is lost with nothing after it has the delay of the segment before.
func TestLostTail(t *testing.T) {
	var l Losses
	arrive(&l, 0, 10, 50)
	l.copied(part(10, 11), 1, 500e6, 15001)
	l.copied(part(11, 15), 4, 550e6, 15001)
	want := []LossRound{{At: 500e6, Delay: 50e3, Bytes: 9000, Runs: 1, Segments: 1}}
	if got := l.Rounds(); !slices.Equal(got, want) || l.Copies != 5 {
		t.Errorf("%+v, %d copies, want %+v and 5", got, l.Copies, want)
	}
}

// TestDarkAtSender: the first outstanding segment is sent again twice without progress; these
// copies and those of what was sent until the path answers were lost while it was down.
func TestDarkAtSender(t *testing.T) {
	var l Losses
	arrive(&l, 0, 10, 50)
	for i := range int64(2) {
		l.repeats++
		l.copied(part(10, 11), 1, (500+500*i)*1e6, 30001)
	}
	if l.LostWhileDown() != 2 {
		t.Errorf("%d lost while it was down before the path answers, want 2", l.LostWhileDown())
	}
	l.progress(part(11, 11).Start, 30001)
	l.copied(part(11, 30), 19, 3e9, 30001)
	l.copied(part(40, 41), 1, 4e9, 50001) // sent later
	if l.LostWhileDown() != 21 || l.Copies != 22 {
		t.Errorf("%d of %d lost while it was down, want 21 of 22", l.LostWhileDown(), l.Copies)
	}
}

// TestDarkAtReceiver: nothing comes for 2 s, then a segment and one far above it.
func TestDarkAtReceiver(t *testing.T) {
	for missing, down := range map[int64]int64{DownSegments: DownSegments, DownSegments - 1: 0} {
		var l Losses
		arrive(&l, 0, 10, 50)
		l.came(part(10, 11), 2e9, rtt, 1000)
		l.came(part(11+missing, 12+missing), 2e9+1e6, rtt, 1000)
		for i := range missing {
			l.copied(part(11+i, 12+i), 1, 2e9+(100+i)*1e6, 0)
		}
		if l.LostWhileDown() != down || l.Copies != missing {
			t.Errorf("%d of %d lost while it was down, want %d of %d", l.LostWhileDown(), l.Copies, down, missing)
		}
	}
}

// TestSenderClock: a clock that counts milliseconds is known, one of another unit is not.
func TestSenderClock(t *testing.T) {
	for unit, want := range map[int64]bool{1e6: true, 4e6: false, 10e6: false, 1e3: false} {
		var k senderClock
		for ms := range int64(1000) {
			k.delay(ms*1e6, uint32(1<<32-500+ms*1e6/unit)) // it wraps
		}
		if k.isKnown() != want {
			t.Errorf("unit of %d ns: known %v", unit, !want)
		}
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
