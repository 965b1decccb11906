package subflow

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

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
	news bool // whether the packet has a DATA_ACK that moves
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
	p.Flow.packet(&s, from, p.news, &p.last)
	p.news = false
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

// run gives the packets of a script, apart by semicolons: the time in ms, and
//
//	data START+BYTES                  a packet of A, which acknowledges the SYN of B
//	fin START+BYTES                   the same with a FIN
//	ack UPTO                          a pure ACK of B
//	segments N                        N segments of 1000 bytes of A, from position 1 on, one each millisecond
//	A|B FLAGS START UPTO BYTES        any packet
//
// followed by options: sack LEFT-RIGHT,LEFT-RIGHT..., ts VALUE,ECHO, window N, optlen N, mss N, ipid N, other BYTES
// of other options, news for a DATA_ACK that moves, or cut for options that were not captured. "opened", without a time, is the handshake of the function opened. A name of
// figures and a value say what is right after the packet before.
func (p *play) run(script string) {
	p.t.Helper()
	for line := range strings.SplitSeq(script, ";") {
		line = strings.TrimSpace(line)
		name, value, _ := strings.Cut(line, " ")
		if of, ok := figures[name]; ok {
			assert.Check(p.t, is.Equal(fmt.Sprint(of(p)), value), "%s, in %q", name, script)
		} else if name == "opened" {
			p.open(p.options(strings.Fields(value))...)
		} else if line != "" {
			p.packets(line)
		}
	}
}

// packets gives the packets of a line of a script.
func (p *play) packets(line string) {
	var at float64
	var kind string
	p.scan(line, &at, &kind)
	f := strings.Fields(line)
	switch kind {
	case "segments":
		var n int
		p.scan(f[2], &n)
		for i := range n {
			p.data(at+float64(i), seq.SSN(1+1000*i), 1000)
		}
	case "data", "fin":
		var start seq.SSN
		var n uint32
		p.scan(strings.Replace(f[2], "+", " ", 1), &start, &n)
		p.give(at, A, map[string]packet.Flags{"data": ack, "fin": fin}[kind], start, 1, n, p.options(f[3:])...)
	case "ack":
		var upTo seq.SSN
		p.scan(f[2], &upTo)
		p.acks(at, upTo, p.options(f[3:])...)
	default:
		var start, upTo seq.SSN
		var n uint32
		p.scan(strings.Join(f[3:6], " "), &start, &upTo, &n)
		flags := map[string]packet.Flags{"syn": syn, "synAck": synAck, "ack": ack, "fin": fin, "rst": rst, "rst|ack": rst | ack}[f[2]]
		p.give(at, map[string]Side{"A": A, "B": B}[kind], flags, start, upTo, n, p.options(f[6:])...)
	}
}

// figures are what a script can say of the flow and of its last packet. Those of a direction are of A,
// unless the name begins with b.
var figures = map[string]func(p *play) any{
	"sample": func(p *play) any {
		a := p.last.Ack
		if !a.New || a.Source == NoSample && a.NewestRTT == 0 {
			return "none"
		}
		source := [...]string{NoSample: "newest", Cumulative: "cumulative", Selective: "selective", Timestamp: "timestamp"}[a.Source]
		return fmt.Sprint(source, " ", float64(a.RTT)/1e6, " ", float64(a.NewestRTT)/1e6)
	},
	"covered": func(p *play) any { return spans(p.last.Ack.NewlyAcked) },
	"sacked":  func(p *play) any { return spans(p.a().sacked.Ranges()) },
	"holes":   func(p *play) any { return p.a().holes.list.Len() },
	"parts": func(p *play) any {
		var all []string
		for _, part := range parts(&p.last.Sent) {
			all = append(all, map[bool]string{true: "again ", false: "new "}[part.Kind == Retransmit]+spans([]seq.Range[seq.SSN]{part.Range}))
		}
		return strings.Join(all, ", ")
	},
	"range":        func(p *play) any { return spans([]seq.Range[seq.SSN]{p.last.Sent.Range}) },
	"stray":        func(p *play) any { return p.last.Sent.Stray },
	"una":          func(p *play) any { return p.a().SndUna() },
	"nxt":          func(p *play) any { return p.a().SndNxt() },
	"inflight":     func(p *play) any { return p.a().InFlight() },
	"unresolved":   func(p *play) any { return p.a().UnresolvedSegments() },
	"samples":      func(p *play) any { return p.a().RTT.Samples },
	"bytes":        func(p *play) any { return p.a().Bytes },
	"segments":     func(p *play) any { return p.a().Segments },
	"again":        func(p *play) any { return fmt.Sprint(p.a().RexmitSegments, p.a().RexmitBytes) },
	"disordered":   func(p *play) any { return p.a().OutOfOrder },
	"fills":        func(p *play) any { return p.a().HoleFills },
	"patience":     func(p *play) any { return p.reorderWait() / ms },
	"probes":       func(p *play) any { return p.a().KeepAlives },
	"resets":       func(p *play) any { return p.a().Resets },
	"dsacks":       func(p *play) any { return p.a().DSACKBlocks },
	"vain":         func(p *play) any { return p.a().Loss.DSACKed },
	"unproven":     func(p *play) any { return p.a().UnprovenSegments() },
	"doubled":      func(p *play) any { return p.a().Loss.NetDuplicate },
	"bdups":        func(p *play) any { return p.Senders[B].DupACKs },
	"bzerowindows": func(p *play) any { return p.Senders[B].ZeroWindows },
	"halves": func(p *play) any {
		toSYN, toACK, ok := p.HandshakeHalves()
		if !ok {
			return "none"
		}
		return fmt.Sprint(float64(toSYN)/1e6, float64(toACK)/1e6)
	},
	"origin": func(p *play) any {
		_, fromSYN := p.a().ISN()
		return fromSYN
	},
	"fin": func(p *play) any {
		at, ok := p.a().FIN()
		return fmt.Sprint(at, ok, p.last.Sent.NewFIN, p.a().FINAcked())
	},
}

