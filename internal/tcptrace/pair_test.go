package tcptrace

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// scriptPacket is one packet of a script: the fields that differ from those of a usual packet.
type scriptPacket struct {
	ms       int64 // time
	from     int
	flags    packet.Flags
	seq, ack uint32
	len      uint32
	win      uint16
	sack     []packet.SACKBlock
}

// play takes a script. Both SYNs of it ask for a window scale of 2.
func play(script ...scriptPacket) *Pair {
	p := &Pair{}
	for i, x := range script {
		p.add(x.segment(uint64(i+1)), x.from)
	}
	return p
}

func (x *scriptPacket) segment(n uint64) *packet.Segment {
	s := &packet.Segment{
		Num: n, Time: packet.Origin + x.ms*1e6, Flags: x.flags, Seq: seq.Wire(x.seq), Ack: seq.Wire(x.ack), PayloadLen: x.len,
		Window: x.win, IPID: uint16(n), NSACK: uint8(len(x.sack)), Payload: make([]byte, x.len),
	}
	ends := [2]packet.Endpoint{{Addr: [16]byte{10: 255, 11: 255, 12: 10, 15: 1}, Port: 1000}, {Addr: [16]byte{10: 255, 11: 255, 12: 10, 15: 2}, Port: 80}}
	s.Src, s.Dst = ends[x.from], ends[1-x.from]
	copy(s.SACK[:], x.sack)
	if x.flags.Has(packet.SYN) {
		s.Have, s.WScale, s.MSS = packet.HasWScale|packet.HasMSS, 2, 1460
	}
	return s
}

// handshake of 20 ms whose data begins at 1001 and 5001.
var handshake = []scriptPacket{
	{ms: 0, from: 0, flags: packet.SYN, seq: 1000, win: 4000},
	{ms: 20, from: 1, flags: packet.SYN | packet.ACK, seq: 5000, ack: 1001, win: 4000},
	{ms: 20, from: 0, flags: packet.ACK, seq: 1001, ack: 5001, win: 1000},
}

func figures(p *Pair, dir int, labels ...string) map[string]string {
	out := map[string]string{}
	for i := range fields {
		for _, l := range labels {
			if fields[i].label == l {
				out[l] = fields[i].value(p, &p.Dirs[dir])
			}
		}
	}
	return out
}

