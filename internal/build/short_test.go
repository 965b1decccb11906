package build

import (
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

const msec = time.Millisecond

// pathOf returns the i-th path between the hosts.
func pathOf(i int) tracegen.Path {
	return tracegen.Path{
		A: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i), 1}), uint16(40000+i)), B: netip.MustParseAddrPort("10.0.9.1:80"),
		Nonce: [2]uint32{uint32(i), 7}, ID: [2]uint8{uint8(i), uint8(i)},
	}
}

// oneSubflow returns a session and its only subflow.
func oneSubflow(c tracegen.Config) (*tracegen.Session, *tracegen.Subflow) {
	s := tracegen.NewSession(c)
	return s, s.Subflow(pathOf(0))
}

// reports returns what a builder makes of what host A saw of a session.
func reports(t *testing.T, b *Builder, s *tracegen.Session, missed ...int) ([]report.Connection, []report.TCP) {
	t.Helper()
	config := metrics.Config{Interval: 100 * msec}
	if b.Detail == report.Lines {
		config = metrics.Config{Lines: true}
	}
	conntest.Play(t, s, tracegen.HostA, metrics.NewCollector(config, func(m *metrics.Connection) {
		assert.Check(t, b.Add(m))
	}), missed...)
	return b.Lists()
}

// few plays n packets with 100 bytes each on a subflow whose handshake was not captured.
func few(f *tracegen.Subflow, n int) {
	f.Assume()
	for i := range n {
		f.Data(tracegen.A2B, time.Duration(i)*msec, int64(100*i), 100)
	}
}

