package pair

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// TestHeld: a packet that waits keeps every field that matching needs.
func TestHeld(t *testing.T) {
	s := packet.Segment{
		Time: 1, Num: 2, Seq: 3, Ack: 4, SACK: [4]packet.SACKBlock{{Left: 5}}, TSVal: 6, TSEcr: 7, PayloadLen: 8,
		Have: packet.HasTimestamps, Window: 10, IPID: 11, Flags: packet.ACK | packet.PSH, OptLen: 12, OtherLen: 13,
		DSS: mptcp.DSS{DataAck: 1<<40 + 14},
	}
	p := conn.Packet{Seg: &s, SubflowDir: &conn.SubflowDir{From: conn.B}}
	p.HasDataAck = true
	p.TCP.Sent.Range = seq.Range[seq.SSN]{Start: 1, End: 9}
	var sender subflow.Sender
	h := newHeld(&p, AtReceiver, &sender)
	var got packet.Segment
	h.fill(&got)
	s.DSS = mptcp.DSS{}
	assert.Check(t, is.DeepEqual(got, s))
	assert.Check(t, h.at == AtReceiver && h.from == conn.B && h.dataAck == 14 && !h.probe && h.segmentBytes == 1 && h.hasTimestamps(), "%+v", h)
	p.HasDataAck, p.TCP.Sent.Range = false, seq.Range[seq.SSN]{}
	h = newHeld(&p, AtSender, &sender)
	assert.Check(t, h.dataAck == 0 && h.probe, "no DATA_ACK, and a probe: %+v", h)
	seen := map[[4]uint32]bool{h.fingerprint(): true}
	for _, change := range []func(h *heldPacket){
		func(h *heldPacket) { h.seq++ }, func(h *heldPacket) { h.ack++ }, func(h *heldPacket) { h.length++ },
		func(h *heldPacket) { h.flags |= packet.FIN }, func(h *heldPacket) { h.tsval++ },
	} {
		other := h
		change(&other)
		assert.Check(t, !seen[other.fingerprint()], "%+v looks like another packet", other)
		seen[other.fingerprint()] = true
	}
}

// TestDropOlder: the older half of the packets is dropped, and the segments with payload among them are counted by their sender:
// a packet of 3 bytes has two of 2 bytes.
func TestDropOlder(t *testing.T) {
	f := endSubflow{held: make([]heldPacket, maxHeld)}
	for i := range f.held {
		f.held[i] = heldPacket{num: uint64(i), length: uint32(i % 2 * 3), from: conn.Side(i / 2 % 2), segmentBytes: 2}
	}
	f.held[maxHeld/2-1].from = conn.A
	f.dropOlder()
	assert.Check(t, len(f.held) == maxHeld/2 && f.held[0].num == maxHeld/2 && f.dropped == [2]int64{maxHeld/4 + 2, maxHeld/4 - 2},
		"%d left from %d on, %v dropped", len(f.held), f.held[0].num, f.dropped)
}

// TestTake: a packet without payload, of a probe or with RST is matched as a pure ACK; others as sent or arrived data.
func TestTake(t *testing.T) {
	for _, c := range []struct {
		at                               End
		n                                uint32
		probe                            bool
		flags                            packet.Flags
		sent, arrived, acks, ackArrivals int64
	}{
		{AtSender, 5, false, packet.ACK, 1, 0, 0, 0},
		{AtReceiver, 5, false, packet.ACK, 0, 1, 0, 0},
		{AtSender, 0, false, packet.ACK, 0, 0, 1, 0},
		{AtReceiver, 0, false, packet.ACK, 0, 0, 0, 1},
		{AtSender, 5, true, packet.ACK, 0, 0, 1, 0},
		{AtSender, 5, false, packet.RST, 0, 0, 1, 0},
	} {
		d := &newTestLink().dirs[conn.A]
		d.take(&packet.Segment{Time: 1, Seq: 1, PayloadLen: c.n, Flags: c.flags}, c.at, size, 0, c.probe)
		assert.Check(t, d.Sent == c.sent && d.Arrived == c.arrived && int64(d.pureAcks.sent.Len()) == c.acks && int64(d.pureAcks.arrived.Len()) == c.ackArrivals,
			"%+v: %d sent, %d arrived, %d and %d pure ACKs", c, d.Sent, d.Arrived, d.pureAcks.sent.Len(), d.pureAcks.arrived.Len())
	}
}

