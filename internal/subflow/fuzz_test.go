package subflow

import (
	"encoding/binary"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// fuzzLen is the bytes of input that make one packet.
const fuzzLen = 16

// fuzzPacket makes a packet of 16 bytes. Positions are near those of the stream, so that
// packets meet, unless the highest bit of the flags asks for an arbitrary number.
func fuzzPacket(b []byte, isn [2]seq.Wire, now *int64) (s packet.Segment, from Side) {
	from = Side(b[0] & 1)
	s.Flags = packet.Flags(b[1] & 0x1f)
	if b[0]&0x0e != 0 { // nearly every packet of a connection has ACK
		s.Flags |= packet.ACK
	}
	*now += int64(b[2]) * ms / 4
	s.Time = *now
	s.Seq = isn[from] + seq.Wire(b[3])*16
	s.Ack = isn[from.Other()] + seq.Wire(b[4])*16
	if b[1]&0x80 != 0 {
		s.Seq = seq.Wire(binary.BigEndian.Uint32(b[3:]))
	}
	if b[1]&0x40 != 0 {
		s.Ack = seq.Wire(binary.BigEndian.Uint32(b[4:]))
	}
	s.PayloadLen = uint32(b[5])
	if b[5] == 255 {
		s.PayloadLen = 64_000
	}
	s.Window = uint16(b[6] & 3)
	if b[7]&1 != 0 {
		s.TSVal, s.TSEcr = uint32(b[8])<<24, uint32(b[9])<<24
		s.Have |= packet.HasTimestamps
	}
	if b[7]&2 != 0 {
		s.MSS = uint16(b[8])
		s.Have |= packet.HasMSS
	}
	s.NSACK = b[7] >> 2 & 3
	for i := range s.NSACK {
		left := isn[from.Other()] + seq.Wire(b[10+2*i])*16
		s.SACK[i] = packet.SACKBlock{Left: left, Right: left + seq.Wire(b[11+2*i])}
	}
	s.OptLen = b[7] >> 4 * 4
	return s, from
}

// FuzzFlow gives a flow arbitrary packets; invariants has what must hold.
func FuzzFlow(f *testing.F) {
	f.Add([]byte{})
	// SYN, SYN/ACK, ACK, data, a hole, a SACK of the data above it, the copy, the ACK.
	f.Add([]byte{
		0, 0x02, 0, 0, 0, 0, 1, 2, 100, 0, 0, 0, 0, 0, 0, 0,
		1, 0x12, 40, 0, 0, 0, 1, 2, 100, 0, 0, 0, 0, 0, 0, 0,
		0, 0x10, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0x10, 1, 1, 1, 160, 1, 1, 10, 0, 0, 0, 0, 0, 0, 0,
		0, 0x10, 1, 21, 1, 160, 1, 1, 10, 0, 0, 0, 0, 0, 0, 0,
		1, 0x10, 40, 1, 11, 0, 1, 5, 0, 10, 21, 160, 0, 0, 0, 0,
		0, 0x10, 1, 11, 1, 160, 1, 1, 50, 0, 0, 0, 0, 0, 0, 0,
		1, 0x10, 40, 1, 31, 0, 1, 1, 0, 50, 0, 0, 0, 0, 0, 0,
	})
	// FIN of both, RST, a SYN of another connection.
	f.Add([]byte{
		0, 0x11, 1, 5, 5, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		1, 0x11, 1, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0x04, 1, 6, 6, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0x82, 1, 0xde, 0xad, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	})
	f.Fuzz(func(t *testing.T, in []byte) {
		var flow Flow
		var p Packet
		isn := [2]seq.Wire{0xffff_ff00, 7}
		now := epoch
		for n := 0; len(in) >= fuzzLen && n < 512; n++ {
			s, from := fuzzPacket(in, isn, &now)
			before := flow.State
			flow.packet(&s, from, in[0]&0x80 != 0, &p)
			flow.invariants(t, &s, &p)
			assert.Assert(t, flow.State >= before, "state %v after %v", flow.State, before)
			if in[0]&0x7f == 0x7f {
				snd := &flow.Senders[from]
				snd.Rebase(snd.isn - seq.Wire(in[15]))
				snd.invariants(t)
			}
			in = in[fuzzLen:]
		}
	})
}
