package engine_test

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// TestTimeAccountsAddUp: in every bundled session the states of each account add up to its time,
// and their percentages to 100; a subflow has no more time than its connection. Each subflow that
// carried data has an account if its connection has one. So it is at the place of the capture, and if
// it is taken for one between the hosts.
func TestTimeAccountsAddUp(t *testing.T) {
	accounts := map[report.SeenAt]int{}
	files, err := filepath.Glob(sessions + "/v[01]/*/*.pcap.zst")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range testrun.Few(append(files, files...)) {
		vantage := report.Vantage("")
		if i >= len(files) {
			vantage = report.VantageMiddle
		}
		d, err := engine.Analyze(t.Context(), engine.Options{Paths: []string{file}, Interval: 100 * time.Millisecond, Connection: engine.AllConnections, Vantage: vantage})
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Connections {
			c := &d.Connections[i]
			for k, dir := range []*report.ConnDir{c.A2B, c.B2A} {
				if dir == nil || dir.TimeAccount == nil {
					continue
				}
				accounts[dir.TimeAccount.SeenAt]++
				accountAddsUp(t, file, dir.TimeAccount)
				for n := range c.Subflows {
					s := []*report.SubDir{c.Subflows[n].A2B, c.Subflows[n].B2A}[k]
					switch {
					case s == nil:
					case s.TimeAccount == nil:
						if s.Volume() > 0 {
							t.Errorf("%s: subflow %d with data has no account", file, n)
						}
					default:
						accountAddsUp(t, file, s.TimeAccount)
						if s.TimeAccount.DurationMS > dir.TimeAccount.DurationMS+1e-6 {
							t.Errorf("%s: subflow %d has %g ms of %g", file, n, s.TimeAccount.DurationMS, dir.TimeAccount.DurationMS)
						}
					}
				}
			}
		}
	}
	for _, at := range []report.SeenAt{report.SeenAtSender, report.SeenAtReceiver, report.SeenBetween} {
		if accounts[at] == 0 && !testing.Short() {
			t.Errorf("no account seen at: %s", at)
		}
	}
}

// accountAddsUp checks the sums of one account.
func accountAddsUp(t *testing.T, file string, x *report.TimeAccount) {
	t.Helper()
	ms, share := 0.0, 0.0
	for _, s := range []report.StateTime{x.Down, x.Recovery, x.Rwnd, x.Window, x.SlowStart, x.Path, x.CongestionWindow, x.Scheduler, x.Application, x.Idle, x.Undetermined} {
		if s.MS < 0 || s.Percent < 0 {
			t.Errorf("%s: %+v", file, s)
		}
		ms += s.MS
		share += s.Percent
	}
	if math.Abs(ms-x.DurationMS) > 1e-6*max(1, x.DurationMS) || x.DurationMS > 0 && math.Abs(share-100) > 1e-9 {
		t.Errorf("%s: %g ms of %g, %g %%", file, ms, x.DurationMS, share)
	}
}
