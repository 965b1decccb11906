package pair

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// endpoint returns an end 10.0.0.host:port.
func endpoint(host byte, port uint16) packet.Endpoint {
	return packet.Endpoint{Addr: [16]byte{12: 10, 15: host}, Port: port}
}

// TestKeysOf: the keys of a subflow, the most reliable ones first, and what each needs.
func TestKeysOf(t *testing.T) {
	tuple := key{kind: keyTuple, src: endpoint(1, 9), dst: endpoint(1, 10)}
	isns := key{kind: keyISNs, a: 100, b: 200}
	initial := []key{{kind: keyToken, a: 5}, {kind: keyToken, b: 6}}
	syn := func(f *endSubflow, from conn.Side, isn uint32, flags packet.Flags) {
		dir := f.sub.Flow.Dir(from)
		dir.Packet(&packet.Segment{Flags: flags, Seq: seqWire(int(isn))}, false, new(subflow.Packet))
	}
	for name, c := range map[string]struct {
		change func(f *endSubflow)
		want   []key
	}{
		"all of the initial subflow": {func(f *endSubflow) { syn(f, conn.A, 100, packet.SYN); syn(f, conn.B, 200, packet.SYN|packet.ACK) }, []key{isns, initial[0], initial[1], tuple}},
		"opened by B": {func(f *endSubflow) {
			f.sub.Initiator = conn.B
			syn(f, conn.B, 100, packet.SYN)
			syn(f, conn.A, 200, packet.SYN|packet.ACK)
		}, []key{isns, initial[0], initial[1], tuple}},
		"one SYN":      {func(f *endSubflow) { syn(f, conn.A, 100, packet.SYN) }, []key{initial[0], initial[1], tuple}},
		"token of A":   {func(f *endSubflow) { f.conn.Hosts[conn.B].HasToken = false }, []key{initial[0], tuple}},
		"token of B":   {func(f *endSubflow) { f.conn.Hosts[conn.A].HasToken = false }, []key{initial[1], tuple}},
		"joined":       {func(f *endSubflow) { f.sub.Joined, f.nonces = true, [2]uint32{7, 8} }, []key{{kind: keyNonces, a: 7, b: 8}, tuple}},
		"a second one": {func(f *endSubflow) { f.sub.ID, f.nonces = 1, [2]uint32{7, 0} }, []key{tuple}},
		"one nonce":    {func(f *endSubflow) { f.sub.Joined, f.nonces = true, [2]uint32{0, 8} }, []key{tuple}},
		"the ends the other way": {func(f *endSubflow) {
			f.sub.Joined, f.sub.Ends = true, [2]packet.Endpoint{endpoint(1, 10), endpoint(1, 9)}
		}, []key{tuple}},
		"another host": {
			func(f *endSubflow) {
				f.sub.Joined, f.sub.Ends = true, [2]packet.Endpoint{endpoint(2, 1), endpoint(1, 10)}
			},
			[]key{{kind: keyTuple, src: endpoint(1, 10), dst: endpoint(2, 1)}},
		},
	} {
		f := &endSubflow{endConn: &endConn{conn: &conn.Conn{Hosts: [2]conn.Host{{HasToken: true, Token: 5}, {HasToken: true, Token: 6}}}}, sub: &conn.Subflow{}}
		f.sub.Ends = [2]packet.Endpoint{endpoint(1, 9), endpoint(1, 10)}
		c.change(f)
		assert.Check(t, is.DeepEqual(f.keysOf(nil), c.want, cmp.AllowUnexported(key{})), "%s", name)
	}
}

// TestOverlap: subflows with the same ends are the same unless more than 5 s lie between them. The receiver's clock is 100 s ahead.
func TestOverlap(t *testing.T) {
	const s = 1e9
	for _, c := range []struct {
		sender, receiver [2]int64 // start and latest packet
		want             bool
	}{
		{[2]int64{10 * s, 20 * s}, [2]int64{112 * s, 118 * s}, true},
		{[2]int64{10 * s, 20 * s}, [2]int64{125 * s, 130 * s}, true},
		{[2]int64{10 * s, 20 * s}, [2]int64{125*s + 1, 130 * s}, false},
		{[2]int64{30 * s, 40 * s}, [2]int64{115 * s, 125 * s}, true},
		{[2]int64{30 * s, 40 * s}, [2]int64{115 * s, 125*s - 1}, false},
	} {
		p := New(Options{RoughLead: 100 * s})
		var both [2]*endSubflow
		for e, times := range [2][2]int64{c.sender, c.receiver} {
			sub := &conn.Subflow{Start: times[0]}
			dir := sub.Flow.Dir(conn.A)
			dir.Packet(&packet.Segment{Time: times[1]}, false, new(subflow.Packet))
			both[e] = &endSubflow{endConn: &endConn{end: End(e)}, sub: sub}
		}
		assert.Check(t, is.Equal([2]bool{p.overlap(both[0], both[1]), p.overlap(both[1], both[0])}, [2]bool{c.want, c.want}), "%v and %v", c.sender, c.receiver)
	}
}

