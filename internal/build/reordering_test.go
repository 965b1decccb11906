package build_test

import (
	"net/netip"
	"testing"
	"time"

	"mpanalyze/internal/tracegen"
)

// TestNReordering: one chunk arrives after n others. It is n-reordered for each number up to n;
// the list has the first 1024 of these.
func TestNReordering(t *testing.T) {
	addr := netip.MustParseAddrPort
	for _, c := range []struct{ behind, listed int }{{0, 0}, {20, 20}, {1100, 1024}} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		f := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80")})
		f.Open(0)
		for i := range c.behind {
			f.Data(tracegen.A2B, time.Second+time.Duration(i)*time.Millisecond, int64(100*(i+1)), 100)
		}
		f.Data(tracegen.A2B, 3*time.Second, 0, 100)
		o := document(t, s, tracegen.HostB).Connections[0].A2B.OutOfOrder
		if o.MaxNReordering != int64(c.behind) || len(o.NReordering) != c.listed {
			t.Fatalf("behind %d: the largest n is %d, %d are listed, want %d", c.behind, o.MaxNReordering, len(o.NReordering), c.listed)
		}
		for n, percent := range o.NReordering {
			if want := 100 / float64(c.behind+1); percent != want {
				t.Errorf("behind %d, n = %d: %v %%, want %v", c.behind, n+1, percent, want)
			}
		}
	}
}
