package symptoms

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// TestHandshake: packets of the initiator A and the responder B, one each millisecond.
func TestHandshake(t *testing.T) {
	asks := &mptcp.Capable{Version: 1, Have: mptcp.CapableHasSenderKey}
	joins := &mptcp.Join{Form: mptcp.JoinSYN}
	prio := &mptcp.Prio{}
	type pkt struct {
		from   conn.Side
		flags  packet.Flags
		option interface{ Append(b []byte) []byte }
		have   packet.Present
	}
	const syn, synAck, ack = packet.SYN, packet.SYN | packet.ACK, packet.ACK
	for _, c := range []struct {
		what    string
		packets []pkt
		want    Handshake
	}{
		{
			"whole",
			[]pkt{{conn.A, syn, asks, 0}, {conn.A, syn, asks, 0}, {conn.B, synAck, asks, 0}, {conn.B, synAck, nil, 0}, {conn.B, ack, nil, 0}, {conn.A, ack, asks, 0}, {conn.A, ack, asks, 0}, {conn.B, ack, nil, 0}, {conn.A, ack, asks, 0}},
			Handshake{SYN: at(1), SYNs: 2, Asked: true, SYNACK: at(3), SYNACKs: 2, Granted: true, Third: at(6), ThirdPackets: 3, Repeated: at(9), Usable: at(8), Over: true},
		},
		{
			"without MPTCP",
			[]pkt{{conn.A, syn, nil, 0}, {conn.A, syn, nil, 0}, {conn.B, synAck, nil, 0}, {conn.A, ack, nil, 0}},
			Handshake{SYN: at(1), SYNs: 2, SYNACK: at(3), SYNACKs: 1, Third: at(4)},
		},
		{
			"a join that is tried without the option",
			[]pkt{{conn.A, syn, joins, 0}, {conn.A, syn, nil, 0}, {conn.A, syn, nil, 0}, {conn.B, synAck, prio, 0}},
			Handshake{SYN: at(1), SYNs: 3, Asked: true, PlainRetry: at(2), SYNACK: at(4), SYNACKs: 1},
		},
		{
			"options that the capture cut",
			[]pkt{{conn.A, syn, nil, packet.OptionsCut}, {conn.B, synAck, nil, packet.OptionsCut}},
			Handshake{SYN: at(1), SYNs: 1, SYNCut: true, SYNACK: at(2), SYNACKs: 1, SYNACKCut: true},
		},
		{
			"options behind the one that matters are cut",
			[]pkt{{conn.A, syn, asks, packet.OptionsCut}, {conn.B, synAck, asks, packet.OptionsCut}},
			Handshake{SYN: at(1), SYNs: 1, Asked: true, SYNACK: at(2), SYNACKs: 1, Granted: true},
		},
		{"it began before the capture", []pkt{{conn.A, ack, nil, 0}}, Handshake{Over: true}},
		{"the SYN was not captured", []pkt{{conn.B, synAck, asks, 0}, {conn.A, ack, nil, 0}}, Handshake{SYNACK: at(1), SYNACKs: 1, Granted: true, Third: at(2)}},
		{"only the SYN was captured", []pkt{{conn.A, syn, asks, 0}, {conn.A, ack, nil, 0}}, Handshake{SYN: at(1), SYNs: 1, Asked: true}},
	} {
		x := followed(1)
		for i, p := range c.packets {
			s := &packet.Segment{Num: uint64(i + 1), Time: int64(i + 1), Flags: p.flags, Have: p.have}
			if p.option != nil {
				s.OtherLen = uint8(copy(s.Other[:], p.option.Append(nil)))
			}
			x.followed[0].Rare(&conn.Packet{Seg: s, SubflowDir: &conn.SubflowDir{Sub: x.followed[0].Sub, From: p.from}})
		}
		h := &x.followed[0].Handshake
		if *h != c.want || h.Over != c.want.Over || h.Uncaptured() != (c.want.SYNs+c.want.SYNACKs == 0) {
			t.Errorf("%s:\n%+v, want\n%+v", c.what, *h, c.want)
		}
	}
}

// TestFirstReset: the first RST that took effect counts, with its reason.
func TestFirstReset(t *testing.T) {
	x := followed(1)
	for i, c := range []struct {
		from   conn.Side
		effect subflow.Effect
		reason mptcp.ResetReason // 0 = none
	}{{conn.A, subflow.Ignored, 1}, {conn.B, subflow.EffectUnknown, 3}, {conn.A, subflow.Accepted, 5}} {
		s := &packet.Segment{Num: uint64(i + 1), Time: int64(i + 1), Flags: packet.RST}
		s.OtherLen = uint8(copy(s.Other[:], (&mptcp.TCPRST{Reason: c.reason}).Append((&mptcp.Prio{}).Append(nil))))
		p := &conn.Packet{Seg: s, SubflowDir: &conn.SubflowDir{Sub: x.followed[0].Sub, From: c.from}}
		p.TCP.Sent.Effect = c.effect
		x.followed[0].Rare(p)
	}
	if want := (Reset{at(2), conn.B, 3, true}); x.followed[0].Reset != want {
		t.Errorf("%+v, want %+v", x.followed[0].Reset, want)
	}
}

// TestOptionUse: each packet counts once, however many segments it stands for. Packets without an
// option count since the latest one with an option, and apart where the capture cut their options.
func TestOptionUse(t *testing.T) {
	const dss, cut = packet.HasDSS, packet.OptionsCut
	s := &Subflow{}
	for i, have := range []packet.Present{0, dss, 0, dss | cut, 0, cut, 0, 0, cut} {
		for range 3 {
			s.TakeOptions(&conn.Packet{Seg: &packet.Segment{Num: uint64(i + 1), Time: int64(i + 1), Have: have}, SubflowDir: &conn.SubflowDir{From: conn.B}})
		}
		if u := s.OptionUse(conn.B); i == 3 {
			u.Again(4, 4)
			u.Again(5, 5)
			assert.Check(t, u.Continues(), "the latest packet had an option")
		}
	}
	got := *s.OptionUse(conn.B)
	got.latest = 0
	if want := (OptionUse{Last: at(5), Packets: 3, First: at(2), FirstWithout: at(5), Without: 3, FirstCut: at(6), Cut: 2}); got != want || got.Continues() {
		t.Errorf("%+v, want %+v", got, want)
	}
	if *s.OptionUse(conn.A) != (OptionUse{}) {
		t.Error("A has sent no packet")
	}
}
