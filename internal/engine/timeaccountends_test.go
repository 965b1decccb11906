package engine_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// atBothEnds is by how much the share of a state at the receiver may be above that at the sender,
// points. The accounts begin and end half a round trip apart, and a loss is known half a round trip
// earlier at one end.
const atBothEnds = 5

// TestTimeAccountsAtBothEnds: in every bundled session that was captured at both ends the account of
// the receiver claims no state that the account of the sender contradicts. The receiver claims less:
// what it cannot prove is undetermined. Two states are named differently at the sender. A loss is
// repaired there only as long as the path answers; else it is down. And congestion_window is
// what is left over there, so it excludes no state. Accounts shorter than a second do not count: a
// round trip is too much of them.
func TestTimeAccountsAtBothEnds(t *testing.T) {
	t.Parallel()
	told := map[string]int{}
	for _, name := range testrun.Few(clients(t)) {
		server := filepath.Join(filepath.Dir(name), "server.pcap.zst")
		if found, _ := filepath.Glob(server); found == nil {
			continue
		}
		atA := map[string]*report.Connection{} // by the token of a
		for i := range reportOn(t, name).Connections {
			if c := &reportOn(t, name).Connections[i]; c.TokenA != nil {
				atA[*c.TokenA] = c
			}
		}
		for i := range reportOn(t, server).Connections {
			b := &reportOn(t, server).Connections[i]
			if b.TokenA == nil || atA[*b.TokenA] == nil {
				continue
			}
			a := atA[*b.TokenA]
			accountsAgree(t, told, server+" a2b", accountsOf(a, report.A2B), accountsOf(b, report.A2B))
			accountsAgree(t, told, server+" b2a", accountsOf(b, report.B2A), accountsOf(a, report.B2A))
		}
	}
	for _, state := range []string{"recovery", "rwnd", "path"} {
		assert.Check(t, told[state] != 0 || testing.Short(), "no account of a receiver tells %s: nothing is compared", state)
	}
}

// accountsOf returns the accounts of a direction: of the connection and of the subflows, by the
// address and port of a.
func accountsOf(c *report.Connection, dir report.Direction) map[string]*report.TimeAccount {
	out := map[string]*report.TimeAccount{}
	if of := c.Dir(dir); of != nil && of.TimeAccount != nil {
		out["connection"] = of.TimeAccount
	}
	for i := range c.Subflows {
		if s := &c.Subflows[i]; s.Dir(dir) != nil && s.Dir(dir).TimeAccount != nil {
			out[fmt.Sprint(s.A)] = s.Dir(dir).TimeAccount
		}
	}
	return out
}

// accountsAgree compares the accounts of the sender with those of the receiver.
func accountsAgree(t *testing.T, told map[string]int, name string, sender, receiver map[string]*report.TimeAccount) {
	t.Helper()
	for of, s := range sender {
		r := receiver[of]
		if r == nil || s.SeenAt != report.SeenAtSender || r.SeenAt != report.SeenAtReceiver || s.DurationMS < 1000 {
			continue
		}
		for _, x := range []struct {
			state            string
			receiver, sender float64
		}{
			{"down", r.Down.Percent, s.Down.Percent},
			{"recovery", r.Recovery.Percent, s.Recovery.Percent + s.Down.Percent},
			{"rwnd", r.Rwnd.Percent, s.Rwnd.Percent},
			{"path", r.Path.Percent, s.Path.Percent + s.CongestionWindow.Percent},
		} {
			if x.receiver > x.sender+atBothEnds {
				t.Errorf("%s, %s: %s is %.1f %% at the receiver and at most %.1f %% at the sender", name, of, x.state, x.receiver, x.sender)
			}
			if x.receiver > atBothEnds {
				told[x.state]++
			}
		}
		if n := r.Window.MS + r.SlowStart.MS + r.CongestionWindow.MS + r.Scheduler.MS + r.Application.MS + r.Idle.MS; n != 0 {
			t.Errorf("%s, %s: the receiver cannot tell %g ms of its account", name, of, n)
		}
	}
}
