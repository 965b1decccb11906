package diagnose_test

import (
	"net/netip"
	"slices"
	"testing"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestJoinsBeyond: of 1,200 subflows that are open, 1,024 are followed. The data of the others is in the
// capture, so no path is missing from it; a warning says what became of the joins.
func TestJoinsBeyond(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1})
	at := 0 * ms
	for i := range 1200 {
		p := path(min(i, 1), ms)
		p.A = netip.AddrPortFrom(p.A.Addr(), uint16(2000+i))
		f := s.Subflow(p)
		h := f.Open(at)
		at = f.Data(tracegen.A2B, h.Established(), int64(1000*i), 1000).ArrivesAt() + 3*ms
	}
	doc := see(t, s, tracegen.HostA)
	if !slices.ContainsFunc(doc.Warnings, func(w report.Warning) bool { return w.Code == "subflow_limit" }) {
		t.Error("no warning that joins are not followed")
	}
	without(t, "joins beyond", doc, report.VerdictUncaptured)
}
