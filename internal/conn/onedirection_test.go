package conn

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/tracegen"
)

// TestOneDirectionWarning: of three sessions in a row those that are said to be so show one end alone. The
// warning comes where they are half of the connections or more, and names how many.
func TestOneDirectionWarning(t *testing.T) {
	for _, c := range []struct {
		alone string // by session: the end that is there, or "2"
		want  string // of the message; empty for no warning
	}{
		{"222", ""},
		{"a22", ""},
		{"a2b", "of 2 of 3 connections (of a: 1, of b: 1)"},
		{"aaa", "of 3 of 3 connections (of a: 3, of b: 0)"},
	} {
		table := NewTable(Options{})
		for i, alone := range c.alone {
			s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, Keys: [2]uint64{uint64(10 + i), uint64(20 + i)}})
			f := s.Subflow(path(i))
			h := f.Open(0)
			for n := range int64(5) {
				f.Data(tracegen.A2B, h.Established()+10*ms, 1000*n, 1000)
			}
			packets := s.Packets(tracegen.HostA)
			var out []int
			for k, p := range packets {
				if alone != '2' && (p.Src == path(i).A) != (alone == 'a') {
					out = append(out, k+1)
				}
			}
			for _, seg := range segments(t, packets, tracegen.LinkEthernet, out...) {
				table.Segment(&seg)
			}
		}
		table.Finish()
		got := ""
		for _, w := range table.Warnings.List() {
			if w.Code == OneDirection {
				got = w.Message
			}
		}
		assert.Check(t, strings.Contains(got, c.want) && (got == "") == (c.want == ""), "%s: %q, want %q", c.alone, got, c.want)
	}
}
