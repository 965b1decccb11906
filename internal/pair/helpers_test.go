package pair

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

const msec = time.Millisecond

// size is the payload of every data packet. mss makes that one segment: without 40 bytes of
// options (timestamps and a mapping), 1006 are left.
const (
	size = 1000
	mss  = 1046
)

// path returns the n-th path of a test; 10 ms each way.
func path(n int) tracegen.Path {
	return tracegen.Path{
		A:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n), 1}), uint16(40000+n)),
		B:   netip.MustParseAddrPort("10.9.9.9:5001"),
		ISN: [2]seq.Wire{seq.Wire(0x1000_0000 + n*77777), seq.Wire(0xfff0_0000 + n*99991)}, Nonce: [2]uint32{uint32(11 + n), uint32(22 + n)},
		ID: [2]uint8{uint8(n), 0}, MSS: mss,
	}
}

// opened returns a session with one subflow, which is open. Every packet is acknowledged.
func opened(noTimestamps bool) (*tracegen.Session, *tracegen.Subflow) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, NoTimestamps: noTimestamps})
	f := s.Subflow(path(1))
	f.Open(0)
	return s, f
}

// upload scripts a session in which A sends n packets, one each millisecond
// from 100 ms on, over one subflow.
func upload(n int) (*tracegen.Session, *tracegen.Subflow, []*tracegen.Sent) {
	s, f := opened(false)
	sent := make([]*tracegen.Sent, n)
	for i := range sent {
		sent[i] = f.Data(tracegen.A2B, 100*msec+time.Duration(i)*msec, int64(i*size), size)
	}
	return s, f, sent
}

// views are what both hosts captured; A is the sender.
type views [2][]tracegen.Packet

func capture2(s *tracegen.Session) views {
	return views{slices.Clone(s.Packets(tracegen.HostA)), slices.Clone(s.Packets(tracegen.HostB))}
}

// shift moves the times of the receiver's capture by a lead that may depend on the time
// since its first packet.
func (v *views) shift(lead func(since time.Duration) time.Duration) {
	first := v[AtReceiver][0].Time
	for i := range v[AtReceiver] {
		p := &v[AtReceiver][i]
		p.Time += int64(lead(time.Duration(p.Time - first)))
	}
}

// match gives both views to a pair.
func match(t testing.TB, v views, o Options) *Pair {
	t.Helper()
	p, finish := play(t, v, o)
	finish()
	return p
}

// play does so, and leaves the connections open until finish.
func play(t testing.TB, v views, o Options) (p *Pair, finish func()) {
	t.Helper()
	p = New(o)
	var tables [2]*conn.Table
	var decoders [2]*decode.Decoder
	for e := range tables {
		tables[e] = conn.NewTable(conn.Options{}, p.Module(End(e)))
		decoders[e] = decode.New(decode.Options{})
	}
	var at [2]int
	var seg packet.Segment
	for at[0] < len(v[0]) || at[1] < len(v[1]) {
		e := AtSender
		if at[0] == len(v[0]) || at[1] < len(v[1]) && v[1][at[1]].Time-o.RoughLead < v[0][at[0]].Time {
			e = AtReceiver
		}
		x := &v[e][at[e]]
		at[e]++
		frame, wire := x.AppendFrame(nil, tracegen.LinkRaw)
		raw := capture.Raw{Num: uint64(at[e]), Time: x.Time, WireLen: wire, Link: capture.LinkRaw, Data: frame}
		assert.Assert(t, is.Equal(decoders[e].Decode(&raw, &seg), decode.TCP), "packet %d", at[e])
		tables[e].Segment(&seg)
		if at[e] == len(v[e]) {
			p.Ended(e)
		}
	}
	return p, func() {
		for _, table := range tables {
			table.Finish()
		}
	}
}

// one returns the figures of A's data on the only subflow.
func one(t testing.TB, p *Pair) (Subflow, *SubflowDir) {
	t.Helper()
	flows, _ := p.Results()
	assert.Assert(t, len(flows) == 1, "%d TCP connections were paired, want 1", len(flows))
	return flows[0], flows[0].Dirs[conn.A]
}

// counts are the figures that a test knows exactly.
type counts struct {
	Sent, Matched, Lost, LostBytes, NotCovered, NotCaptured, Duplicated, Unsent, Reordered, Altered, Split, Merged int64
}

func (d *SubflowDir) counts() counts {
	return counts{d.Sent, d.MatchedPackets, d.Lost, d.LostBytes, d.NotCovered, d.NotCaptured, d.Duplicated, d.Unsent, d.Reordered, d.Altered, d.Split, d.Merged}
}

func seqWire(i int) seq.Wire { return seq.Wire(uint32(i)) }

// newTestLink returns a pair whose ends are known: A's capture is the
// sender's.
func newTestLink() *subflowPair {
	p := New(Options{})
	l := &subflowPair{pair: p, resolved: true, Sides: Sides{At: [2]End{AtSender, AtReceiver}}}
	for e := range l.ends {
		l.ends[e] = &endSubflow{endConn: &endConn{pair: p, capture: &p.captures[e], end: End(e)}, sub: &conn.Subflow{}}
	}
	for side := range l.dirs {
		l.dirs[side].init(l, conn.Side(side))
	}
	return l
}
