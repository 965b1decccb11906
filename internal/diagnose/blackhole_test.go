package diagnose_test

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestBlackHole: subflow 1 sends 1400, 500 and 1400 bytes, and the path carries no packet of 1400.
func TestBlackHole(t *testing.T) {
	for what, c := range map[string]struct {
		copies                   int // of the first segment
		passes, answers, smaller bool
		largest                  float64 // that was acknowledged; 0 where nothing is to be said
	}{
		"the first sent twice":          {1, false, true, false, 0},
		"the first sent three times":    {2, false, true, false, 500},
		"a large one arrives":           {2, true, true, false, 0},
		"nothing of the peer later":     {2, false, false, false, 0},
		"the sender makes them smaller": {3, false, true, true, 1000},
	} {
		s, _, second := beginTwo()
		m, at := second.Map(tracegen.A2B, 0, 3300), 700*ms
		m.Send(500*ms, 0, 1400).Lose()
		m.Send(501*ms, 1400, 500)
		if last := m.Send(502*ms, 1900, 1400); !c.passes {
			last.Lose()
		}
		for range c.copies {
			m.Send(at, 0, 1400).Lose()
			at += 500 * ms
		}
		for _, part := range [][2]int{{0, 1000}, {1000, 400}, {1900, 1000}, {2900, 400}} {
			if at += 30 * ms; c.smaller {
				m.Send(at, part[0], part[1])
			}
		}
		if c.answers {
			second.Ack(tracegen.B2A, at+200*ms)
		}
		d := see(t, s, tracegen.HostA)
		without(t, what, see(t, s, tracegen.HostB), report.VerdictBlackHole)
		if c.largest == 0 {
			without(t, what, d, report.VerdictBlackHole)
			continue
		}
		v := find(t, d, report.VerdictBlackHole)
		wantNumber(t, v, "payload of the least of them", 1400)
		wantNumber(t, v, "largest payload that was acknowledged", c.largest)
		wantNumber(t, v, "different large segments without an ACK then", 2)
		assert.Check(t, v.Severity == report.Major && *v.Subflow == 1 && *v.Direction == report.A2B, "%s: %+v", what, v)
	}
}

// TestBlackHoleByKeepAlive: 500 bytes arrive on subflow 1, and two segments of 1400 never, one of which is sent
// three times. A keep-alive after them is answered, so that the path is not dead.
func TestBlackHoleByKeepAlive(t *testing.T) {
	for answered, want := range map[bool]bool{true: true, false: false} {
		s, _, second := beginTwo()
		second.Data(tracegen.A2B, 300*ms, 0, 500)
		m := second.Map(tracegen.A2B, 500, 2800)
		m.Send(500*ms, 0, 1400).Lose()
		m.Send(501*ms, 1400, 1400).Lose()
		for i := range time.Duration(2) {
			m.Send(700*ms+i*500*ms, 0, 1400).Lose()
		}
		probe := second.Ack(tracegen.A2B, 2500*ms)
		probe.Edit(func(p *tracegen.Packet) { p.Seq -= 2801 })
		if answered {
			second.Ack(tracegen.B2A, probe.ArrivesAt())
		}
		got := len(verdictsOf(see(t, s, tracegen.HostA), report.VerdictBlackHole)) == 1
		assert.Check(t, got == want, "answered %v: a black hole: %v", answered, got)
	}
}