// TestShort: a report is short if it says all that a full one would say. Each case adds to a silent plain connection,
// to two packets of one end or to nothing what alone decides.
func TestShort(t *testing.T) {
	type play = func(f *tracegen.Subflow)
	const plain, multi = false, true
	at, bare := 50*msec, func(p *tracegen.Packet) { p.Options = nil }
	silent := func(f *tracegen.Subflow) {
		f.SYN(0).Edit(bare)
		f.SYNACK(10 * msec).Edit(bare)
		f.ThirdACK(20 * msec).Edit(bare)
	}
	part := func(f *tracegen.Subflow) { few(f, 2) }
	none := func(*tracegen.Subflow) {}
	acks := func(f *tracegen.Subflow, n int) {
		for range n {
			f.Ack(tracegen.A2B, at).Edit(bare)
		}
	}
	odd := func(from tracegen.Dir, plus, past seq.Wire) play { // an acknowledgment with other numbers
		return func(f *tracegen.Subflow) {
			f.Ack(from, at).Edit(func(p *tracegen.Packet) { p.Options, p.Seq, p.Ack = nil, p.Seq+plus, p.Ack+past })
		}
	}
	gap := func(f *tracegen.Subflow) {
		x := f.Map(tracegen.A2B, 200, 200)
		x.Send(at, 100, 100)
		x.Send(at+msec, 0, 100)
	}
	addr := &mptcp.AddAddr{Version: 1, Echo: true, AddressID: 2, Addr: netip.MustParseAddr("10.0.3.1")}
	for _, c := range []struct {
		name        string
		base, then  play
		kind, short bool
	}{
		{"a SYN", none, func(f *tracegen.Subflow) { f.SYN(0).Edit(bare).Lose() }, plain, true},
		{"no data", silent, none, plain, true},
		{"three acknowledgments", silent, func(f *tracegen.Subflow) { acks(f, 2) }, plain, true},
		{"four of them", silent, func(f *tracegen.Subflow) { acks(f, 3) }, plain, false},
		{"a FIN", silent, func(f *tracegen.Subflow) { f.FIN(tracegen.A2B, at).Edit(bare) }, plain, true},
		{"a byte", silent, func(f *tracegen.Subflow) { f.Data(tracegen.A2B, at, 0, 1).Edit(bare) }, plain, false},
		{"a byte of the peer", silent, func(f *tracegen.Subflow) { f.Data(tracegen.B2A, at, 0, 1).Edit(bare) }, plain, false},
		{"a FIN that was not captured", silent, odd(tracegen.B2A, 0, 1), plain, true},
		{"a byte that was not", silent, odd(tracegen.B2A, 0, 2), plain, false},
		{"a keep-alive", silent, odd(tracegen.A2B, 1<<32-1, 0), plain, false},
		{"an option", silent, func(f *tracegen.Subflow) { f.Ack(tracegen.A2B, at) }, plain, false},
		{"the opener resets with a reason", silent, func(f *tracegen.Subflow) { f.RST(tracegen.A2B, at, &mptcp.TCPRST{Reason: 1}) }, plain, false},
		{"without one", silent, func(f *tracegen.Subflow) { f.RST(tracegen.A2B, at) }, plain, true},

		{"half open", none, func(f *tracegen.Subflow) { f.SYN(0); f.SYNACK(10 * msec) }, multi, true},
		{"open", none, func(f *tracegen.Subflow) { f.Open(0) }, multi, false},
		{"half open and reset", none, func(f *tracegen.Subflow) { f.SYN(0); f.SYNACK(10 * msec); f.RST(tracegen.B2A, at) }, multi, true},
		{"half open and fastclosed", none, func(f *tracegen.Subflow) { f.SYN(0); f.SYNACK(10 * msec); f.Fastclose(tracegen.B2A, at) }, multi, false},

		{"7 packets", part, func(f *tracegen.Subflow) { acks(f, 5) }, multi, true},
		{"8 packets", part, func(f *tracegen.Subflow) { acks(f, 6) }, multi, false},
		{"one of the peer", part, func(f *tracegen.Subflow) { f.Ack(tracegen.B2A, at) }, multi, false},
		{"a retransmission", part, func(f *tracegen.Subflow) { f.Data(tracegen.A2B, at, 200, 100).Again(at + msec) }, multi, false},
		{"a reinjection", part, func(f *tracegen.Subflow) { f.Data(tracegen.A2B, at, 0, 100) }, multi, false},
		{"a gap", part, gap, multi, false},
		{"a stray", part, odd(tracegen.A2B, 1<<31-1, 0), multi, false},
		{"a FIN of it", part, func(f *tracegen.Subflow) { f.FIN(tracegen.A2B, at) }, multi, false},
		{"a version", part, func(f *tracegen.Subflow) { f.Signal(tracegen.A2B, at, addr) }, multi, false},
		{"payload without a mapping", part, func(f *tracegen.Subflow) { f.Data(tracegen.A2B, at, 200, 100).Edit(bare) }, multi, false},
	} {
		for _, detail := range []report.Detail{report.WithData, report.Full} {
			s, f := oneSubflow(tracegen.Config{Version: 1})
			c.base(f)
			c.then(f)
			conns, tcp := reports(t, &Builder{Detail: detail}, s)
			assert.Assert(t, len(conns)+len(tcp) == 1 && (len(conns) == 1) == c.kind, "%s: %d connections, %d plain", c.name, len(conns), len(tcp))
			short := c.kind == multi && conns[0].Short || c.kind == plain && tcp[0].Short
			want := c.short && detail == report.WithData
			assert.Check(t, short == want, "%s, detail %d: short is %v", c.name, detail, short)
		}
	}
}