// A segment is lost and sent again after three duplicate ACKs, whose SACK
// block grows.
func TestLoss(t *testing.T) {
	const ack, psh = packet.ACK, packet.ACK | packet.PSH
	block := func(right seq.Wire) []packet.SACKBlock { return []packet.SACKBlock{{Left: 1101, Right: right}} }
	p := play(append(handshake,
		scriptPacket{ms: 30, from: 0, flags: ack, seq: 1001, ack: 5001, len: 100, win: 1000},
		scriptPacket{ms: 31, from: 0, flags: ack, seq: 1101, ack: 5001, len: 100, win: 1000},
		scriptPacket{ms: 32, from: 0, flags: ack, seq: 1201, ack: 5001, len: 100, win: 1000},
		scriptPacket{ms: 33, from: 0, flags: psh, seq: 1301, ack: 5001, len: 50, win: 1000},
		scriptPacket{ms: 40, from: 1, flags: ack, seq: 5001, ack: 1001, win: 2000},
		scriptPacket{ms: 51, from: 1, flags: ack, seq: 5001, ack: 1001, win: 2000, sack: block(1201)},
		scriptPacket{ms: 52, from: 1, flags: ack, seq: 5001, ack: 1001, win: 2000, sack: block(1301)},
		scriptPacket{ms: 53, from: 1, flags: ack, seq: 5001, ack: 1001, win: 2000, sack: block(1351)},
		scriptPacket{ms: 60, from: 0, flags: ack, seq: 1001, ack: 5001, len: 100, win: 1000},
		scriptPacket{ms: 80, from: 1, flags: ack, seq: 5001, ack: 1351, win: 1500},
	)...)
	want := map[string]string{
		"total packets": "7", "ack pkts sent": "6", "pure acks sent": "1", "actual data pkts": "5", "actual data bytes": "450",
		"unique bytes sent": "350", "rexmt data pkts": "1", "rexmt data bytes": "100", "outoforder pkts": "0", "pushed data pkts": "1",
		"max segm size": "100", "min segm size": "50", "avg segm size": "89", // 450/5.001
		"max win adv": "4000", "min win adv": "4000", "avg win adv": "4000", // 1000<<2 in each after the SYN
		"SYN/FIN pkts sent": "1/0", "adv wind scale": "2", "mss requested": "1460",
		"max owin": "351", "min non-zero owin": "1",
		// Outstanding: 1001 - (1001 - 1) = 1 with the third packet, then 101,
		// 201, 301 and 351; the retransmission is no sample.
		"avg owin":          "191",
		"ttl stream length": "NA", "data xmit time": "0.030", "idletime max": "27.0",
		"throughput":  "4375", // 350 B in 80 ms
		"RTT samples": "1", "RTT min": "20.0", "RTT from 3WHS": "20.0", "ambiguous acks": "0",
		"post-loss acks": "1", // 1351 was sent before 1001 was sent again
		"segs cum acked": "3", "duplicate acks": "3", "triple dupacks": "1",
		"max # retrans": "1", "min retr time": "30.0", "max retr time": "30.0",
	}
	labels := make([]string, 0, len(want))
	for l := range want {
		labels = append(labels, l)
	}
	if diff := cmp.Diff(want, figures(p, 0, labels...)); diff != "" {
		t.Errorf("a2b (-want +got)\n%s", diff)
	}
	want = map[string]string{
		"sack pkts sent": "3", "dsack pkts sent": "0", "max sack blks/ack": "1", "pure acks sent": "5",
		"max win adv": "8000", "min win adv": "6000", "zero win adv": "0",
		"avg win adv": "7600", // (4*8000 + 6000)/5
		"RTT samples": "1", "actual data pkts": "0", "data xmit time": "0.000",
	}
	if diff := cmp.Diff(want, figures(p, 1, "sack pkts sent", "dsack pkts sent", "max sack blks/ack", "pure acks sent", "max win adv",
		"min win adv", "zero win adv", "avg win adv", "RTT samples", "actual data pkts", "data xmit time")); diff != "" {
		t.Errorf("b2a (-want +got)\n%s", diff)
	}
}

