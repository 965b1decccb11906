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

// TestVantages analyses the captures of both hosts of real sessions, each on
// its own and both as one, and compares what they say of the same data. The definitions
// for the two places differ, and so do the figures, by as much as the
// definitions explain:
//
//   - the receiver's round trips are sums of two halves taken from timestamps,
//     a few percent off in a bulk transfer;
//   - its protocol delay starts at the first arrival, so it is blind to what
//     was lost before, and counts a whole smoothed round trip for the way
//     there and back, which the queue of the way back never made;
//   - it sees of a loss only the gap that a later copy fills.
//
// Analysed as one, the two captures take each delay from the host that shows it.
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
						agree(t, report.A2B, x, y)
						agree(t, report.B2A, y, x)
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

// bulk is the least size of a transfer with enough round trips to compare.
const bulk = 500_000

// agree compares the figures of one direction at its sender and at its receiver.
func agree(t *testing.T, direction report.Direction, sender, receiver *report.Connection) {
	s, r := sender.Dir(direction), receiver.Dir(direction)
	if *s.Bytes < bulk || sender.Fallback != nil || receiver.Fallback != nil || sender.State != report.ConnClosed {
		return
	}
	if *s.Bytes != *r.Bytes {
		t.Errorf("%s: the sender tells of %d bytes, the receiver of %d", direction, *s.Bytes, *r.Bytes)
	}
	if s.ProtocolDelay == nil || r.ProtocolDelay == nil {
		t.Errorf("%s: protocol delay %v and %v", direction, s.ProtocolDelay, r.ProtocolDelay)
	} else {
		near(t, string(direction)+" protocol_delay_ms.avg", s.ProtocolDelay.Avg, r.ProtocolDelay.Avg, 0.25, 10)
	}
	for i := range sender.Subflows {
		for j := range receiver.Subflows {
			if sender.Subflows[i].A.Port == receiver.Subflows[j].A.Port {
				agreeSub(t, string(direction), sender.Subflows[i].Dir(direction), receiver.Subflows[j].Dir(direction))
			}
		}
	}
}

func agreeSub(t *testing.T, direction string, s, r *report.SubDir) {
	if *s.BytesUnique != *r.BytesUnique {
		t.Errorf("%s: a subflow carried %d bytes by its sender, %d by its receiver", direction, *s.BytesUnique, *r.BytesUnique)
	}
	if s.SRTT != nil && r.SRTT != nil && r.SRTT.Samples >= 50 {
		near(t, direction+" srtt_ms.avg", s.SRTT.Avg, r.SRTT.Avg, 0.12, 2)
	}
	if s.Drops != nil && r.Drops != nil {
		if r.Drops.Count > s.Drops.Count+1 || float64(r.Drops.Count) < 0.8*float64(s.Drops.Count)-3 {
			t.Errorf("%s: %d segments dropped by the sender's evidence, %d gaps at the receiver", direction, s.Drops.Count, r.Drops.Count)
		}
	}
}

func near(t *testing.T, what string, sender, receiver, rel, abs float64) {
	t.Helper()
	assert.Check(t, math.Abs(sender-receiver) <= rel*sender+abs, "%s: %.3f by the sender, %.3f by the receiver", what, sender, receiver)
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
