package conn

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

const (
	ms  = time.Millisecond
	a2b = tracegen.A2B
	b2a = tracegen.B2A
)

// path returns the n-th path between the hosts.
func path(n int) tracegen.Path {
	return tracegen.Path{
		A:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(n), 0, 1}), uint16(40000+n)),
		B:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(n), 0, 2}), 80),
		ISN:   [2]seq.Wire{seq.Wire(1000 * (n + 1)), seq.Wire(500000 * (n + 1))},
		Nonce: [2]uint32{uint32(11 + n), uint32(22 + n)},
		ID:    [2]uint8{uint8(n), uint8(n + 10)},
		Delay: [2]time.Duration{10 * ms, 10 * ms},
	}
}

// opened returns a session whose first subflow is open, and when it is.
func opened(cfg tracegen.Config) (*tracegen.Session, *tracegen.Subflow, time.Duration) {
	s := tracegen.NewSession(cfg)
	f := s.Subflow(path(0))
	h := f.Open(0)
	return s, f, h.Established()
}

// joined adds the n-th path, open, and returns when that is.
func joined(s *tracegen.Session, n int, at time.Duration) (*tracegen.Subflow, time.Duration) {
	f := s.Subflow(path(n))
	h := f.Open(at)
	return f, h.Established()
}

// without removes the options of an MPTCP subtype from a packet.
func without(sub mptcp.Subtype) func(*tracegen.Packet) {
	return func(p *tracegen.Packet) {
		eachOption(p.Options, func(at, n int, opt []byte) {
			if opt[0] == mptcp.Kind && mptcp.SubtypeOf(opt) == sub {
				for i := range opt {
					opt[i] = 1 // no-operation
				}
			}
		})
	}
}

// flip inverts the last bit of an option, which belongs to a key or an HMAC.
func flip(sub mptcp.Subtype) func(*tracegen.Packet) {
	return func(p *tracegen.Packet) {
		eachOption(p.Options, func(at, n int, opt []byte) {
			if opt[0] == mptcp.Kind && mptcp.SubtypeOf(opt) == sub {
				opt[n-1] ^= 1
			}
		})
	}
}

func eachOption(b []byte, f func(at, n int, opt []byte)) {
	for at := 0; at < len(b); {
		n := 1
		if b[at] > 1 {
			n = int(b[at+1])
			f(at, n, b[at:at+n])
		}
		at += n
	}
}

// segments decodes what a view saw, except for the packets left out, which are
// given by number from 1 on; those that remain keep their numbers.
func segments(t testing.TB, packets []tracegen.Packet, link tracegen.LinkType, leftOut ...int) (out []packet.Segment) {
	t.Helper()
	d := decode.New(decode.Options{KeepDuplicates: true})
	for i := range packets {
		if slices.Contains(leftOut, i+1) {
			continue
		}
		frame, wire := packets[i].AppendFrame(nil, link)
		raw := capture.Raw{Num: uint64(i + 1), Time: packets[i].Time, WireLen: wire, Link: capture.LinkType(link), Data: frame}
		var s packet.Segment
		if outcome := d.Decode(&raw, &s); outcome != decode.TCP {
			t.Fatalf("packet %d is not decoded: %v", i+1, outcome)
		}
		s.SetPayload(d.Payload(&s))
		out = append(out, s)
	}
	return out
}

// record keeps the calls of an observer of one connection.
type record struct {
	Nop
	c        *Conn
	log      []string // events: kind, subflow, packet
	details  []string
	facts    []Facts
	closed   int
	settled  [2]int64 // bytes, by sender
	mappings []Mapping
	checks   []dss.CheckResult
	pieces   []string // packet that reported them, data, packet that carried them
	late     int64    // bytes
}

func (r *record) Event(e *Event) {
	sub := -1
	if e.Sub != nil {
		sub = e.Sub.ID
	}
	r.log = append(r.log, fmt.Sprintf("%s s%d #%d", e.Kind, sub, e.Packet))
	r.details = append(r.details, e.Detail)
	r.facts = append(r.facts, e.Facts)
}

func (r *record) Packet(p *Packet) {
	if p.Mapping != nil {
		r.mappings = append(r.mappings, *p.Mapping)
	}
	for _, k := range p.Checks {
		r.checks = append(r.checks, k.Result)
	}
	for i := range p.Pieces {
		k := &p.Pieces[i]
		r.pieces = append(r.pieces, fmt.Sprintf("#%d [%d,%d) of #%d", p.Seg.Num, k.Data.Start, k.Data.End, k.Packet))
	}
	for i := range p.LateMapped {
		r.late += p.LateMapped[i].Data.Len()
	}
}

func (r *record) Settled(_ *Subflow, from Side, run []dss.Chunk) {
	for i := range run {
		r.settled[from] += run[i].Data.Len()
	}
}

func (r *record) Close(int64) { r.closed++ }

// recorder is a module that keeps a record of every connection.
type recorder struct{ conns []*record }

func (m *recorder) Open(c *Conn) Observer {
	m.conns = append(m.conns, &record{c: c})
	return m.conns[len(m.conns)-1]
}

// feed gives segments to a new table and does not finish it.
func feed(segs []packet.Segment) (*Table, *recorder) {
	r := &recorder{}
	t := NewTable(Options{}, r)
	for i := range segs {
		t.Segment(&segs[i])
	}
	return t, r
}

// analyse runs what a view saw to the end.
func analyse(t testing.TB, s *tracegen.Session, v tracegen.View, leftOut ...int) *recorder {
	t.Helper()
	table, r := feed(segments(t, s.Packets(v), tracegen.LinkRaw, leftOut...))
	table.Finish()
	for _, c := range r.conns {
		assert.Check(t, c.closed == 1, "connection %d was closed %d times", c.c.Order, c.closed)
	}
	return r
}

// only returns the single connection of a capture.
func (m *recorder) only(t testing.TB) *record {
	t.Helper()
	assert.Assert(t, len(m.conns) == 1, "%d connections, want 1", len(m.conns))
	return m.conns[0]
}

// has returns the events of the given kinds.
func (r *record) has(kinds ...EventKind) (out []string) {
	for _, e := range r.log {
		for _, k := range kinds {
			var kind string
			if _, err := fmt.Sscan(e, &kind); err == nil && kind == string(k) {
				out = append(out, e)
			}
		}
	}
	return out
}

// detail returns the text of the first event of a kind.
func (r *record) detail(kind EventKind) string {
	for i, e := range r.log {
		var k string
		if _, err := fmt.Sscan(e, &k); err == nil && k == string(kind) {
			return r.details[i]
		}
	}
	return ""
}

func (r *record) bytes() [2]int64 { return [2]int64{r.c.Spaces[A].Bytes, r.c.Spaces[B].Bytes} }

// openOf returns the connections of a table that are not finished, in the order of
// their creation.
func openOf(t *Table) []*Conn { return slices.Collect(t.open.all()) }
