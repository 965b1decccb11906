package plot_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// bothHosts is a session that both hosts captured, with clocks that agree. A sends five chunks of
// 1000 bytes, one every 100 ms from 100 ms on, the third over lte and the others over wifi. Over
// wifi they take 20 and 24 ms in turn, over lte 150 ms, so that the fourth arrives before the
// third and waits for it. A packet of lte is lost at 350 ms, and a last one takes 118 ms.
func bothHosts(t *testing.T, k *plot.Kind) *plot.Run {
	t.Helper()
	const ms = 1e6
	store, arrivals := timeline.New(k.Config(nil, 0, 0)), timeline.New(k.ArrivalConfig())
	type moved struct{ sub, at, took, delivered int64 }
	r := &plot.Run{Store: store, Connection: plot.AllConnections}
	for i, c := range []moved{{0, 100, 20, 120}, {0, 200, 24, 224}, {1, 300, 150, 450}, {0, 400, 20, 450}, {0, 500, 24, 524}} {
		row := chunk(int(c.sub), 1+1000*int64(i), 1, 1000, c.at, report.ChunkFirst)
		row.Arrived, row.Delivered = (c.at+c.took)*ms, c.delivered*ms
		sent(t, r, row)
	}
	for _, p := range []moved{{0, 100, 20, 0}, {0, 200, 24, 0}, {0, 400, 20, 0}, {1, 300, 150, 0}, {1, 350, 0, 0}, {0, 500, 24, 0}, {1, 450, 118, 0}} {
		row := report.PacketRow{Cell: *chunk(int(p.sub), 0, 0, 0, p.at, report.ChunkFirst).Cell, Fate: "arrived", Sent: p.at * ms, Arrived: (p.at + p.took) * ms}
		if p.took == 0 {
			row.Fate, row.Arrived = "lost", report.NoTime
		}
		assert.NilError(t, store.Packet(&row))
	}
	put(t, arrivals, "dsn_offset", report.NoSubflow, [2]float64{0.120}, [2]float64{0.224}, [2]float64{0.420, 1000}, [2]float64{0.450, -2000}, [2]float64{0.524, 1000})
	// At the receiver, lte is subflow 0: 1000 bytes in a cell of 100 ms are 0.08 Mbit/s.
	for sub, rates := range map[int][2]float64{report.NoSubflow: {0.08, 0.16}, 0: {0, 0.08}, 1: {0.08, 0.08}} {
		put(t, arrivals, "throughput", sub, [2]float64{0.12, rates[0]}, [2]float64{0.22, rates[1]})
	}
	start := report.Time(1e18)
	conn := report.Connection{
		Start: start, Vantage: report.VantageA, A2B: &report.ConnDir{}, B2A: &report.ConnDir{},
	}
	a, nat, b := hosts("10.0.0."), hosts("192.0.2."), hosts("198.51.100.")(1)
	for i, path := range []string{"wifi", "lte"} {
		conn.Subflows = append(conn.Subflows, report.Subflow{ID: i, Path: path, A: a(i + 1), B: b, ReceiverA: new(nat(i + 1)), ReceiverB: &b, A2B: &report.SubDir{}, B2A: &report.SubDir{}})
	}
	conn.A2B.Bytes = new(int64(5000))
	doc := &report.Document{Captures: report.List[report.Capture]{{First: &start}}, Connections: report.List[report.Connection]{conn}, Clock: &report.Clock{Offset: new(0.0)}}
	r.Document = doc
	assert.NilError(t, r.Resolve())
	conn.Subflows = report.List[report.Subflow]{{ID: 0, A: nat(2), B: b, A2B: &report.SubDir{}, B2A: &report.SubDir{}}, {ID: 1, A: nat(1), B: b, A2B: &report.SubDir{}, B2A: &report.SubDir{}}}
	r.Receiver = &plot.Run{Document: &report.Document{Connections: report.List[report.Connection]{conn}}, Store: arrivals, Direction: r.Direction}
	return r
}

// hosts returns a function that makes the n-th endpoint of a network.
func hosts(network string) func(n int) report.Endpoint {
	return func(n int) report.Endpoint {
		return report.Endpoint{Addr: fmt.Sprint(network, n), Port: 1000}
	}
}

// pairFigure is a figure of n scenarios, each the session that both hosts captured.
func pairFigure(t *testing.T, kind string, names ...string) *plot.Figure {
	t.Helper()
	k := kindNamed(t, kind)
	var runs []*plot.Run
	for _, name := range names {
		r := bothHosts(t, &k)
		r.Scenario = name
		runs = append(runs, r)
	}
	f := drawnBy(t, &k, nil, runs...)
	return f
}

