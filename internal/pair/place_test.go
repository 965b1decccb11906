package pair

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// newPlaceLink returns a pair whose place is not known, and its ends.
func newPlaceLink() (l *subflowPair, s, r *endSubflow) {
	l = newTestLink()
	l.resolved = false
	for e := range l.ends {
		l.ends[e].endConn.conn = &conn.Conn{}
		l.pair.captures[e].index.byKey = map[key]*endSubflow{}
	}
	return l, l.ends[AtSender], l.ends[AtReceiver]
}

// TestPlaceByTimes: packets of A are earlier in the capture at A. Their differences, of 40 and 60 ns, are the lead plus the delay;
// those of B, 10 and 26, the lead less the delay. The mean decides, and the lead is in the middle between the least delays:
// 40 and 26. A second packet that looks like the first is not compared.
func TestPlaceByTimes(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []int64 // differences of the packets of A, of B
		at   End
		ok   bool
		lead int64
	}{
		"A at the sender's":   {[]int64{60, 40}, []int64{10, 26}, AtSender, true, 33},
		"A at the receiver's": {[]int64{10, 26}, []int64{60, 40}, AtReceiver, true, 33},
		"by the mean":         {[]int64{5, 80}, []int64{40, 42}, AtSender, true, 23},
		"no packet of B":      {[]int64{60, 40}, nil, AtSender, false, 7},
		"no packet of A":      {nil, []int64{60, 40}, AtSender, false, 7},
	} {
		l, s, r := newPlaceLink()
		l.pair.lead = 7
		for side, list := range [2][]int64{c.a, c.b} {
			for i, difference := range list {
				h := heldPacket{seq: seqWire(10*side + i), from: conn.Side(side), time: 1000}
				s.held = append(s.held, h)
				h.time += difference
				r.held = append(r.held, h)
				s.held, r.held = append(s.held, heldPacket{seq: h.seq, time: 1e6}), append(r.held, heldPacket{seq: h.seq, time: 3e6, from: h.from})
			}
		}
		at, ok := l.placeByTimes()
		assert.Check(t, ok == c.ok && (!ok || at == c.at) && l.pair.lead == c.lead, "%s: %v, %t, lead %d; want %v, %t, %d", name, at, ok, l.pair.lead, c.at, c.ok, c.lead)
	}
}

// TestPlaceByHandshake: the SYN/ACK comes late at the initiator, the third packet at its peer. Handshakes are SYN, SYN/ACK and third
// packet.
func TestPlaceByHandshake(t *testing.T) {
	early, late := [3]int64{1, 2, 20}, [3]int64{1, 20, 21} // as the peer and as the initiator see it
	for name, c := range map[string]struct {
		s, r      [3]int64
		initiator conn.Side
		at        End
		ok        bool
	}{
		"A opens, the sender's capture at A":   {late, early, conn.A, AtSender, true},
		"A opens, the receiver's capture at A": {early, late, conn.A, AtReceiver, true},
		"B opens, the sender's capture at B":   {late, early, conn.B, AtReceiver, true},
		"B opens, the receiver's capture at B": {early, late, conn.B, AtSender, true},
		"both late":                            {late, [3]int64{1, 30, 31}, conn.A, 0, false},
		"both early":                           {early, early, conn.A, 0, false},
		"equal halves":                         {[3]int64{1, 2, 3}, early, conn.A, 0, false},
		"no SYN":                               {[3]int64{0, 20, 21}, early, conn.A, 0, false},
		"no SYN/ACK":                           {late, [3]int64{1, 0, 20}, conn.A, 0, false},
	} {
		l, s, r := newPlaceLink()
		s.sub.SYN, s.sub.SYNACK, s.sub.ThirdACK = c.s[0], c.s[1], c.s[2]
		r.sub.SYN, r.sub.SYNACK, r.sub.ThirdACK = c.r[0], c.r[1], c.r[2]
		s.sub.Initiator = c.initiator
		at, ok := l.placeByHandshake()
		assert.Check(t, ok == c.ok && (!ok || at == c.at), "%s: %v, %t; want %v, %t", name, at, ok, c.at, c.ok)
	}
}

