package subflow

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Packets of A alone, each 1 ms after the one before: A's SYN has number 1000, that of B 5000.
func onlyA(numbers ...packet.Segment) (f Flow) {
	for i := range numbers {
		s := &numbers[i]
		s.Num, s.Time, s.Window = uint64(i+1), epoch+int64(i)*ms, 500
		f.slowPath(s, A, false, new(Packet))
	}
	return f
}

// TestUnseen: packets of A show that B sent some, or do not.
func TestUnseen(t *testing.T) {
	at := func(flags packet.Flags, ackNumber uint32) packet.Segment {
		return packet.Segment{Seq: 1001, Ack: 5000 + seq.Wire(ackNumber), Flags: flags}
	}
	opens := packet.Segment{Seq: 1000, Flags: syn}
	times := func(n int, of func(i int) packet.Segment) (all []packet.Segment) {
		for i := range n {
			all = append(all, of(i))
		}
		return all
	}
	echoing := func(step uint32) func(i int) packet.Segment {
		return func(i int) packet.Segment {
			s := at(ack, 1)
			s.Seq, s.PayloadLen, s.Have = s.Seq+seq.Wire(uint32(100*i)), 100, packet.HasTimestamps
			s.TSVal, s.TSEcr = uint32(100+i), 700+step*uint32(i)
			return s
		}
	}
	for _, c := range []struct {
		name    string
		packets []packet.Segment
		want    bool
	}{
		{"SYNs without an answer", []packet.Segment{opens, opens, opens}, false},
		{"SYN, and an ACK", []packet.Segment{opens, at(ack, 1)}, true},
		{"SYN, and a RST in answer to a SYN/ACK", []packet.Segment{opens, {Seq: 1001, Flags: packet.RST}}, true},
		{"a SYN/ACK", []packet.Segment{{Seq: 1000, Ack: 5001, Flags: synAck}}, true},
		{"a RST alone", []packet.Segment{{Seq: 1001, Flags: rst, Ack: 5001}}, false},
		{"the middle: ACKs advance", times(8, func(i int) packet.Segment { return at(ack, uint32(1+100*i)) }), true},
		{"the middle: too few", times(7, func(i int) packet.Segment { return at(ack, uint32(1+100*i)) }), false},
		{"the middle: ACKs stand still", times(20, func(int) packet.Segment { return at(ack, 1) }), false},
		{"the middle: data that echoes new timestamps", times(8, echoing(10)), true},
		{"the middle: data that echoes one timestamp", times(20, echoing(0)), false},
	} {
		f := onlyA(c.packets...)
		got := f.Unseen(B)
		assert.Check(t, got == c.want, "%s: B unseen %t", c.name, got)
		assert.Check(t, !f.Unseen(A), "%s: A unseen, although its packets are there", c.name)
		f.slowPath(&packet.Segment{Num: 99, Time: epoch + 99*ms, Seq: 5000, Ack: 1001, Flags: ack, Window: 9}, B, false, new(Packet))
		assert.Check(t, !f.Unseen(B), "%s: B unseen after a packet of it", c.name)
	}
}