// spans is the text of ranges in scripts.
func spans(ranges []seq.Range[seq.SSN]) string {
	var all []string
	for _, r := range ranges {
		all = append(all, fmt.Sprintf("%d-%d", r.Start, r.End))
	}
	return strings.Join(all, ",")
}

// scripts runs scripts, each with its name before it.
func scripts(t *testing.T, rows [][2]string) {
	t.Helper()
	for _, row := range rows {
		t.Run(row[0], func(t *testing.T) { newPlay(t).run(row[1]) })
	}
}

func (p *play) scan(text string, to ...any) {
	p.t.Helper()
	if _, err := fmt.Sscan(text, to...); err != nil {
		p.t.Fatalf("%q: %v", text, err)
	}
}

// options returns the options of a packet of a script.
func (p *play) options(words []string) (all []option) {
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "cut":
			all = append(all, func(_ *play, _ Side, s *packet.Segment) { s.Have |= packet.OptionsCut })
		case "news":
			all = append(all, func(p *play, _ Side, _ *packet.Segment) { p.news = true })
		case "window", "optlen", "mss", "ipid", "other":
			var n uint16
			p.scan(words[i+1], &n)
			all = append(all, map[string]option{
				"window": window(n), "optlen": optLen(uint8(n)), "mss": offers(n),
				"ipid":  func(_ *play, _ Side, s *packet.Segment) { s.IPID = n },
				"other": func(_ *play, _ Side, s *packet.Segment) { s.OtherLen = uint8(n) },
			}[words[i]])
			i++
		case "ts":
			i++
			var val, ecr uint32
			p.scan(strings.Replace(words[i], ",", " ", 1), &val, &ecr)
			all = append(all, ts(val, ecr))
		case "sack":
			i++
			var edges []seq.SSN
			for _, edge := range strings.FieldsFunc(words[i], func(r rune) bool { return r == '-' || r == ',' }) {
				edges = append(edges, 0)
				p.scan(edge, &edges[len(edges)-1])
			}
			all = append(all, blocks(edges...))
		default:
			p.t.Fatalf("no option is called %q", words[i])
		}
	}
	return all
}

// opened returns a flow after a handshake at A: the round trip is 40 ms, and a segment is
// 1000 bytes in both directions.
func opened(t *testing.T, opts ...option) *play {
	p := newPlay(t)
	p.open(opts...)
	return p
}

func (p *play) open(opts ...option) {
	p.give(-40, A, syn, 0, 0, 0, append([]option{offers(1000)}, opts...)...)
	p.give(0, B, synAck, 0, 1, 0, append([]option{offers(1000)}, opts...)...)
	p.give(0, A, ack, 1, 1, 0, opts...)
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
	assert.Check(t, is.DeepEqual(got, wanted), "%s", what)
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
