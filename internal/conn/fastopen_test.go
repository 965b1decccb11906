package conn

import (
	"testing"
	"time"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// TestFastOpenAccepted: the SYN/ACK, or without it the next packet of the initiator, shows how much of the
// 100 bytes in the SYN was accepted.
func TestFastOpenAccepted(t *testing.T) {
	const isn = 1000
	first := packet.Segment{Num: 1, Flags: packet.SYN, Seq: isn, PayloadLen: 100, FastOpen: packet.FastOpen{Form: packet.FastOpenKind}}
	first.Src.Port, first.Dst.Port = 4000, 80
	first.SetPayload([]byte("twenty captured byte"))
	next := func(flags packet.Flags, number seq.Wire) packet.Segment {
		s := first
		s.PayloadLen, s.FastOpen, s.Flags, s.Seq = 0, packet.FastOpen{}, flags, number
		s.SetPayload(nil)
		return s
	}
	reply := func(flags packet.Flags, ack seq.Wire) packet.Segment {
		s := next(flags, 5)
		s.Src, s.Dst, s.Ack = s.Dst, s.Src, ack
		return s
	}
	answer := func(ack seq.Wire) packet.Segment { return reply(packet.SYN|packet.ACK, ack) }
	for _, c := range []struct {
		name     string
		segs     []packet.Segment
		accepted int64
		decided  bool
	}{
		{"all", []packet.Segment{answer(isn + 101)}, 100, true},
		{"more", []packet.Segment{answer(isn + 102)}, 100, true},
		{"a part", []packet.Segment{answer(isn + 15)}, 14, true},
		{"nothing", []packet.Segment{answer(isn + 1)}, 0, true},
		{"less than nothing", []packet.Segment{answer(isn)}, 0, true},
		{"the first answer counts", []packet.Segment{answer(isn + 1), next(packet.ACK, isn+101)}, 0, true},
		{"the next packet", []packet.Segment{next(packet.ACK, isn+41)}, 40, true},
		{"the SYN again", []packet.Segment{next(packet.SYN, isn)}, 0, false},
		{"refused", []packet.Segment{reply(packet.RST|packet.ACK, isn+101)}, 0, false},
		{"no answer", nil, 0, false},
	} {
		table := NewTable(Options{})
		for i, s := range append([]packet.Segment{first}, c.segs...) {
			s.Num, s.Time = uint64(i+1), int64(time.Hour)+int64(i)
			table.Segment(&s)
		}
		f := table.open.first.Subflows[0].FastOpen()
		if f.Bytes != 100 || f.Accepted != c.accepted || f.Decided != c.decided || f.SYN.Form != packet.FastOpenKind || f.SYNACK.Form != packet.NoFastOpen {
			t.Errorf("%s: %+v, want %d accepted", c.name, f, c.accepted)
		}
		if got, want := len(f.SYNPayload()), min(20, int(c.accepted)); got != want {
			t.Errorf("%s: %d bytes of payload, want %d", c.name, got, want)
		}
	}
}