// TestSentFigures: packets, segments, times and positions of what is sent. Positions are after the SYN, whose data begins at 1.
func TestSentFigures(t *testing.T) {
	d := &newTestLink().dirs[conn.A]
	d.origin[AtSender] = 100
	d.takeSent(&packet.Segment{Time: 7, Seq: 100, PayloadLen: 10, Flags: packet.SYN, Num: 3, IPID: 4, TSVal: 5, Have: packet.HasTimestamps, OptLen: 8}, 4)
	d.takeSent(&packet.Segment{Time: 9, Seq: 111, PayloadLen: 4, Have: packet.Untimed}, 4)
	assert.Check(t, d.Sent == 2 && d.SentSegments == 4 && d.FirstSent == 7 && d.LastSent == 9 && d.streamEnd[AtSender] == 15,
		"%d packets, %d segments from %d to %d, up to %d", d.Sent, d.SentSegments, d.FirstSent, d.LastSent, d.streamEnd[AtSender])
	want := sentPart{ssnRange: ssnRange{Start: 1, End: 11}, time: 7, num: 3, ordinal: 1, segmentBytes: 4, size: 10, tsval: 5, ipid: 4, options: 2 | optionTimestamps, hasTS: true}
	assert.Check(t, is.Equal(*d.inFlight.Front(), want))
	got := *d.inFlight.Back()
	assert.Check(t, got.ordinal == 2 && got.untimed && !got.hasTS && got.Start == 11, "%+v", got)
	l := newTestLink()
	l.pair.opt.Packet = func(p *Packet) {
		p.Sub = nil
		want := (Packet{From: conn.A, Fate: FateArrived, SentNum: 3, ArrivedNum: 6, Sent: 7, Arrived: 17, SSN: 1, Length: 10, At: AtSender})
		assert.Check(t, *p == want, "handed out %+v, want %+v", *p, want)
	}
	l.dirs[conn.A].takeSent(&packet.Segment{Time: 7, Seq: 1, PayloadLen: 10, Num: 3}, 10)
	l.dirs[conn.A].takeArrived(&packet.Segment{Time: 17, Seq: 1, PayloadLen: 10, Num: 6}, 10)
}

// TestPureAckDelays: the delay of an ACK counts. That of a RST counts for the clocks alone, and only if timestamps tell it from other RSTs.
func TestPureAckDelays(t *testing.T) {
	for name, c := range map[string]struct {
		flags packet.Flags
		have  packet.Present
		acks  int64
		clock bool
	}{
		"an ACK":                {packet.ACK, 0, 1, true},
		"a RST":                 {packet.RST | packet.ACK, 0, 0, false},
		"a RST with timestamps": {packet.RST | packet.ACK, packet.HasTimestamps, 0, true},
	} {
		for _, order := range [2][2]End{{AtSender, AtReceiver}, {AtReceiver, AtSender}} {
			l := newTestLink()
			for side := range l.dirs {
				for _, at := range order {
					s := packet.Segment{Seq: 1, Ack: 1, Flags: c.flags, Have: c.have, Time: 1e9}
					if at != End(side) { // where it arrives
						s.Time += 10e6
					}
					l.dirs[side].takePureAck(&s, at, 0)
				}
			}
			d := &l.dirs[conn.A]
			k := l.pair.Clock(clock.Offset)
			assert.Check(t, d.AckOWD.Raw.N() == c.acks && (c.acks == 0 || d.AckOWD.Raw.Max() == 10) && (k.Bound == 10) == c.clock,
				"%s, %v first: %d delays of %v ms, round trip %v", name, order[0], d.AckOWD.Raw.N(), d.AckOWD.Raw.Max(), k.Bound)
		}
	}
}