// Segments that arrive in another order, and a copy that repeats half of one.
func TestOrder(t *testing.T) {
	p := play(append(handshake,
		scriptPacket{ms: 30, from: 1, flags: packet.ACK, seq: 5101, ack: 1001, len: 100, win: 1000},
		scriptPacket{ms: 31, from: 1, flags: packet.ACK, seq: 5001, ack: 1001, len: 100, win: 1000},
		scriptPacket{ms: 32, from: 1, flags: packet.ACK, seq: 5151, ack: 1001, len: 100, win: 1000},
		scriptPacket{ms: 33, from: 0, flags: packet.ACK, seq: 1001, ack: 5251, win: 0},
		scriptPacket{ms: 34, from: 1, flags: packet.ACK, seq: 5251, ack: 1001, len: 1, win: 1000},
		scriptPacket{ms: 35, from: 1, flags: packet.ACK | packet.FIN, seq: 5251, ack: 1001, win: 1000},
	)...)
	want := map[string]string{
		"outoforder pkts": "1", "rexmt data pkts": "1", "rexmt data bytes": "50", "unique bytes sent": "250",
		"zwnd probe pkts": "2", "zwnd probe bytes": "1", // the FIN too: the window is closed
		"ttl stream length": "250", "missed data": "0", "SYN/FIN pkts sent": "1/1", "hardware dups": "0",
	}
	labels := []string{}
	for l := range want {
		labels = append(labels, l)
	}
	if diff := cmp.Diff(want, figures(p, 1, labels...)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := figures(p, 0, "zero win adv")["zero win adv"]; got != "1" {
		t.Errorf("zero windows %s, want 1", got)
	}
}

// The statistics of full-size segments are those of the largest size that gave
// a sample, and not those of the SYN, whose one byte tcptrace takes for 2^32.
func TestFullSize(t *testing.T) {
	p := play(append(handshake,
		scriptPacket{ms: 30, from: 0, flags: packet.ACK, seq: 1001, ack: 5001, len: 100, win: 1000},
		scriptPacket{ms: 40, from: 1, flags: packet.ACK, seq: 5001, ack: 1101, win: 1000},
		scriptPacket{ms: 50, from: 0, flags: packet.ACK, seq: 1101, ack: 5001, len: 100, win: 1000},
		scriptPacket{ms: 70, from: 1, flags: packet.ACK, seq: 5001, ack: 1201, win: 1000},
		scriptPacket{ms: 80, from: 0, flags: packet.ACK, seq: 1201, ack: 5001, len: 50, win: 1000},
		scriptPacket{ms: 81, from: 1, flags: packet.ACK, seq: 5001, ack: 1251, win: 1000},
	)...)
	want := map[string]string{"RTT samples": "4", "RTT full_sz smpls": "2", "RTT full_sz min": "10.0", "RTT full_sz max": "20.0"}
	if diff := cmp.Diff(want, figures(p, 0, "RTT samples", "RTT full_sz smpls", "RTT full_sz min", "RTT full_sz max")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A stream of 2^32 + 100 bytes has wrapped once.
func TestWrap(t *testing.T) {
	script := append([]scriptPacket(nil), handshake...)
	const step = 1 << 30
	at := uint32(1001)
	for i := range 4 {
		script = append(script,
			scriptPacket{ms: int64(100 + 10*i), from: 0, flags: packet.ACK, seq: at + step - 100, ack: 5001, len: 100, win: 1000},
			scriptPacket{ms: int64(101 + 10*i), from: 1, flags: packet.ACK, seq: 5001, ack: at + step, win: 1000})
		at += step
	}
	script = append(script, scriptPacket{ms: 200, from: 0, flags: packet.ACK | packet.FIN, seq: at, ack: 5001, len: 100, win: 1000})
	p := play(script...)
	want := map[string]string{"ttl stream length": "4294967396", "rexmt data pkts": "0", "unique bytes sent": "500"}
	if diff := cmp.Diff(want, figures(p, 0, "ttl stream length", "rexmt data pkts", "unique bytes sent")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Segments whose acknowledgments are missing in the capture do not accumulate.
func TestBound(t *testing.T) {
	var s seqSpace
	const n = 3 * maxSegments
	for i := range uint32(n) {
		s.add(seq.Wire(2*i), 1, int64(i), func(*segment) {})
	}
	if got := len(s.quadrants[0]); got > maxSegments {
		t.Errorf("%d pieces, want at most %d", got, maxSegments)
	}
	again := s.add(2*n-2, 1, n, func(*segment) {})
	if again.resentBytes != 1 {
		t.Error("the latest piece is forgotten")
	}
}

func TestTakeAllocatesNothing(t *testing.T) {
	p := play(handshake...)
	data := scriptPacket{from: 0, flags: packet.ACK, seq: 1001, ack: 5001, len: 100, win: 1000}
	reply := scriptPacket{from: 1, flags: packet.ACK, seq: 5001, win: 1000}
	d, r := data.segment(9), reply.segment(10)
	round := func() {
		p.add(d, 0)
		d.Seq += 100
		r.Ack = d.Seq
		p.add(r, 1)
	}
	for range 10 {
		round()
	}
	if n := testing.AllocsPerRun(1000, round); n != 0 {
		t.Errorf("%v allocations for two packets, want 0", n)
	}
}