// TestWhenLookedUp: a counterpart is looked for when the handshake is over, else after 8, 16, 32 packets and so on; by an
// equal packet, which only one with payload can be, from 16 on.
func TestWhenLookedUp(t *testing.T) {
	for _, c := range []struct {
		held    int
		whole   bool
		length  uint32
		entered bool
		joined  bool
	}{{1, true, 0, true, false}, {7, false, 5, false, false}, {8, false, 5, true, false}, {15, false, 5, false, false}, {16, false, 5, true, true}, {16, false, 0, true, false}, {24, false, 5, false, false}, {32, false, 5, true, true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			p := New(Options{})
			var both [2]*endSubflow
			for e := range both {
				sub := &conn.Subflow{Joined: true}
				sub.Ends = [2]packet.Endpoint{endpoint(byte(1+e), 1), endpoint(byte(3+e), 2)} // translated
				both[e] = &endSubflow{endConn: &endConn{pair: p, end: End(e), capture: &p.captures[e], conn: &conn.Conn{}}, sub: sub}
				both[e].held = make([]heldPacket, c.held)
				both[e].held[0] = heldPacket{seq: 9, length: c.length}
			}
			p.lookUp(both[1])
			f := both[0]
			if c.whole {
				f.sub.SYN, f.sub.SYNACK, f.sub.ThirdACK = 1, 2, 3
			}
			p.findCounterpart(f, &packet.Segment{Flags: packet.ACK})
			assert.Check(t, f.both != nil == c.joined && (c.joined || len(f.keys) > 0 == c.entered), "joined %t, entered under %d keys", f.both != nil, len(f.keys))
		})
	}
}

// TestNonces: those of the SYN and of the SYN/ACK of a join.
func TestNonces(t *testing.T) {
	var f endSubflow
	for i, form := range []mptcp.JoinForm{mptcp.JoinSYN, mptcp.JoinSYNACK} {
		s := packet.Segment{Flags: packet.SYN}
		option := (&mptcp.Join{Form: form, Nonce: uint32(11 * (i + 1))}).Append(nil)
		s.OtherLen = uint8(copy(s.Other[:], option))
		f.noteNonces(&s)
	}
	assert.Check(t, f.nonces == [2]uint32{11, 22}, "nonces %v, want 11 and 22", f.nonces)
}

// TestUnpaired: closed subflows without a counterpart wait, and the oldest of more than maxClosed are given up. All count, unless
// a counterpart was found meanwhile.
func TestUnpaired(t *testing.T) {
	p := New(Options{})
	list := make([]*endSubflow, maxClosed+2)
	for i := range list {
		list[i] = &endSubflow{endConn: &endConn{pair: p, end: AtReceiver}, held: make([]heldPacket, 1)}
		p.captures[AtReceiver].index.add(key{a: uint32(i)}, list[i])
		p.keepClosed(list[i])
	}
	assert.Check(t, is.Equal(p.Unpaired(), [2]int64{0, maxClosed + 2}), "subflows without a counterpart")
	x := &p.captures[AtReceiver].index
	assert.Check(t, len(x.closed) == maxClosed && len(x.byKey) == maxClosed && list[1].held == nil && list[2].held != nil, "%d wait under %d keys", len(x.closed), len(x.byKey))
	list[5].both = new(subflowPair)
	n := p.Unpaired()
	assert.Check(t, n[AtReceiver] == maxClosed+1, "%d without a counterpart after one was found, want %d", n[AtReceiver], maxClosed+1)
}

// TestPaired: an open connection is in both captures, or in none if the other capture does
// not have it.
func TestPaired(t *testing.T) {
	s, _, _ := upload(20)
	v := capture2(s)
	p, finish := play(t, v, Options{})
	asked := 0
	for c, w := range p.open {
		asked++
		assert.Check(t, p.Paired(c), "capture %d: the connection is not paired", w.end)
	}
	finish()
	assert.Check(t, asked == 2 && len(p.open) == 0, "%d connections were open, then %d; want 2, then none", asked, len(p.open))

	v[AtReceiver] = nil
	p, finish = play(t, v, Options{})
	for c := range p.open {
		assert.Check(t, !p.Paired(c), "a connection of one capture is in the other one")
	}
	finish()
}
