package plot_test

import (
	"errors"
	"math"
	"testing"

	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// TestOneWayDelay: the second capture's clock is 300 ms ahead and gains 100 ppm,
// so 0.1 ms in a second. Data from the first capture's host that is sent at 1 s
// and stamped 1.32 s takes 1320 - 1000 - 300.1 = 19.9 ms; data from the other
// host, stamped 1.3 s there and 1.02 s here, left at 1.3 - 0.30013 = 0.99987 s
// and took 1020 - 999.87 = 20.13 ms.
func TestOneWayDelay(t *testing.T) {
	k := kindNamed(t, "owd")
	for _, tt := range []struct {
		direction        report.Direction
		sent, arrived    int64
		wantAt, wantTook float64
	}{
		{report.A2B, 1000e6, 1320e6, 1, 19.9},
		{report.B2A, 1300e6, 1020e6, 0.99987, 20.13},
	} {
		s := timeline.New(k.Config(nil, 0, 0))
		cell := report.Cell{Direction: tt.direction, Path: "wifi"}
		if err := s.Packet(&report.PacketRow{Cell: cell, Fate: "arrived", Sent: tt.sent, Arrived: tt.arrived}); err != nil {
			t.Fatal(err)
		}
		start := report.Time(1e18)
		doc := &report.Document{
			Captures:    report.List[report.Capture]{{First: &start}},
			Connections: report.List[report.Connection]{{Start: start, Vantage: report.VantageA}},
			Clock:       &report.Clock{Offset: new(300.0), Drift: 100},
		}
		r := &plot.Run{Document: doc, Store: s, Direction: tt.direction}
		f := drawnBy(t, &k, nil, r)
		shows(t, &f.Panels[0], map[string][]plot.Coord{"wifi": {flat(tt.wantAt, tt.wantTook)}})
		// Of the 0.5 ms before and behind, a store gets those packets.
		r.From, r.To = int64(tt.wantAt*1e9)-500e3, int64(tt.wantAt*1e9)+500e3
		if from, to := r.SendingTime(); math.Abs(float64(from-tt.sent+500e3)) > 100 || math.Abs(float64(to-tt.sent-500e3)) > 100 {
			t.Errorf("%s: sent from %d to %d, want %d and 0.5 ms around it", tt.direction, from, to, tt.sent)
		}
		if _, err := k.Make([]*plot.Run{r}, nil); err != nil {
			t.Errorf("%s: the packet is not in its time: %v", tt.direction, err)
		}
		r.From, r.To = 0, 0.5e9
		if _, err := k.Make([]*plot.Run{r}, nil); !errors.Is(err, plot.ErrEmpty) {
			t.Errorf("%s: a packet of 1 s is drawn before 0.5 s: %v", tt.direction, err)
		}
		doc.Clock = nil
		if _, err := k.Make([]*plot.Run{r}, nil); !errors.Is(err, plot.ErrEmpty) {
			t.Errorf("%s: drawn from one capture: %v", tt.direction, err)
		}
	}
}
