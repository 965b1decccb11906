package conn

import (
	"testing"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/tracegen"
)

// TestClosedByRemoveAddr: a subflow that ends after its address was withdrawn has that
// cause, however it ends. A subflow of another address has not, nor one that lasts longer
// than the data.
func TestClosedByRemoveAddr(t *testing.T) {
	withdraw := func(ids ...uint8) *mptcp.RemoveAddr {
		var o mptcp.RemoveAddr
		o.N = uint8(copy(o.List[:], ids))
		return &o
	}
	for name, tt := range map[string]struct {
		from tracegen.Dir
		ids  []uint8
		end  func(*tracegen.Session, *tracegen.Subflow)
		want string
	}{
		"FIN":             {a2b, []uint8{1}, func(_ *tracegen.Session, f *tracegen.Subflow) { f.FIN(a2b, 300*ms) }, "rm_addr"},
		"RST":             {a2b, []uint8{9, 1}, func(_ *tracegen.Session, f *tracegen.Subflow) { f.RST(b2a, 300*ms) }, "rm_addr"},
		"the other end":   {b2a, []uint8{11}, func(_ *tracegen.Session, f *tracegen.Subflow) { f.FIN(a2b, 300*ms) }, "rm_addr"},
		"nothing":         {a2b, []uint8{1}, func(*tracegen.Session, *tracegen.Subflow) {}, "rm_addr"},
		"it goes on":      {a2b, []uint8{1}, func(_ *tracegen.Session, f *tracegen.Subflow) { f.Ack(a2b, 300*ms) }, ""},
		"another id":      {a2b, []uint8{2}, func(_ *tracegen.Session, f *tracegen.Subflow) { f.FIN(a2b, 300*ms) }, "FIN"},
		"another's id":    {b2a, []uint8{1}, func(_ *tracegen.Session, f *tracegen.Subflow) { f.FIN(a2b, 300*ms) }, "FIN"},
		"end of the data": {a2b, []uint8{1}, func(s *tracegen.Session, _ *tracegen.Subflow) { s.Close(300*ms, 0, 0) }, "FIN"},
	} {
		s, first, at := opened(tracegen.Config{Version: 1})
		f, _ := joined(s, 1, at)
		first.Signal(tt.from, 200*ms, withdraw(tt.ids...))
		tt.end(s, f)
		if got := analyse(t, s, tracegen.HostA).only(t).c.Subflows[1].CloseCause; got != tt.want {
			t.Errorf("%s: closed by %q, want %q", name, got, tt.want)
		}
	}
}