// TestNow: both captures have come as far as the one that is behind; when one has ended, as far as the other. The receiver's clock
// is 100 ahead.
func TestNow(t *testing.T) {
	for _, c := range []struct {
		s, r         int64
		sEnds, rEnds bool
		want         int64
	}{{500, 700, false, false, 500}, {700, 500, false, false, 400}, {500, 700, true, false, 600}, {700, 500, false, true, 700}} {
		p := New(Options{RoughLead: 100})
		p.captures = [2]captureState{{last: c.s, ended: c.sEnds}, {last: c.r, ended: c.rEnds}}
		assert.Check(t, is.Equal(p.now(), c.want), "%+v", c)
	}
}

// TestSweep: every second, lost packets of the pairs whose place is known are found.
func TestSweep(t *testing.T) {
	for _, c := range []struct {
		now      int64
		resolved bool
		lost     int64
	}{{51e9, true, 1}, {51e9 - 1, true, 0}, {51e9, false, 0}} {
		l := newTestLink()
		l.resolved = c.resolved
		p := l.pair
		p.captures[AtSender].index.pairs = []*subflowPair{l}
		p.swept = 50e9
		p.captures[AtSender].last, p.captures[AtReceiver].last = c.now, c.now
		l.dirs[conn.B].inFlight.add(&sentPart{ssnRange: ssnRange{Start: 1, End: 2}, time: 1e9})
		p.sweep()
		assert.Check(t, is.Equal(l.dirs[conn.B].Lost, c.lost), "lost of %+v", c)
	}
}

// TestIncomparable: captures without a matched packet and without a common time cannot be compared, unless their times are trusted.
func TestIncomparable(t *testing.T) {
	for _, c := range []struct {
		s, r captureState
		mode clock.Mode
		want bool
	}{
		{captureState{first: 1, last: 10}, captureState{first: 10, last: 20}, clock.Auto, false},
		{captureState{first: 1, last: 10}, captureState{first: 11, last: 20}, clock.Auto, true},
		{captureState{first: 11, last: 20}, captureState{first: 1, last: 10}, clock.Auto, true},
		{captureState{first: 1, last: 10}, captureState{first: 11, last: 20}, clock.None, false},
	} {
		p := New(Options{})
		p.captures = [2]captureState{c.s, c.r}
		k := p.Clock(c.mode)
		assert.Check(t, k.Unknown == c.want, "%+v: unknown %t", c, k.Unknown)
	}
	l := newTestLink() // with matched packets
	l.dirs[conn.A].path.PureAck(AtSender, 2e9, 1e6, true)
	l.dirs[conn.B].path.PureAck(AtReceiver, 2e9, 1e6, true)
	l.pair.captures = [2]captureState{{first: 1, last: 10}, {first: 11, last: 20}}
	k := l.pair.Clock(clock.Auto)
	assert.Check(t, !k.Unknown, "%+v with matched packets", k)
}

// TestMSSChanged: the MSS option of A is what its peer, B, may send. One that a capture does not show is no change.
func TestMSSChanged(t *testing.T) {
	for _, c := range []struct {
		s, r [2]uint16 // MSS options of A and B in the captures
		want [2]bool
	}{
		{[2]uint16{1460, 1400}, [2]uint16{1460, 1400}, [2]bool{}},
		{[2]uint16{1460, 1400}, [2]uint16{1380, 1400}, [2]bool{true, false}},
		{[2]uint16{1460, 1400}, [2]uint16{1460, 1300}, [2]bool{false, true}},
		{[2]uint16{1460, 0}, [2]uint16{0, 1400}, [2]bool{}},
	} {
		l, s, r := newPlaceLink()
		for e, f := range [2]*endSubflow{s, r} {
			for side, mss := range [2][2]uint16{c.s, c.r}[e] {
				p := packet.Segment{Flags: []packet.Flags{packet.SYN, packet.SYN | packet.ACK}[side], MSS: mss}
				if mss > 0 {
					p.Have = packet.HasMSS
				}
				dir := f.sub.Flow.Dir(conn.Side(side))
				dir.Packet(&p, false, new(subflow.Packet))
			}
		}
		assert.Check(t, is.Equal(l.changes().MSS, c.want), "%+v", c)
	}
}
