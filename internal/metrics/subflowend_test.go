package metrics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/symptoms"
	"mpanalyze/internal/tracegen"
)

// TestSettled: packets concern the handshake before its third packet. After that, or if it
// was not captured, they do not.
func TestSettled(t *testing.T) {
	whole := func(s *tracegen.Session, f *tracegen.Subflow) { f.Open(0) }
	for _, c := range []struct {
		what  string
		begin func(*tracegen.Session, *tracegen.Subflow)
		ack   bool // B answers
		want  bool
		shift int8 // of B's windows
	}{
		{"whole", whole, true, true, 7},
		{"nothing of B after the SYN/ACK", whole, false, false, 7},
		{"begun before the capture", func(_ *tracegen.Session, f *tracegen.Subflow) { f.Assume() }, true, true, -1},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		f := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80")})
		c.begin(s, f)
		x := f.Data(tracegen.A2B, 100*msec, 0, 1000)
		if c.ack {
			f.Ack(tracegen.B2A, x.ArrivesAt())
		}
		m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
		if w := &m.Subs[0].flows[conn.B]; w.settled != c.want || w.shift != c.shift {
			t.Errorf("%s: settled %v, windows shifted by %d; want %v and %d", c.what, w.settled, w.shift, c.want, c.shift)
		}
	}
}

// TestWake: no event that depends on time is missed.
func TestWake(t *testing.T) {
	for _, interval := range []time.Duration{0, 30 * msec, 100 * msec, time.Hour} {
		m := measure(t, blocked(), tracegen.HostA, Config{Interval: interval})
		for side, d := range m.dirs {
			assert.Check(t, m.wake <= d.cellEnds && m.wake <= d.why.CellEnd(), "interval %v, side %d: wakes at %d, cells end at %d, those of the symptoms at %d", interval, side, m.wake, d.cellEnds, d.why.CellEnd())
		}
		if last := m.Conn.Last(); m.wake <= last {
			t.Errorf("interval %v: wakes at %d for nothing, the last packet is of %d", interval, m.wake, last)
		}
	}
}

// TestOptionsGoOn: if packets have options, the handshake is over. A late SYN makes both
// directions of its subflow check again, and the packets after it count.
func TestOptionsGoOn(t *testing.T) {
	m := bare(Config{})
	w := &m.Subs[0].flows[conn.A]
	at, looks := int64(0), 0
	show := func(flags packet.Flags) {
		at++
		if !w.optionsGoOn {
			looks++
		}
		s := &packet.Segment{Num: uint64(at), Time: at, Have: packet.HasDSS, Flags: flags, Window: 1}
		m.Packet(&conn.Packet{Seg: s, SubflowDir: &conn.SubflowDir{Conn: m.Conn, Sub: w.sub.Sub, From: conn.A}})
	}
	for range 5 {
		show(packet.ACK)
	}
	show(packet.SYN)
	assert.Check(t, !w.optionsGoOn && !w.settled, "behind a SYN: settled %v, options go on %v", w.settled, w.optionsGoOn)
	w.sub.Handshake = symptoms.Handshake{}
	for range 4 {
		show(packet.ACK)
	}
	// The first packet is checked, the SYN is not, and then one more packet is.
	want := symptoms.OptionUse{First: symptoms.PacketRef{Packet: 1, Time: 1}, Last: symptoms.PacketRef{Packet: 10, Time: 10}, Packets: 9}
	if diff := cmp.Diff(want, *w.options, cmpopts.IgnoreUnexported(symptoms.OptionUse{})); diff != "" || looks != 2 || !w.optionsGoOn || !w.settled {
		t.Errorf("%d looks, settled %v, options go on %v (-want, +got):\n%s", looks, w.settled, w.optionsGoOn, diff)
	}
}

// TestWithoutVerdicts: without verdicts their state is not kept, except what the reasons
// for absent figures need.
func TestWithoutVerdicts(t *testing.T) {
	for _, omit := range []catalogue.Families{0, catalogue.FamilyVerdicts} {
		m := measure(t, blocked(), tracegen.HostA, Config{Omit: omit})
		kept := m.Symptoms.Dir(conn.A).Data.From.Seen()
		for _, s := range m.Subs {
			kept = kept || s.Path(conn.A).Progress.Seen() || s.dirs[conn.A].path != nil
			if !s.Handshake.Over || s.OptionUse(conn.A).Packets == 0 {
				t.Errorf("omitting %v, subflow %d: handshake %+v, options %+v", omit, s.Sub.ID, s.Handshake, *s.OptionUse(conn.A))
			}
		}
		assert.Check(t, kept == (omit == 0), "omitting %v: something was kept: %v", omit, kept)
	}
}
