package subflow

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// dsackACK is an ACK with SACK blocks, positions relative to the initial
// sequence number of the direction that it acknowledges.
type dsackACK struct {
	ack    seq.Wire
	stamp  uint32
	optLen uint8
	blocks []packet.SACKBlock
	report bool   // whether its first block reports a duplicate
	id     uint16 // of its IP header
}

// Bytes of options on an ACK with timestamps (12), one or two SACK blocks (12
// or 20, padding included) and a DATA_ACK of 8 or 4 bytes (12 or 8).
const (
	wideOne   = 12 + 12 + 12
	narrowOne = 12 + 12 + 8
	narrowTwo = 12 + 20 + 8
)

// A hundred segments of 100 bytes are in flight from position 1 on; those at
// 201 to 1001 have been SACKed with timestamp 50 when the table's ACKs come.
func TestDSACK(t *testing.T) {
	block := func(left, right seq.Wire) []packet.SACKBlock { return []packet.SACKBlock{{Left: left, Right: right}} }
	tests := []struct {
		name string
		acks []dsackACK
	}{
		{"below the cumulative ACK", []dsackACK{{201, 51, narrowTwo, block(1, 101), true, 0}}},
		{"inside the second block", []dsackACK{{101, 51, narrowTwo, []packet.SACKBlock{{Left: 301, Right: 401}, {Left: 201, Right: 1001}}, true, 0}}},
		{"alone, no room for a second", []dsackACK{{101, 51, wideOne, block(301, 401), true, 0}}},
		{"alone in the same millisecond", []dsackACK{{101, 50, wideOne, block(301, 401), true, 0}}},
		{"alone, though there was room", []dsackACK{{101, 51, narrowOne, block(201, 901), false, 0}}},
		{"the last block once more", []dsackACK{{101, 51, wideOne, block(201, 1001), false, 0}}},
		{"the last block after a duplicate", []dsackACK{
			{101, 51, wideOne, block(1, 101), true, 0},
			{101, 52, wideOne, block(201, 1001), false, 0},
		}},
		{"the last block after one with company", []dsackACK{
			{101, 51, narrowTwo, []packet.SACKBlock{{Left: 1201, Right: 1301}, {Left: 201, Right: 1001}}, false, 0},
			{101, 52, wideOne, block(1201, 1301), false, 0},
		}},
		{"the last block, grown", []dsackACK{{101, 51, wideOne, block(201, 1101), false, 0}}},
		{"overtaken, by its timestamp", []dsackACK{{101, 49, wideOne, block(201, 901), false, 0}}},
		{"overtaken in the same millisecond, by its left edge", []dsackACK{{101, 50, wideOne, block(201, 901), false, 0}}},
		{"overtaken in the same millisecond, after a block elsewhere", []dsackACK{
			{101, 50, wideOne, block(1201, 1301), false, 0},
			{101, 50, wideOne, block(201, 801), false, 0},
		}},
		{"the first segment of a range, a millisecond later", []dsackACK{{101, 51, wideOne, block(201, 301), true, 0}}},
		{"overtaken, by its acknowledgment", []dsackACK{
			{1001, 52, wideOne, block(1201, 1301), false, 0},
			{101, 52, wideOne, block(1201, 1301), false, 0},
			{201, 52, wideOne, block(1201, 1251), false, 0},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := sackedFlow(t)
			for i, a := range tt.acks {
				before := f.Senders[A].DSACKBlocks
				f.sackACK(a)
				if got := f.Senders[A].DSACKBlocks > before; got != a.report {
					t.Errorf("ACK %d of %v: duplicate reported %t, want %t", i, a.blocks, got, a.report)
				}
			}
		})
	}
}

// Data that was sent again may arrive twice. For an ACK in the same millisecond, the IP
// identification shows whether another one overtook it.
func TestDSACKOfCopy(t *testing.T) {
	for _, tt := range []struct {
		name  string
		id    uint16
		right seq.Wire
		want  int64
	}{
		{"the copy, reported later", 8, 301, 1},
		{"the copy, by an ACK that was overtaken", 6, 301, 0},
		{"the copy, by a host that does not number its packets", 0, 301, 1},
		{"more than the copy", 8, 401, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, isn := sackedFlow(t), isnA
			var p Packet
			if tt.id != 0 {
				f.sackACK(dsackACK{ack: 101, stamp: 50, optLen: wideOne, id: 7, blocks: []packet.SACKBlock{{Left: 201, Right: 1101}}})
			}
			f.packet(&packet.Segment{Time: 900, Seq: isn + 201, Ack: 701, Flags: packet.ACK, PayloadLen: 100}, A, false, &p)
			f.sackACK(dsackACK{ack: 101, stamp: 50, optLen: wideOne, id: tt.id, blocks: []packet.SACKBlock{{Left: 201, Right: tt.right}}})
			want(t, "DSACK blocks", f.Senders[A].DSACKBlocks, tt.want)
			want(t, "copies that arrived in vain", f.Senders[A].Loss.DSACKed, tt.want)
		})
	}
}

// isnA is the initial sequence number of A, near the wrap.
const isnA = seq.Wire(0xfffffff0)

func sackedFlow(t *testing.T) *Flow {
	t.Helper()
	f := &Flow{}
	var p Packet
	send := func(from Side, s packet.Segment) { f.packet(&s, from, false, &p) }
	send(A, packet.Segment{Time: 1, Seq: isnA, Flags: packet.SYN, Have: packet.HasSACKPermitted})
	send(B, packet.Segment{Time: 2, Seq: 700, Ack: isnA + 1, Flags: packet.SYN | packet.ACK, Have: packet.HasSACKPermitted})
	for i := range int64(100) {
		send(A, packet.Segment{Time: 3 + i, Seq: isnA + 1 + seq.Wire(100*i), Ack: 701, Flags: packet.ACK, PayloadLen: 100})
	}
	f.sackACK(dsackACK{101, 50, wideOne, []packet.SACKBlock{{Left: 201, Right: 1001}}, false, 0})
	assert.Assert(t, f.Senders[A].DSACKBlocks == 0, "the first SACK is taken for a DSACK")
	return f
}

// sackACK gives the flow an ACK of B.
func (f *Flow) sackACK(a dsackACK) {
	s := packet.Segment{
		Time: 1000, Seq: 701, Ack: isnA + a.ack, Flags: packet.ACK, Have: packet.HasTimestamps,
		TSVal: a.stamp, IPID: a.id, OptLen: a.optLen, NSACK: uint8(len(a.blocks)),
	}
	for i, b := range a.blocks {
		s.SACK[i] = packet.SACKBlock{Left: isnA + b.Left, Right: isnA + b.Right}
	}
	var p Packet
	f.packet(&s, B, false, &p)
}
