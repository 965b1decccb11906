package engine_test

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// TestTimeAccountsAddUp: in every bundled session the states of each account add up to its time,
// and their percentages to 100; a subflow has no more time than its connection. Each subflow that
// carried data has an account if its connection has one. So it is at the place of the capture, and if
// it is taken for one between the hosts.
func TestTimeAccountsAddUp(t *testing.T) {
	accounts := map[report.SeenAt]int{}
	t.Parallel()
	for _, file := range testrun.Few(bundled(t)) {
		o := wholly(file)
		o.Vantage = report.VantageMiddle
		for _, d := range []*report.Document{reportOn(t, file), analyzed(t, o)} {
			for i := range d.Connections {
				for _, dir := range report.Directions {
					accountsOfConnection(t, file, &d.Connections[i], dir, accounts)
				}
			}
		}
	}
	for _, at := range []report.SeenAt{report.SeenAtSender, report.SeenAtReceiver, report.SeenBetween} {
		assert.Check(t, accounts[at] != 0 || testing.Short(), "no account seen at: %s", at)
	}
}

// accountsOfConnection checks the accounts of a direction.
func accountsOfConnection(t *testing.T, file string, c *report.Connection, dir report.Direction, accounts map[report.SeenAt]int) {
	t.Helper()
	whole := c.Dir(dir)
	if whole == nil || whole.TimeAccount == nil {
		return
	}
	accounts[whole.TimeAccount.SeenAt]++
	accountAddsUp(t, file, whole.TimeAccount)
	for n := range c.Subflows {
		s := c.Subflows[n].Dir(dir)
		switch {
		case s == nil:
		case s.TimeAccount == nil:
			assert.Check(t, s.Volume() <= 0, "%s: subflow %d with data has no account", file, n)
		default:
			accountAddsUp(t, file, s.TimeAccount)
			if s.TimeAccount.DurationMS > whole.TimeAccount.DurationMS+1e-6 {
				t.Errorf("%s: subflow %d has %g ms of %g", file, n, s.TimeAccount.DurationMS, whole.TimeAccount.DurationMS)
			}
		}
	}
}

// accountAddsUp checks the sums of one account.
func accountAddsUp(t *testing.T, file string, x *report.TimeAccount) {
	t.Helper()
	ms, share := 0.0, 0.0
	for _, s := range []report.StateTime{x.Down, x.Recovery, x.Rwnd, x.Window, x.SlowStart, x.Path, x.CongestionWindow, x.Scheduler, x.Application, x.Idle, x.Undetermined} {
		assert.Check(t, s.MS >= 0 && s.Percent >= 0, "%s: %+v", file, s)
		ms += s.MS
		share += s.Percent
	}
	if math.Abs(ms-x.DurationMS) > 1e-6*max(1, x.DurationMS) || x.DurationMS > 0 && math.Abs(share-100) > 1e-9 {
		t.Errorf("%s: %g ms of %g, %g %%", file, ms, x.DurationMS, share)
	}
}
