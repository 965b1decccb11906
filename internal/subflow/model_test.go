package subflow

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// model is one direction kept byte by byte. It is slow and simple, so that it is easy to
// verify.
type model struct {
	una, nxt      seq.SSN
	seen, again   [modelEnd]bool // sent; sent more than once while in flight
	flying        [modelEnd]bool // sent and not acknowledged cumulatively
	sacked        [modelEnd]bool
	bytes, rexmit int64
	covered       []seq.SSN // by the latest ACK, for the first time
}

const modelEnd = 400

func (m *model) data(r seq.Range[seq.SSN]) (kinds []PartKind) {
	for p := r.Start; p < r.End; p++ {
		m.bytes++
		kind := New
		if m.seen[p] {
			kind = Retransmit
			m.rexmit++
			m.again[p] = m.flying[p]
		}
		m.seen[p] = true
		if kind == New {
			m.flying[p] = p >= m.una
		}
		kinds = append(kinds, kind)
	}
	m.nxt = max(m.nxt, r.End)
	return kinds
}

func (m *model) ack(upTo seq.SSN, block seq.Range[seq.SSN]) {
	m.covered = nil
	for ; m.una < upTo; m.una++ {
		if m.flying[m.una] && !m.sacked[m.una] {
			m.covered = append(m.covered, m.una)
		}
		m.flying[m.una] = false
	}
	for p := max(block.Start, m.una); p < block.End; p++ {
		if !m.sacked[p] {
			m.covered = append(m.covered, p)
		}
		m.sacked[p] = true
	}
}

// allSeen reports whether every byte of r was sent: a receiver reports no
// other.
func (m *model) allSeen(r seq.Range[seq.SSN]) bool {
	for p := r.Start; p < r.End; p++ {
		if !m.seen[p] {
			return false
		}
	}
	return true
}

// bytes lists the positions of ranges.
func positions(list []seq.Range[seq.SSN]) (out []seq.SSN) {
	for _, r := range list {
		for p := r.Start; p < r.End; p++ {
			out = append(out, p)
		}
	}
	return out
}

// check compares the direction with the model.
func (m *model) check(t *testing.T, snd *Sender) {
	t.Helper()
	want(t, "una, nxt", [2]seq.SSN{snd.sndUna, snd.sndNxt}, [2]seq.SSN{m.una, m.nxt})
	want(t, "bytes, repeated bytes", [2]int64{snd.Bytes, snd.RexmitBytes}, [2]int64{m.bytes, m.rexmit})
	var flying, again, sackedNow [modelEnd]bool
	for _, f := range snd.flying() {
		for p := f.Start; p < f.End; p++ {
			flying[p] = true
			again[p] = f.marks&rexmitted != 0
			sackedNow[p] = f.marks&sacked != 0
		}
	}
	for p := range seq.SSN(modelEnd) {
		assert.Assert(t, flying[p] == m.flying[p], "byte %d in flight: %t, want %t", p, flying[p], m.flying[p])
		if flying[p] && (again[p] != m.again[p] || sackedNow[p] != m.sacked[p]) {
			t.Fatalf("byte %d repeated %t, SACKed %t; want %t, %t", p, again[p], sackedNow[p], m.again[p], m.sacked[p])
		}
	}
	for x := range snd.holes.list.All() {
		for p := x.Start; p < x.End; p++ {
			assert.Assert(t, !m.seen[p], "byte %d lies in a hole and was seen", p)
		}
	}
}

// Random packets and acknowledgments against the model.
func TestAgainstModel(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := opened(t)
		p.isn = [2]seq.Wire{1000, 700_000}
		m := &model{una: 1, nxt: 1}
		for step := range 150 {
			at := float64(step) / 1000
			if r.IntN(3) > 0 {
				start := seq.SSN(1 + r.IntN(min(modelEnd-41, int(m.nxt)+10)))
				run := span(start, start+seq.SSN(1+r.IntN(40)))
				kinds := m.data(run)
				p.data(at, run.Start, uint32(run.Len()))
				var got []PartKind
				for _, part := range parts(&p.last.Sent) {
					for range part.Len() {
						got = append(got, part.Kind)
					}
				}
				want(t, "kinds", got, kinds)
			} else {
				upTo := m.una + seq.SSN(r.IntN(int(m.nxt-m.una)/3+1))
				var list []seq.SSN
				block := seq.Range[seq.SSN]{}
				if lo := upTo + 1 + seq.SSN(r.IntN(20)); lo < m.nxt {
					if x := span(lo, min(m.nxt, lo+seq.SSN(1+r.IntN(60)))); m.allSeen(x) {
						block, list = x, []seq.SSN{x.Start, x.End}
					}
				}
				m.ack(upTo, block)
				p.acks(at, upTo, blocks(list...))
				want(t, "covered", positions(p.last.Ack.NewlyAcked), m.covered)
			}
			m.check(t, p.a())
			assert.Assert(t, !t.Failed(), "seed %d, step %d", seed, step)
		}
	}
}

