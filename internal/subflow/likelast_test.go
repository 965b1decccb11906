package subflow

import (
	"testing"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// flowing is a flow whose ends have sent two packets of payload each, with timestamps.
func flowing(t *testing.T) *play {
	p := opened(t, ts(10, 20))
	for i := range seq.SSN(2) {
		p.data(float64(1+i), 1+500*i, 500, ts(11, 21))
		p.give(float64(1+i), B, ack, 1+500*i, 501*i+1-i, 500, ts(21, 11))
	}
	return p
}

// Payload is like the last if it has nothing new besides its data and its acknowledgment.
// Then noteChange changes nothing.
func TestIsLikeLast(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*play, *packet.Segment)
		want   bool
	}{
		{"data like that before", func(*play, *packet.Segment) {}, true},
		{"less data", func(_ *play, s *packet.Segment) { s.PayloadLen = 1 }, true},
		{"another window", func(_ *play, s *packet.Segment) { s.Window++ }, true},
		{"an ACK of more", func(_ *play, s *packet.Segment) { s.Ack++ }, true},
		{"after a longer silence than any", func(_ *play, s *packet.Segment) { s.Time += 100 * ms }, false},
		{"before the packet before", func(_ *play, s *packet.Segment) { s.Time -= 3 * ms }, false},
		{"another timestamp", func(_ *play, s *packet.Segment) { s.TSVal++ }, false},
		{"another echo", func(_ *play, s *packet.Segment) { s.TSEcr++ }, false},
		{"options of another length", func(_ *play, s *packet.Segment) { s.OptLen += 4 }, false},
		{"timestamps that were all forgotten", func(p *play, _ *packet.Segment) { p.a().echoed(12) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := flowing(t)
			d, snd := p.Dir(A), p.a()
			s := packet.Segment{
				Time: epoch + 3*ms, Flags: ack, Window: 500, PayloadLen: 500, Have: packet.HasTimestamps, TSVal: 11, TSEcr: 21,
				Seq: p.isn[A] + seq.Wire(snd.sndNxt), Ack: p.isn[B] + seq.Wire(p.Senders[B].sndUna),
			}
			tt.change(p, &s)
			want(t, "like the last", snd.isLikeLast(&s), tt.want)
			before := p.snapshot()
			d.noteChange(&s, &p.last)
			want(t, "something changed", p.snapshot() != before, !tt.want)
		})
	}
}

// Nearly all data of a transfer is like the last: here all except the first packet after
// each tick of the sender's timestamp clock, which is every tenth.
func TestMostPayloadIsLikeLast(t *testing.T) {
	p := flowing(t)
	d, snd := p.Dir(A), p.a()
	like := 0
	for i := range 200 {
		s := packet.Segment{
			Time: epoch + 3*ms + int64(i)*ms/10, Flags: ack, Window: 500, PayloadLen: 500, Have: packet.HasTimestamps,
			TSVal: 12 + uint32(i/10), TSEcr: 21,
			Seq: p.isn[A] + seq.Wire(snd.sndNxt), Ack: p.isn[B] + seq.Wire(p.Senders[B].sndUna),
		}
		if snd.isLikeLast(&s) {
			like++
		}
		d.Packet(&s, false, &p.last)
		if i%4 == 3 {
			p.give(3+float64(i)/10, B, ack, 1001, snd.sndNxt, 0, ts(21, s.TSVal))
		}
	}
	want(t, "packets like the last", like, 180)
	want(t, "payload, bytes", snd.Bytes, int64(2*500+200*500))
}
