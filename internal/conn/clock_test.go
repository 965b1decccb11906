package conn

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
)

// If the clock of a capture is set with every packet, the table does not visit all
// connections each time. Beyond a bound, open connections have the fault for good, and
// later ones, too.
func TestClockSetAgainAndAgain(t *testing.T) {
	n, r := 0, &recorder{}
	table := NewTable(Options{}, r)
	told := func() (all int) {
		for _, c := range r.conns {
			all += len(c.log)
		}
		return all
	}
	step := func() *Conn {
		s := syn(n, int64(n))
		n++
		s.Have |= packet.ClockChanged
		s.Clock, s.ClockSet = packet.ClockProven, 1e9
		table.Segment(&s)
		return table.open.last
	}
	first := step()
	for range maxClockSteps - 1 {
		step()
	}
	if first.ClockFault() != "" {
		t.Errorf("after steps that are proven: %s", first.ClockFault())
	}
	if want := maxClockSteps * (maxClockSteps - 1) / 2; told() != want {
		t.Errorf("%d steps told, want %d: each to the connections that were there", told(), want)
	}
	before := told()
	for range 3 {
		if c := step(); c.ClockFault() == "" || first.ClockFault() == "" {
			t.Error("beyond the bound a connection has no fault")
		}
	}
	assert.Check(t, told() == before, "%d steps told beyond the bound", told()-before)
}

// TestClockFaultOf: what a packet says of its time is a fault of its connection; the first one stays.
func TestClockFaultOf(t *testing.T) {
	for _, c := range []struct {
		clock  packet.ClockChange
		before string
		want   string // part of the fault
		events int
	}{
		{packet.ClockProven, "", "", 0},
		{packet.OutOfOrder, "", "warning packets_out_of_order", 1},
		{packet.TwoPlaces, "", "warning captured_at_two_places", 0},
		{packet.Uncountable, "", "warning time_out_of_range", 0},
		{packet.TwoPlaces | packet.Uncountable, "", "warning captured_at_two_places", 0},
		{packet.OutOfOrder | packet.TwoPlaces, "", "warning packets_out_of_order", 1},
		{packet.OutOfOrder | packet.TwoPlaces, "another", "another", 0},
	} {
		r := &record{}
		k := &Conn{observer: r, clockFault: c.before}
		k.clockFaultOf(&packet.Segment{Num: 5, Clock: c.clock, ClockSet: -1_234_567_890})
		if got := k.ClockFault(); !strings.Contains(got, c.want) || (got == "") != (c.want == "") || len(r.log) != c.events {
			t.Errorf("%b behind %q: %q, %q; want %q", c.clock, c.before, got, r.log, c.want)
		}
		if c.events > 0 && (r.log[0] != string(EventLate)+" s-1 #5" || !strings.Contains(r.details[0], "stands 1.235 s behind its place")) {
			t.Errorf("%b: %q, %q", c.clock, r.log, r.details)
		}
	}
}

// TestClockStepped: a step that nothing proves is a fault of each open connection; both kinds are told.
func TestClockStepped(t *testing.T) {
	for _, c := range []struct {
		clock packet.ClockChange
		size  int64
		fault bool
		want  string // part of the event; empty for none
	}{
		{packet.ClockProven, 1_500_000_000, false, "set by +1.500 s; TCP timestamps prove it"},
		{0, -1_500_000_000, true, "set by -1.500 s as far as the stamps show"},
		{0, 0, false, ""},
		{packet.OutOfOrder, -5, false, ""},
	} {
		r := &recorder{}
		table := NewTable(Options{}, r)
		for _, s := range established(101) {
			table.Segment(&s)
		}
		table.clockChanged(&packet.Segment{Num: 8, Clock: c.clock, ClockSet: c.size})
		x := r.only(t)
		if detail := x.detail(EventClock); !strings.Contains(detail, c.want) || (detail == "") != (c.want == "") || (x.c.ClockFault() != "") != c.fault {
			t.Errorf("%+v: %q, fault %q", c, detail, x.c.ClockFault())
		}
	}
}

// TestUntimed: the latest 129 to 256 packets without a time of their own are kept.
func TestUntimed(t *testing.T) {
	var c Conn
	assert.Check(t, !c.HasUntimed(), "there is one before the first")
	for i := range uint64(257) {
		c.noteUntimed(&packet.Segment{Num: i + 1})
		assert.Check(t, i != 255 || c.Untimed(1) && len(c.untimed) == 256, "%d of 256 are kept", len(c.untimed))
	}
	if len(c.untimed) != 129 || c.Untimed(128) || !c.Untimed(129) || !c.Untimed(257) || !c.HasUntimed() {
		t.Errorf("%d of 257 are kept: %v", len(c.untimed), c.untimed)
	}
}
