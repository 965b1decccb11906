package engine_test

import (
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestFairness: for 3 s a Multipath TCP connection sends 1000 bytes each millisecond, and a
// plain one from another host over the same network two thirds of that. Only the label
// shows that the path is the same. Both captures together give the same result as the
// sender's.
func TestFairness(t *testing.T) {
	net := tracegen.NewNetwork(time.Unix(1700000000, 0))
	end := netip.MustParseAddrPort
	multi := net.Session(tracegen.Config{Version: 1})
	f := multi.Subflow(tracegen.Path{A: end("10.0.0.1:40000"), B: end("10.9.0.1:80")})
	f.Open(0)
	g := net.Session(tracegen.Config{Plain: true}).Subflow(tracegen.Path{A: end("10.0.0.2:40000"), B: end("10.9.0.2:80")})
	g.Open(100 * time.Millisecond)
	for i := range int64(3000) {
		at := time.Second + time.Duration(i)*time.Millisecond
		x := f.Data(tracegen.A2B, at, 1000*i, 1000)
		f.Ack(tracegen.B2A, x.ArrivesAt())
		if i%3 > 0 {
			y := g.Data(tracegen.A2B, at, 1000*(2*(i/3)+i%3-1), 1000)
			g.Ack(tracegen.B2A, y.ArrivesAt())
		}
	}
	a := writeView(t, "a.pcap", net.Packets(tracegen.HostA), tracegen.Format{}, nil)
	b := writeView(t, "b.pcap", net.Packets(tracegen.HostB), tracegen.Format{}, nil)
	labels := []engine.Label{{Prefix: netip.MustParsePrefix("10.0.0.0/24"), Name: "wifi"}}
	fair := func(o engine.Options) *report.Fairness {
		t.Helper()
		o.Connection = engine.AllConnections
		return analyzed(t, o).Fairness
	}
	if got := fair(engine.Options{Paths: []string{a}, Labels: labels}); got != nil {
		t.Errorf("unasked: %+v", got)
	}
	if got := fair(engine.Options{Paths: []string{a}, Fairness: true}); got == nil || len(got.Paths)+len(got.Connections) > 0 {
		t.Errorf("without a label: %+v", got)
	}
	for _, o := range []engine.Options{{Paths: []string{a}}, {Paths: []string{a}, Receiver: []string{b}}} {
		o.Labels, o.Fairness = labels, true
		got := fair(o)
		assert.Assert(t, len(got.Paths) == 1 && len(got.Connections) == 1, "%+v", got)
		p, c := got.Paths[0], got.Connections[0]
		if p.Path != "wifi" || p.Direction != report.A2B || p.MPTCPShare < 59.5 || p.MPTCPShare > 60.5 || p.BothActive < 2.7 || p.BothActive > 3 {
			t.Errorf("%+v, want 60 %% of the bytes for nearly 3 s", p)
		}
		if c.Ratio < 1.48 || c.Ratio > 1.52 || !c.TakesMore || c.BestPath != "wifi" || c.Rate < 7.9 || c.Rate > 8.1 {
			t.Errorf("%+v, want 8 Mbit/s, 1.5 times plain TCP", c)
		}
	}
}
