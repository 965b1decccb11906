package subflow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// The flags of the packets in these tests.
const (
	syn    = packet.SYN
	synAck = packet.SYN | packet.ACK
	ack    = packet.ACK
	fin    = packet.FIN | packet.ACK
	rst    = packet.RST
)

// ms is a millisecond.
const ms = int64(1e6)

// epoch is the time at which every script begins. It is not zero, because zero means "none"
// to the tracker.
const epoch = int64(1e18)

// play is a flow and the packets of a script, given by positions in place of sequence
// numbers.
type play struct {
	t   *testing.T
	isn [2]seq.Wire
	Flow
	last Packet
}

// option changes a packet that is about to be given.
type option func(*play, Side, *packet.Segment)

func ts(val, ecr uint32) option {
	return func(_ *play, _ Side, s *packet.Segment) {
		s.TSVal, s.TSEcr = val, ecr
		s.Have |= packet.HasTimestamps
	}
}

// blocks are SACK blocks, as pairs of positions of the other direction.
func blocks(at ...seq.SSN) option {
	return func(p *play, from Side, s *packet.Segment) {
		for i := 0; i < len(at); i += 2 {
			isn := p.isn[from.Other()]
			s.SACK[s.NSACK] = packet.SACKBlock{Left: isn + seq.Wire(at[i]), Right: isn + seq.Wire(at[i+1])}
			s.NSACK++
		}
	}
}

func window(n uint16) option { return func(_ *play, _ Side, s *packet.Segment) { s.Window = n } }

func optLen(n uint8) option { return func(_ *play, _ Side, s *packet.Segment) { s.OptLen = n } }

func offers(mss uint16) option {
	return func(_ *play, _ Side, s *packet.Segment) {
		s.MSS, s.WScale = mss, 7
		s.Have |= packet.HasMSS | packet.HasWScale | packet.HasSACKPermitted
	}
}

// newPlay returns a flow opened by A, before its first packet.
func newPlay(t *testing.T) *play { return &play{t: t, isn: [2]seq.Wire{1000, 700_000}} }

// give passes a packet of n bytes at position start that acknowledges everything below
// position upTo; at is its time in ms.
func (p *play) give(at float64, from Side, flags packet.Flags, start, upTo seq.SSN, n uint32, opts ...option) *Packet {
	s := packet.Segment{
		Time: epoch + int64(at*float64(ms)), Flags: flags, Window: 500, PayloadLen: n,
		Seq: p.isn[from] + seq.Wire(start),
	}
	if flags.Has(ack) {
		s.Ack = p.isn[from.Other()] + seq.Wire(upTo)
	}
	for _, o := range opts {
		o(p, from, &s)
	}
	p.Flow.packet(&s, from, false, &p.last)
	return &p.last
}

// packet passes a packet of end from to its direction, and reports whether it took the fast
// path.
func (f *Flow) packet(s *packet.Segment, from Side, news bool, p *Packet) (fast bool) {
	d := f.Dir(from)
	fast = d.onFastPath(s)
	d.Packet(s, news, p)
	return fast
}

func (d *SubflowDir) onFastPath(s *packet.Segment) bool {
	return d.flow.FastPathOK() && s.Have&packet.OptionsCut == 0 && d.IsExpected(s)
}

// opened returns a flow after a handshake at A: the round trip is 40 ms, and a segment is
// 1000 bytes in both directions.
func opened(t *testing.T, opts ...option) *play {
	p := newPlay(t)
	p.give(-40, A, syn, 0, 0, 0, append([]option{offers(1000)}, opts...)...)
	p.give(0, B, synAck, 0, 1, 0, append([]option{offers(1000)}, opts...)...)
	p.give(0, A, ack, 1, 1, 0, opts...)
	return p
}

// data gives a packet of A with n bytes at position start.
func (p *play) data(at float64, start seq.SSN, n uint32, opts ...option) *Packet {
	return p.give(at, A, ack, start, 1, n, opts...)
}

// acks gives a pure ACK of B.
func (p *play) acks(at float64, upTo seq.SSN, opts ...option) *Packet {
	return p.give(at, B, ack, 1, upTo, 0, opts...)
}

// a returns the direction from A, which most scripts test.
func (p *play) a() *Sender { return &p.Senders[A] }

// want compares two values; what names them in the message.
func want[T any](t *testing.T, what string, got, wanted T) {
	t.Helper()
	if d := cmp.Diff(wanted, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func span(start, end seq.SSN) seq.Range[seq.SSN] { return seq.Range[seq.SSN]{Start: start, End: end} }

// ranges copies ranges that are valid only until the next packet.
func ranges(r []seq.Range[seq.SSN]) []seq.Range[seq.SSN] {
	return append([]seq.Range[seq.SSN]{}, r...)
}

// parts copies the parts of a packet's payload; a packet that continues the stream has
// none.
func parts(o *Sent) []Part {
	if len(o.Parts) == 0 && !o.Range.Empty() {
		return []Part{{o.Range, New}}
	}
	return append([]Part{}, o.Parts...)
}

// flying returns the segments in flight.
func (snd *Sender) flying() (pieces []rtxEntry) {
	for f := range snd.rtxQueue.list.All() {
		pieces = append(pieces, *f)
	}
	return pieces
}
