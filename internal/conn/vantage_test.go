package conn

import (
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/tracegen"
)

func TestVantage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		view  tracegen.View
		link  tracegen.LinkType
		delay [2]time.Duration
		fromB bool
		want  Vantage
		why   string
	}{
		{"handshake at A", tracegen.HostA, tracegen.LinkRaw, [2]time.Duration{10 * ms, 10 * ms}, false, AtA, "handshakes"},
		{"handshake at B", tracegen.HostB, tracegen.LinkRaw, [2]time.Duration{10 * ms, 10 * ms}, false, AtB, "handshakes"},
		{"handshake in the middle", tracegen.Middle, tracegen.LinkRaw, [2]time.Duration{10 * ms, 10 * ms}, false, Middle, "handshakes"},
		{"a fast path", tracegen.HostA, tracegen.LinkRaw, [2]time.Duration{ms / 4, ms / 4}, false, Unknown, "1 ms"},
		{"a path of 1 ms", tracegen.HostA, tracegen.LinkRaw, [2]time.Duration{ms / 2, ms / 2}, false, AtA, "handshakes"},
		{"cooked at A", tracegen.HostA, tracegen.LinkSLL, [2]time.Duration{ms / 4, ms / 4}, false, AtA, "sent by the capturing host"},
		{"cooked at B", tracegen.HostB, tracegen.LinkSLL2, [2]time.Duration{ms / 4, ms / 4}, false, AtB, "sent by the capturing host"},
		{"cooked in the middle", tracegen.Middle, tracegen.LinkSLL, [2]time.Duration{ms / 4, ms / 4}, false, Middle, "received"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tracegen.NewSession(tracegen.Config{Version: 1})
			p := path(0)
			p.Delay = tt.delay
			h := s.Subflow(p)
			first := h.Open(0)
			p = path(1)
			p.Delay, p.FromB = tt.delay, true // a join from B has the same result
			g := s.Subflow(p)
			g.Open(first.Established())
			_, r := feed(segments(t, s.Packets(tt.view), tt.link))
			if v, why := r.only(t).c.Vantage(); v != tt.want || !strings.Contains(why, tt.why) {
				t.Errorf("%v (%s), want %v (%s)", v, why, tt.want, tt.why)
			}
		})
	}
}

// The median over handshakes: one unusual join does not change the result of two others.
func TestVantageMedian(t *testing.T) {
	if m := median([]float64{0.1, 0.4, 0.6, 0.9}); m != 0.5 {
		t.Errorf("median of four %v, want (0.4 + 0.6) / 2", m)
	}
	if m := median([]float64{0.1, 0.98, 0.99}); m != 0.98 {
		t.Errorf("median of three %v", m)
	}
}

func TestVantageForced(t *testing.T) {
	s, _, _ := opened(tracegen.Config{Version: 1})
	r := &recorder{}
	table := NewTable(Options{Vantage: AtB}, r)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	for i := range segs {
		table.Segment(&segs[i])
	}
	if v, why := r.only(t).c.Vantage(); v != AtB || why != "given" {
		t.Errorf("%v (%s)", v, why)
	}
}
