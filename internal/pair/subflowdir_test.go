package pair

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// TestBeginsDeep: a capture without the SYN begins 3 GB after the start of the stream.
// Positions are the same in both captures, and below 2^32.
func TestBeginsDeep(t *testing.T) {
	l := newTestLink()
	d := &l.dirs[conn.A]
	l.ends[AtSender].sub.SYN = 1
	for _, f := range l.ends {
		f.held = []heldPacket{{seq: 3_000_000_000, at: f.end}}
	}
	d.streamEnd = [2]seq.SSN{}
	d.setOrigins()
	for e := range End(2) {
		r := d.positions(e, &packet.Segment{Seq: 3_000_001_000, PayloadLen: 1000})
		want := (ssnRange{Start: 3_000_001_000, End: 3_000_002_000})
		assert.Check(t, r == want, "capture %d: %v, want %v", e, r, want)
	}
}

// TestNothingGrows: a long transfer with losses keeps only what is in flight, or was lost
// within the timeout.
func TestNothingGrows(t *testing.T) {
	l := newTestLink()
	d := &l.dirs[conn.A]
	most := 0
	for i := range 200_000 {
		now := int64(i) * 1e6
		s := packet.Segment{Time: now, Seq: 1 + 1000*seqWire(i), PayloadLen: size, TSVal: uint32(i), Have: packet.HasTimestamps}
		d.takeSent(&s, size)
		if i%100 != 0 {
			s.Time += 10e6
			d.takeArrived(&s, size)
		}
		l.pair.captures[0].last, l.pair.captures[1].last = now, now
		if i%1000 == 0 {
			d.expire()
		}
		most = max(most, d.inFlight.Len(), d.sentRanges.Len()+d.arrivedRanges.Len())
	}
	// 1 % of 1000 packets a second for 30 s, and a second between two sweeps.
	assert.Check(t, most <= maxRanges, "%d entries were kept", most)
	assert.Check(t, d.Lost >= 1600 && d.Lost <= 2000, "%d losses were found of about 1700", d.Lost)
}

// TestNoAllocation: a packet that is sent and arrives allocates nothing.
func TestNoAllocation(t *testing.T) {
	l := newTestLink()
	d, back := &l.dirs[conn.A], &l.dirs[conn.B]
	i := 0
	step := func() {
		s := packet.Segment{Time: int64(i) * 1e6, Seq: 1 + 1000*seqWire(i), PayloadLen: size, TSVal: uint32(i), Have: packet.HasTimestamps, Ack: 1, Flags: packet.ACK}
		d.take(&s, AtSender, size, 0, false)
		s.Time += 10e6
		d.take(&s, AtReceiver, size, 0, false)
		ack := packet.Segment{Time: s.Time, Seq: 1, Ack: s.Seq + 1000, TSVal: uint32(i), Flags: packet.ACK}
		back.take(&ack, AtReceiver, size, 0, true)
		ack.Time += 10e6
		back.take(&ack, AtSender, size, 0, true)
		i++
	}
	for range 20_000 {
		step()
	}
	assert.Check(t, is.Equal(testing.AllocsPerRun(5000, step), 0.0), "allocations for a packet and its ACK")
	assert.Check(t, d.MatchedPackets == d.Sent && d.Lost == 0, "%+v", d.counts())
}

// TestVariation: neighbours in the order of sending are compared once, whichever arrived
// first. Packet i takes i*i ms, so that 1 and 2, 2 and 3, 5 and 6, 6 and 7, 7 and 8 differ by 3, 5, 11, 13
// and 15 ms. Packet 2 comes 1 ms after 3, which overtook it; 6 and 7 come 1 and 2 ms after 8.
func TestVariation(t *testing.T) {
	var o arrivalOrder
	var d SubflowDir
	for at, i := range []int64{1, 3, 2, 5, 8, 6, 7} {
		o.addPacket(&d, i, i*i*1e6, int64(at)*1e6)
	}
	got := []float64{d.IPDV.Min(), d.IPDV.Mean(), d.IPDV.Max(), d.ReorderExtent.Min(), d.ReorderExtent.Max()}
	assert.Check(t, is.DeepEqual(got, []float64{3, (3 + 5 + 11 + 13 + 15) / 5.0, 15, 1, 2}))
	counted := []int64{d.IPDV.N(), d.Reordered, d.ReorderExtent.N()}
	assert.Check(t, is.DeepEqual(counted, []int64{5, 3, 3}))
}
