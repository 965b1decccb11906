package engine_test

import (
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// TestVantages analyses the captures of both hosts of real sessions, each on its own and both as one.
// Analysed as one, the two captures take each delay from the host that shows it. Of a loss the receiver
// sees only the gap that a later copy fills.
func TestVantages(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, client := range testrun.Few(clients(t)) {
		server := filepath.Join(filepath.Dir(client), "server.pcap.zst")
		if matches, _ := filepath.Glob(server); matches == nil {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(client)), func(t *testing.T) {
			a, b, both := reportOn(t, client), reportOn(t, server), reportOn(t, client, server)
			for i := range a.Connections {
				for j := range b.Connections {
					if x, y := &a.Connections[i], &b.Connections[j]; same(x.TokenB, y.TokenB) && x.Vantage == "a" && y.Vantage == "b" {
						compared++
						third(t, x, y, both)
					}
				}
			}
		})
	}
	assert.Check(t, compared >= 4 || testing.Short(), "only %d connections with captures of both hosts", compared)
}

func same(a, b *string) bool { return a != nil && b != nil && *a == *b }

// reported keeps the reports on sessions for all tests that look at them.
var reported sync.Map

// reportOn returns the report on one capture, or on both hosts'. The caller must not change it.
func reportOn(t *testing.T, path string, other ...string) *report.Document {
	t.Helper()
	once, _ := reported.LoadOrStore(strings.Join(append([]string{path}, other...), " "), sync.OnceValue(func() *report.Document {
		o := wholly(path)
		o.Receiver = other
		doc := analyzed(t, o)
		sane(t, doc)
		return doc
	}))
	return once.(func() *report.Document)()
}

// third compares the report on both captures with that on each of them: x is the client's,
// which is A.
func third(t *testing.T, x, y *report.Connection, both *report.Document) {
	for k := range both.Connections {
		z := &both.Connections[k]
		if !same(z.TokenB, x.TokenB) || x.Fallback != nil || y.Fallback != nil {
			continue
		}
		for i := range x.Subflows {
			for j := range y.Subflows {
				for n := range z.Subflows {
					if s := &z.Subflows[n]; s.A == x.Subflows[i].A && *s.ReceiverA == y.Subflows[j].A {
						thirdSub(t, report.A2B, s, &x.Subflows[i], &y.Subflows[j])
						thirdSub(t, report.B2A, s, &y.Subflows[j], &x.Subflows[i])
					}
				}
			}
		}
		for _, dir := range report.Directions {
			sender, receiver := x.Dir(dir), y.Dir(dir)
			if dir == report.B2A {
				sender, receiver = receiver, sender
			}
			if d := z.Dir(dir).ProtocolDelay; d != nil {
				stats(t, string(dir)+" protocol_delay_ms", d, sender.ProtocolDelay)
				roundTrip(t, dir, z)
			}
			receivers(t, dir, z.Dir(dir), receiver)
		}
	}
}

// receivers checks that both captures have the HoL degree of the receiver's, with the same
// evidence.
func receivers(t *testing.T, direction report.Direction, both, receiver *report.ConnDir) {
	t.Helper()
	for _, c := range []struct {
		name      string
		got, want *report.Stat
	}{
		{"hol_degree_ms", both.HoLDegree, receiver.HoLDegree},
		{"hol_blocking_ms", both.HoLBlocking, receiver.HoLBlocking},
		{"hol_degree_all_paths_ms", both.HoLDegreeAllPaths, receiver.HoLDegreeAllPaths},
	} {
		assert.Check(t, is.DeepEqual(c.got, c.want), "%s %s", direction, c.name)
	}
}

// heldUp are sessions with a packet that came later than reordering explains: its copy fills the gap at
// the receiver, where that looks like a loss.
var heldUp = map[string]int64{"TestVantages/l-spurious": 1}

// thirdSub compares a subflow. Drops inferred at the sender may be too many if a DSACK was lost, and too
// few by what a dead path lost at its end. Gaps filled at the receiver are a lower bound.
func thirdSub(t *testing.T, dir report.Direction, z, s, r *report.Subflow) {
	both, sender, receiver, direction := z.Dir(dir), s.Dir(dir), r.Dir(dir), string(dir)
	if d, guess, gaps := both.Drops, sender.Drops, receiver.Drops; d != nil && both.CapturedSegments > 0 {
		if gaps != nil && gaps.Evidence == report.Holes && gaps.Count > d.Count+heldUp[t.Name()] {
			t.Errorf("%s, subflow %d: %d gaps were filled, %d segments lost", direction, z.ID, gaps.Count, d.Count)
		}
		if guess != nil && guess.Evidence == report.Inferred && (guess.Count > d.Count+1 || guess.Count+guess.Unresolved < d.Count) {
			t.Errorf("%s, subflow %d: the sender infers %d drops (%d open), there were %d", direction, z.ID, guess.Count, guess.Unresolved, d.Count)
		}
	}
	if *both.BytesUnique != *sender.BytesUnique {
		t.Errorf("%s: both tell of %d bytes, the sender of %d", direction, *both.BytesUnique, *sender.BytesUnique)
	}
	stats(t, direction+" path_delay_ms", both.PathDelay, sender.PathDelay)
	stats(t, direction+" waiting_time_ms", both.WaitingTime, sender.WaitingTime)
	stats(t, direction+" in_order_wait_ms", both.InOrderWait, receiver.InOrderWait)
	if receiver.HoLWait != nil {
		stats(t, direction+" hol_wait_ms", &both.HoLWait.Stat, &receiver.HoLWait.Stat)
	}
}

// stats checks that both captures have the same delay as one, with its evidence.
func stats(t *testing.T, what string, both, one *report.Stat) {
	t.Helper()
	if both == nil && one == nil {
		return
	}
	if both == nil || one == nil {
		t.Errorf("%s: %v by both captures, %v by one", what, both, one)
		return
	}
	want := *one
	want.Evidence = report.Matched
	assert.Check(t, is.DeepEqual(*both, want), "%s (-one capture +both)", what)
}

// roundTrip checks that the delays of both captures together agree with those of the
// sender. No DATA_ACK can be there before its data was in order at the other host and a
// packet came back. An error of the clocks adds to one direction what it takes from the
// other.
func roundTrip(t *testing.T, direction report.Direction, c *report.Connection) {
	d, other := c.Dir(direction), report.B2A
	if direction == other {
		other = report.A2B
	}
	sum, bytes, back := 0.0, 0.0, math.Inf(1)
	for i := range c.Subflows {
		x, y := c.Subflows[i].Dir(direction), c.Subflows[i].Dir(other)
		if x.PathDelay != nil {
			share := float64(*x.BytesUnique - *x.ReinjectedBytes)
			sum += share * x.PathDelay.Avg
			bytes += share
		}
		if y.AckOWD != nil {
			back = min(back, y.AckOWD.Min)
		}
		if y.OWD != nil {
			back = min(back, y.OWD.Min)
		}
	}
	if d.EndToEnd == nil || bytes == 0 {
		t.Errorf("%s: no end-to-end delay", direction)
		return
	}
	// Means over bytes weigh each byte once; rounding is left.
	if got := sum / bytes; d.EndToEnd.Avg+back > got+1e-3 {
		t.Errorf("%s: a byte takes %.3f ms and at least %.3f back, but is acknowledged after %.3f", direction, d.EndToEnd.Avg, back, got)
	}
}
