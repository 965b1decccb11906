package conn

import (
	"testing"

	"mpanalyze/internal/packet"
)

// clockEvents counts the steps of the clock that observers of connections get.
type clockEvents struct {
	Nop
	told *int
}

func (o clockEvents) Open(*Conn) Observer { return o }

func (o clockEvents) Event(e *Event) {
	if e.Kind == EventClock {
		*o.told++
	}
}

// If the clock of a capture is set with every packet, the table does not visit all
// connections each time. Beyond a bound, open connections have the fault for good, and
// later ones, too.
func TestClockSetAgainAndAgain(t *testing.T) {
	told, n := 0, 0
	table := NewTable(Options{}, clockEvents{told: &told})
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
	if want := maxClockSteps * (maxClockSteps - 1) / 2; told != want {
		t.Errorf("%d steps told, want %d: each to the connections that were there", told, want)
	}
	told = 0
	for range 3 {
		if c := step(); c.ClockFault() == "" || first.ClockFault() == "" {
			t.Error("beyond the bound a connection has no fault")
		}
	}
	if told != 0 {
		t.Errorf("%d steps told beyond the bound", told)
	}
}