// TestPlaceByAddress: the address of either end is known from earlier subflows, or both are.
func TestPlaceByAddress(t *testing.T) {
	a, b := endpoint(1, 1), endpoint(2, 2)
	for name, c := range map[string]struct {
		hosts map[[16]byte]End
		at    End
		ok    bool
	}{
		"A":                   {map[[16]byte]End{a.Addr: AtReceiver}, AtReceiver, true},
		"B":                   {map[[16]byte]End{b.Addr: AtReceiver}, AtSender, true},
		"both":                {map[[16]byte]End{a.Addr: AtReceiver, b.Addr: AtSender}, AtReceiver, true},
		"both, contradicting": {map[[16]byte]End{a.Addr: AtReceiver, b.Addr: AtReceiver}, 0, false},
		"none":                {nil, 0, false},
	} {
		l, s, _ := newPlaceLink()
		l.pair.hosts, s.sub.Ends = c.hosts, [2]packet.Endpoint{a, b}
		at, ok := l.placeByAddress()
		assert.Check(t, ok == c.ok && (!ok || at == c.at), "%s: %v, %t; want %v, %t", name, at, ok, c.at, c.ok)
	}
}

// TestPlaceByVantage: a cooked capture marks the packets that its host sent. The receiver's capture may call A what the sender's calls B.
func TestPlaceByVantage(t *testing.T) {
	for _, c := range []struct {
		e       End // the capture that has the marks
		from    conn.Side
		flipped bool
		at      End // where A's capture was taken
	}{
		{AtSender, conn.A, false, AtSender},
		{AtSender, conn.B, false, AtReceiver},
		{AtSender, conn.A, true, AtSender},
		{AtReceiver, conn.A, false, AtReceiver},
		{AtReceiver, conn.B, false, AtSender},
		{AtReceiver, conn.A, true, AtSender},
		{AtReceiver, conn.B, true, AtReceiver},
	} {
		l, _, _ := newPlaceLink()
		l.Flipped = c.flipped
		_, ok := l.placeByVantage()
		assert.Check(t, !ok, "%+v: known without marks", c)
		l.ends[c.e].endConn.conn = markedConn(t, c.from)
		at, ok := l.placeByVantage()
		assert.Check(t, ok && at == c.at, "%+v: %v, %t", c, at, ok)
	}
}

// markedConn returns a connection with a packet that the capture marks as sent by its own host.
func markedConn(t *testing.T, from conn.Side) (c *conn.Conn) {
	t.Helper()
	table := conn.NewTable(conn.Options{}, opener(func(of *conn.Conn) { c = of }))
	ends := [2]packet.Endpoint{endpoint(1, 1), endpoint(2, 2)}
	for i, side := range []conn.Side{conn.A, from} {
		s := packet.Segment{Num: uint64(i + 1), Time: int64(i + 1), Src: ends[side], Dst: ends[side.Other()], Flags: packet.ACK, Seq: 1, PayloadLen: 1}
		if i > 0 {
			s.Have = packet.Outgoing
		}
		table.Segment(&s)
	}
	return c
}

// opener tells of new connections.
type opener func(*conn.Conn)

func (o opener) Open(c *conn.Conn) conn.Observer { o(c); return conn.Nop{} }

