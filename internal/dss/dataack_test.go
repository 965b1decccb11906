package dss

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// Two subflows carry data in one space, one far ahead of the other. Each remembers where
// its data and its acknowledgments end, so that the next ones need no search.
func TestSubflowsContinueWhereTheyWere(t *testing.T) {
	var sp probe
	sp.SetIDSN(0)
	const n, gap = 100, 1 << 20 // bytes of a segment; how far subflow 1 is ahead
	subs := [2]*SubflowSpace{sp.NewSubflow(0), sp.NewSubflow(1)}
	at := [2]seq.DSN{1, 1 + gap}
	for i := range 1000 {
		k := i % 2
		sub, dsn := subs[k], at[k]
		ssn := seq.SSN(1 + n*(i/2))
		next := run(dsn, dsn+n)
		if i >= 2 { // the first segment of each subflow began a run
			copied := seq.Set[seq.DSN]{}
			for _, r := range sp.seen.Ranges() {
				copied.Add(r)
			}
			if !copied.Extend(sub.seenPlace, next) {
				t.Fatalf("segment %d: run %d of %v is not where subflow %d goes on", i, sub.seenPlace, sp.seen.Ranges(), k)
			}
		}
		sp.Reset()
		sp.give(sub, ssn, dsn, n, uint64(i))
		sp.Acked(sub, run(ssn, ssn+n), int64(i))
		got := sp.subflowAcked.Range(sub.subflowAckedPlace)
		assert.Assert(t, got.End == next.End, "segment %d: run %v is not where the acknowledgments of subflow %d end", i, got, k)
		assert.Assert(t, sub.ackedPlace == sub.chunks.End(), "segment %d: acknowledgments go on at chunk %d of %d", i, sub.ackedPlace, sub.chunks.Len())
		at[k] += n
	}
	if sp.OutstandingBytes != 1000*n || sp.SubflowAckedBytes != 1000*n || sp.seen.Len() != 2 || sp.subflowAcked.Len() != 2 {
		t.Errorf("%d bytes wait, %d of them acknowledged, in %d and %d runs", sp.OutstandingBytes, sp.SubflowAckedBytes, sp.seen.Len(), sp.subflowAcked.Len())
	}
}

// A subflow once carried a copy. Acknowledgments of data that it carried first concern no
// other subflow; acknowledgments that reach into its copies do.
func TestAckedBesideCopy(t *testing.T) {
	sp, a, b := twoSubflows()
	sp.give(a, 1, 1, 100, 1)    // 1-100 on a
	sp.give(b, 1, 101, 100, 2)  // 101-200 on b
	sp.give(b, 101, 1, 150, 3)  // 1-100 again, and 101-150
	sp.give(b, 251, 201, 50, 4) // 201-250 on b
	sp.Acked(b, run[seq.SSN](251, 301), 6)
	assert.Check(t, is.Equal(a.chunks.Front().Acked, int64(0)), "the data of a acknowledged at")
	sp.Acked(b, run[seq.SSN](1, 251), 7)
	at := a.chunks.Front().Acked
	assert.Check(t, at == 7, "the data of a acknowledged at %d through a copy, want 7", at)
}

// read returns the position that the DATA_ACK of an option acknowledges.
func (sp *probe) read(d *mptcp.DSS) (p seq.DSN, ok bool) {
	p, ok, _ = sp.ReadDataAck(d)
	return p, ok
}

// A DATA_ACK has the same position as any other number, whether it repeats the one before
// or not; numbers of 4 and 8 bytes alternate.
func TestReadDataAck(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, origin := range []uint64{0, 1 << 40, 1<<32 - 50} {
		var acks, plain probe
		acks.SetIDSN(origin)
		plain.SetIDSN(origin)
		number, repeated, highest := origin+1, 0, seq.DSN(math.MinInt64)
		for i := range 1000 {
			switch rng.IntN(4) {
			case 0:
				number += uint64(rng.IntN(100))
			case 1:
				number = origin + uint64(rng.IntN(100))
			}
			wire, wide := number, rng.IntN(2) == 0
			d := mptcp.DSS{DataAck: wire, Flags: mptcp.DSSAck | mptcp.DSSAck8}
			if !wide {
				wire = uint64(uint32(number))
				d = mptcp.DSS{DataAck: wire, Flags: mptcp.DSSAck}
			}
			d.Flags |= mptcp.DSSFlags(rng.IntN(2)) * mptcp.DSSMap
			if a := acks.latestAck; a.ok && a.number == wire && a.form == d.Flags&ackForm {
				repeated++
			}
			got, ok, news := acks.ReadDataAck(&d)
			if want := seq.DSN(number - origin); got != want || !ok || news != (want > highest) {
				t.Fatalf("number %d: %d is at %d, %v, news %v, want %d above %d", i, number, got, ok, news, want, highest)
			}
			if rng.IntN(3) > 0 {
				acks.TakeDataAck(&d, got, int64(i), &acks.Result)
				highest = max(highest, got)
			}
			if want, ok := plain.Position(wire, wide); got != want || !ok {
				t.Fatalf("number %d: %d is at %d, want %d", i, number, got, want)
			}
		}
		assert.Check(t, repeated >= 100, "%d of 1000 numbers repeated the one before", repeated)
	}
}

// The number 0 is a valid DATA_ACK and differs from no DATA_ACK; a stray DATA_ACK is not
// kept.
func TestReadDataAckZeroAndStray(t *testing.T) {
	var sp probe
	sp.SetIDSN(1<<64 - 10)
	for range 2 {
		for _, flags := range []mptcp.DSSFlags{0, mptcp.DSSAck8, mptcp.DSSMap} {
			_, ok := sp.read(&mptcp.DSS{Flags: flags})
			assert.Check(t, !ok, "flags %#x: a DATA_ACK", flags)
		}
		if got, ok := sp.read(&mptcp.DSS{Flags: mptcp.DSSAck}); got != 10 || !ok {
			t.Errorf("0 is at %d, %v, want 10", got, ok)
		}
		if _, ok := sp.read(&mptcp.DSS{DataAck: 1 << 40, Flags: mptcp.DSSAck | mptcp.DSSAck8}); ok {
			t.Error("a number that fits no window has a position")
		}
	}
}

// Bytes above a position are counted correctly also after the oldest ranges were forgotten.
func TestBytesAbove(t *testing.T) {
	sp, sub := oneSubflow()
	for i := range 20 { // 1-5, 11-15 and so on
		sp.give(sub, seq.SSN(1+5*i), seq.DSN(1+10*i), 5, uint64(i))
	}
	check := func(least seq.DSN) {
		t.Helper()
		for p := seq.DSN(-5); p < 210; p++ {
			want := int64(0)
			for q := max(p, least); q <= 200; q++ {
				if q >= 1 && (q-1)%10 < 5 {
					want++
				}
			}
			got := sp.BytesAbove(p)
			assert.Check(t, got == want, "%d bytes above %d, want %d", got, p, want)
		}
	}
	check(1)
	sp.seen.DropOldest(3)
	check(171) // 171-175, 181-185, 191-195 are left
}