// TestPairFigures compares what REC16's figures show with the session: the third chunk is in
// order when it arrives, 150 ms after it was sent, and the fourth waits for it, 50 ms. Jitter is
// |D|/16 at the second packet of a path, and (15 J + |D|)/16 at each further one (RFC 3550), at
// the time of sending. Throughput is that of the receiver's capture, with the paths' names of both.
func TestPairFigures(t *testing.T) {
	f := pairFigure(t, "rec16", "")
	for panel, want := range []map[string][]plot.Coord{
		{"lte": {{X: 0.3, Lo: 2.001, Hi: 3.001}}},
		{"": {flat(0.12, 0), flat(0.224, 0), flat(0.42, 1), flat(0.45, -2), flat(0.524, 1)}},
		{"wifi": {flat(0.12, 0.08), flat(0.22, 0.08)}, "lte": {flat(0.12, 0), flat(0.22, 0.08)}, "total": {flat(0.12, 0.08), flat(0.22, 0.16)}},
		{"wifi": {flat(0.1, 20), flat(0.2, 24), flat(0.4, 50), flat(0.5, 24)}, "lte": {flat(0.3, 150)}},
		{"wifi": {flat(0.2, 0.25), flat(0.4, 0.484375), flat(0.5, 0.7041015625)}, "lte": {flat(0.45, 2)}},
	} {
		shows(t, &f.Panels[panel], want)
	}
	golden(t, "rec16", f)
	golden(t, "owd", pairFigure(t, "owd", ""))
}

// TestMeansOfPairSeries: over wifi packets take 20 and 24 ms in turn, over lte 150 and 118 ms. In cells of 200 ms from the start on, the
// means of wifi are 20 (the packet at 100 ms), 24 (at 200) and 22 (at 400 and 500 ms), those of lte 150 and 118.
func TestMeansOfPairSeries(t *testing.T) {
	k := kindNamed(t, "grid")
	k.Options.Cell = 2e8
	names := []string{"owd"}
	assert.Assert(t, k.Pair(names) && !k.Pair([]string{"srtt"}), "which metrics take both captures")
	r := bothHosts(t, &k)
	store := timeline.New(k.Config(names, 0, 0))
	for _, p := range [][3]int64{{0, 100, 20}, {0, 200, 24}, {0, 400, 20}, {1, 300, 150}, {0, 500, 24}, {1, 450, 118}} {
		row := report.PacketRow{Cell: *chunk(int(p[0]), 0, 0, 0, p[1], report.ChunkFirst).Cell, Fate: "arrived", Sent: p[1] * 1e6, Arrived: (p[1] + p[2]) * 1e6}
		assert.NilError(t, store.Packet(&row))
	}
	r.Store = store
	f := drawnBy(t, &k, names, r)
	shows(t, &f.Panels[0], map[string][]plot.Coord{"": {flat(0, 20), flat(0.2, 24), flat(0.4, 22)}})
	shows(t, &f.Panels[1], map[string][]plot.Coord{"": {flat(0.2, 150), flat(0.4, 118)}})
}

// TestArrivalOfManyChunks: of a whole session data is drawn fine, so that what is sent and what
// is received are seen apart; one chunk of each thousand that is late is not thinned away.
func TestArrivalOfManyChunks(t *testing.T) {
	k := kindNamed(t, "arrival")
	r := bothHosts(t, &k)
	for i := range int64(20_000) {
		row := chunk(0, 5001+1000*i, 1, 1000, 600+i, report.ChunkFirst)
		row.Arrived, row.Delivered = row.Sent+20e6, row.Sent+20e6
		if i%1000 == 500 {
			row.Arrived += 900e6
		}
		sent(t, r, row)
	}
	f := drawnBy(t, &k, nil, r)
	late, points := 0, 0
	for _, l := range f.Panels[0].Layers {
		assert.Check(t, l.Pen != 0 && l.Pen <= 1, "%s is drawn with a pen of %v points", l.Name, l.Pen)
		if l.Shape != plot.Dots || len(l.XY) < 10 {
			continue
		}
		points = len(l.XY)
		for _, p := range l.XY {
			// In MB: at X seconds the chunks up to 1000 (X - 0.62) have arrived.
			if p.X-0.62-p.Lo > 0.8 {
				late++
			}
		}
	}
	assert.Check(t, late == 20 && points <= 4*900, "%d of 20 late chunks are seen among %d points", late, points)
}

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
		assert.NilError(t, s.Packet(&report.PacketRow{Cell: cell, Fate: "arrived", Sent: tt.sent, Arrived: tt.arrived}))
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
		_, err := k.Make([]*plot.Run{r}, nil)
		assert.Check(t, err == nil, "%s: the packet is not in its time: %v", tt.direction, err)
		r.From, r.To = 0, 0.5e9
		_, err = k.Make([]*plot.Run{r}, nil)
		assert.Check(t, errors.Is(err, plot.ErrEmpty), "%s: a packet of 1 s is drawn before 0.5 s: %v", tt.direction, err)
		doc.Clock = nil
		_, err = k.Make([]*plot.Run{r}, nil)
		assert.Check(t, errors.Is(err, plot.ErrEmpty), "%s: drawn from one capture: %v", tt.direction, err)
	}
}