// TestPlaceWaits: without a handshake, 256 packets of both captures are waited for, or as many of one as are held, or the end. Then the
// host that sent more is that of the sender's capture.
func TestPlaceWaits(t *testing.T) {
	for _, c := range []struct {
		s, r  int
		last  bool
		bytes [2]uint32
		at    End
		ok    bool
	}{
		{256, 255, false, [2]uint32{5, 4}, AtSender, false},
		{256, 256, false, [2]uint32{5, 4}, AtSender, true},
		{0, maxHeld - 1, false, [2]uint32{5, 4}, AtSender, false},
		{0, maxHeld, false, [2]uint32{5, 4}, AtSender, true},
		{1, 1, true, [2]uint32{4, 4}, AtSender, true},
		{1, 1, true, [2]uint32{4, 5}, AtReceiver, true},
	} {
		l, s, r := newPlaceLink()
		s.held, r.held = make([]heldPacket, c.s), make([]heldPacket, c.r)
		for i := range r.held {
			r.held[i].seq = 1 // unlike those of the other capture
		}
		for side, n := range c.bytes {
			dir := s.sub.Flow.Dir(conn.Side(side))
			dir.Packet(&packet.Segment{Flags: packet.ACK, Seq: 1, PayloadLen: n}, false, new(subflow.Packet))
		}
		at, ok := l.place(c.last)
		assert.Check(t, ok == c.ok && (!ok || at == c.at), "%+v: %v, %t", c, at, ok)
	}
}

// TestJoinFlipped: whether the receiver's capture calls B what the sender's calls A: by who opened the subflow, by the
// ends, or by which initial numbers are near.
func TestJoinFlipped(t *testing.T) {
	a, b, x, y := endpoint(1, 1), endpoint(2, 2), endpoint(3, 3), endpoint(4, 4)
	for name, c := range map[string]struct {
		syn       [2]int64
		initiator [2]conn.Side
		s, r      [2]packet.Endpoint
		isn       [3]uint32 // of A in the sender's capture, of A and B in the receiver's
		want      bool
	}{
		"opened by the same":           {[2]int64{1, 1}, [2]conn.Side{conn.A, conn.A}, [2]packet.Endpoint{a, b}, [2]packet.Endpoint{b, a}, [3]uint32{}, false},
		"opened by the other":          {[2]int64{1, 1}, [2]conn.Side{conn.A, conn.B}, [2]packet.Endpoint{a, b}, [2]packet.Endpoint{a, b}, [3]uint32{}, true},
		"one SYN, the same A":          {[2]int64{1, 0}, [2]conn.Side{conn.A, conn.B}, [2]packet.Endpoint{a, b}, [2]packet.Endpoint{a, y}, [3]uint32{}, false},
		"the same B":                   {[2]int64{0, 1}, [2]conn.Side{conn.A, conn.B}, [2]packet.Endpoint{a, b}, [2]packet.Endpoint{x, b}, [3]uint32{}, false},
		"A is B":                       {[2]int64{}, [2]conn.Side{}, [2]packet.Endpoint{a, b}, [2]packet.Endpoint{x, a}, [3]uint32{}, true},
		"B is A":                       {[2]int64{}, [2]conn.Side{}, [2]packet.Endpoint{a, b}, [2]packet.Endpoint{b, y}, [3]uint32{}, true},
		"no end, near to A":            {[2]int64{}, [2]conn.Side{}, [2]packet.Endpoint{a, b}, [2]packet.Endpoint{x, y}, [3]uint32{1000, 1500, 400}, false},
		"no end, near to B":            {[2]int64{}, [2]conn.Side{}, [2]packet.Endpoint{a, b}, [2]packet.Endpoint{x, y}, [3]uint32{1000, 1500, 600}, true},
		"no end, near to B from below": {[2]int64{}, [2]conn.Side{}, [2]packet.Endpoint{a, b}, [2]packet.Endpoint{x, y}, [3]uint32{1000, 500, 1400}, true},
	} {
		l, s, r := newPlaceLink()
		s.sub.SYN, r.sub.SYN, s.sub.Initiator, r.sub.Initiator = c.syn[0], c.syn[1], c.initiator[0], c.initiator[1]
		s.sub.Ends, r.sub.Ends = c.s, c.r
		for i, sender := range []*subflow.Sender{&s.sub.Senders[conn.A], &r.sub.Senders[conn.A], &r.sub.Senders[conn.B]} {
			sender.Rebase(seqWire(int(c.isn[i])))
		}
		l.pair.join(s, r)
		assert.Check(t, s.both == r.both && s.both.Flipped == c.want, "%s: flipped %t", name, s.both.Flipped)
	}
}