// TestShortFigures: what short reports have. A sends 3 packets with 100 bytes each, or on plain TCP 300
// bytes of which 100 come twice, and B answers 50.
func TestShortFigures(t *testing.T) {
	s, f := oneSubflow(tracegen.Config{Version: 1})
	few(f, 3)
	f.Ack(tracegen.A2B, 50*msec)
	conns, _ := reports(t, &Builder{Detail: report.WithData}, s)
	c := &conns[0]
	d := c.Subflows[0].A2B
	assert.Check(t, *c.A2B.Bytes == 300 && c.A2B.Segments == 3 && c.PacketsOnly() == 3+1, "of one end: %+v", c.A2B)
	assert.Check(t, d.Segments == 3 && d.CapturedSegments == 3 && d.PureAcks == 1 && *d.Bytes == 300 && *d.BytesUnique == 300, "the subflow of one end: %+v", d)
	assert.Check(t, c.B2A == &noConnFigures && c.Subflows[0].B2A == &noFigures && *noFigures.Bytes == 0 && *noConnFigures.Bytes == 0,
		"of the other end: %+v, %+v", c.B2A, c.Subflows[0].B2A)
	plain := func(detail report.Detail) *report.TCP {
		s, f := oneSubflow(tracegen.Config{Plain: true})
		f.Open(0)
		f.Data(tracegen.A2B, 100*msec, 0, 200)
		f.Data(tracegen.A2B, 101*msec, 200, 100).Again(160 * msec)
		f.Data(tracegen.B2A, 150*msec, 0, 50)
		f.Data(tracegen.B2A, 150*msec+time.Second, 50, 50)
		_, tcp := reports(t, &Builder{Detail: detail}, s)
		return &tcp[0]
	}
	p := plain(report.Summary)
	assert.Check(t, p.Short && *p.A2B.Bytes == 400 && *p.A2B.BytesUnique == 300 && p.A2B.RetransmittedBytes == 100 && p.A2B.Segments == 0, "plain: %+v", p.A2B)
	assert.Check(t, *p.B2A.Bytes == 100 && *p.B2A.BytesUnique == 100 && p.B2A.Segments == 0, "plain: %+v", p.B2A)
	full := plain(report.Full)
	assert.Check(t, !full.Short && full.A2B.Segments == 3, "plain, in full: %+v", full.A2B)
}

// TestLines: a line has the data of a direction and its average rate: 200 bytes twice within 100 ms are
// 0.032 Mbit/s of payload, and 200 of data in no time have no rate.
func TestLines(t *testing.T) {
	s, f := oneSubflow(tracegen.Config{Version: 1})
	f.Open(0)
	f.Data(tracegen.A2B, 100*msec, 0, 200)
	f.Data(tracegen.A2B, 200*msec, 200, 200)
	f.Data(tracegen.B2A, 100*msec, 0, 50)
	conns, _ := reports(t, &Builder{Detail: report.Lines}, s)
	c := &conns[0]
	assert.Check(t, !c.Short && *c.A2B.Bytes == 400 && c.A2B.Goodput != nil && c.A2B.Goodput.Avg == 0.032 && c.Subflows[0].A2B == &noFigures, "%+v", c.A2B)
	assert.Check(t, *c.B2A.Bytes == 50 && c.B2A.Goodput == nil, "%+v", c.B2A)
	s, f = oneSubflow(tracegen.Config{Plain: true})
	f.Open(0)
	f.Data(tracegen.A2B, 100*msec, 0, 200).Again(200 * msec)
	_, tcp := reports(t, &Builder{Detail: report.Lines}, s)
	a := tcp[0].A2B
	assert.Check(t, a.Throughput != nil && a.Throughput.Avg == 0.032 && *a.BytesUnique == 200 && *a.Bytes == 400 && tcp[0].B2A == &noFigures, "plain: %+v", a)
}

// TestOneSided: the report that is made of a few packets' numbers is the one that is made of the packets.
func TestOneSided(t *testing.T) {
	s, f := oneSubflow(tracegen.Config{Version: 1})
	few(f, 3)
	f.Ack(tracegen.A2B, 50*msec)
	want, _ := reports(t, &Builder{Detail: report.WithData}, s)
	b := &Builder{Into: report.NewStored(0), Detail: report.WithData}
	defer b.Into.Close()
	sub := &want[0].Subflows[0]
	assert.NilError(t, b.OneSided(&conn.OneSided{ID: 3, Segments: 5, Bytes: 700}))
	assert.NilError(t, b.OneSided(&conn.OneSided{ID: 8, Order: 9, Segments: 3, PureACKs: 1, Bytes: 300}))
	b.Into.Finish(&report.Document{})
	doc, err := b.Into.Document()
	assert.NilError(t, err)
	first, c := &doc.Connections[0], &doc.Connections[1]
	d := c.Subflows[0].A2B
	assert.Check(t, c.Short && c.ID == 8 && c.Verdicts != nil && *c.A2B.Bytes == 300 && c.A2B.Segments == 3, "%+v", c)
	assert.Check(t, d.CapturedSegments == sub.A2B.CapturedSegments && d.PureAcks == 1 && *d.BytesUnique == 300, "%+v", d)
	assert.Check(t, first.ID == 3 && *first.A2B.Bytes == 700 && first.PacketsOnly() == 5, "the first: %+v", first)
}