// However a stream is segmented, reordered and duplicated, it has the same bytes.
func TestAnySegmentation(t *testing.T) {
	const length = 5000
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		var list []seq.Range[seq.SSN]
		for at := seq.SSN(1); at <= length; {
			run := span(at, min(length+1, at+seq.SSN(1+r.IntN(300))))
			for range 1 + r.IntN(2) {
				list = append(list, run)
			}
			at = run.End
		}
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		p := opened(t)
		sum := int64(0)
		for i, run := range list {
			p.data(float64(i), run.Start, uint32(run.Len()))
			sum += run.Len()
		}
		a := p.a()
		want(t, "end", a.SndNxt(), length+1)
		want(t, "bytes", a.Bytes, sum)
		want(t, "bytes seen first", a.Bytes-a.RexmitBytes, length)
		want(t, "holes", a.holes.list.Len(), 0)
		p.acks(1e6, length+1)
		want(t, "covered", ranges(p.last.Ack.NewlyAcked), []seq.Range[seq.SSN]{span(1, length+1)})
		want(t, "unresolved", a.UnresolvedSegments(), 0)
	}
}

// invariants checks what must hold after any packet.
func (f *Flow) invariants(t *testing.T, s *packet.Segment, p *Packet) {
	t.Helper()
	for side := range f.Senders {
		f.Senders[side].invariants(t)
	}
	at := p.Sent.Range.Start
	for _, part := range p.Sent.Parts {
		assert.Assert(t, part.Start == at && !part.Empty(), "part %v of %v does not begin at %d", part, p.Sent.Range, at)
		at = part.End
	}
	if len(p.Sent.Parts) > 0 && (at != p.Sent.Range.End || p.Sent.Range.Len() != int64(s.PayloadLen)) {
		t.Fatalf("parts end at %d: range %v, payload %d", at, p.Sent.Range, s.PayloadLen)
	}
	ascending(t, "covered", p.Ack.NewlyAcked)
}

func ascending(t *testing.T, what string, list []seq.Range[seq.SSN]) {
	t.Helper()
	for i, r := range list {
		assert.Assert(t, !r.Empty() && (i <= 0 || list[i-1].End <= r.Start), "%s: %v", what, list)
	}
}

func (snd *Sender) invariants(t *testing.T) {
	t.Helper()
	assert.Assert(t, snd.sndUna <= snd.sndNxt, "una %d > nxt %d", snd.sndUna, snd.sndNxt)
	var flying, hollow []seq.Range[seq.SSN]
	for _, f := range snd.flying() {
		flying = append(flying, f.Range)
	}
	for x := range snd.holes.list.All() {
		hollow = append(hollow, x.Range)
	}
	ascending(t, "in flight", flying)
	ascending(t, "holes", hollow)
	if n := len(flying); n > 0 && (flying[0].Start < snd.sndUna || flying[n-1].End > snd.sndNxt) {
		t.Fatalf("in flight %v outside %d to %d", flying, snd.sndUna, snd.sndNxt)
	}
	if n := len(hollow); n > 0 && hollow[n-1].End > snd.sndNxt {
		t.Fatalf("holes %v above %d", hollow, snd.sndNxt)
	}
	if n := snd.sacked.Len(); n > 0 && (snd.sacked.First().Start < snd.sndUna || snd.sacked.Ranges()[n-1].End > snd.sndNxt) {
		t.Fatalf("SACKed %v outside %d to %d", snd.sacked.Ranges(), snd.sndUna, snd.sndNxt)
	}
	l, c := &snd.Loss, &snd.Counters
	if len(flying) > maxRtxQueue || len(hollow) > maxHoles || snd.sacked.Len() > maxSACKed || len(l.rexmits) > maxRexmits ||
		len(snd.timestamps.buf)-snd.timestamps.head > maxTimestamps || int(l.ackedRexmits) > len(l.rexmits) {
		t.Fatal("a bound is passed")
	}
	if l.ByCause[FastRetransmit]+l.ByCause[Timeout]+l.ByCause[TailLossProbe]+l.ByCause[UnknownCause] != c.RexmitSegments+c.HoleFills {
		t.Fatalf("causes %v of %d retransmitted segments and %d hole fills", l.ByCause, c.RexmitSegments, c.HoleFills)
	}
	if c.RexmitSegments > c.Segments || c.RexmitBytes > c.Bytes || c.CapturedSegments > c.Packets || c.CapturedSegments > c.Segments {
		t.Fatalf("counters contradict each other: %+v", *c)
	}
	for i, n := range []int64{
		c.Packets, c.Segments, c.Bytes, c.RexmitSegments, c.RexmitBytes, c.OutOfOrder, c.HoleFills, c.PureACKs, c.DupACKs,
		c.SACKBlocks, c.DSACKBlocks, c.ZeroWindows, c.KeepAlives, c.Strays, c.MaxIdle, l.Spurious, l.DSACKed, l.NetDuplicate,
		snd.LostSegments(), snd.UnresolvedSegments(), snd.InFlight(), snd.RTT.Samples,
	} {
		assert.Assert(t, n >= 0, "counter %d is %d", i, n)
	}
}
