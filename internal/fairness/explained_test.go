package fairness

import (
	"math/rand/v2"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/tracegen"
)

// TestAsExplained computes the rates on a path and Jain's index from the packets, by the
// words of explain alone: of flows of less than 69 s, and of longer ones, whose cells
// double.
func TestAsExplained(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 9))
		span := 10 + 70*int(seed%3) // s
		net := tracegen.NewNetwork(begin.Add(time.Duration(r.IntN(1 << 26))))
		multi := net.Session(tracegen.Config{Version: 1})
		play := func(s *tracegen.Session, a string, from, to int) {
			f := s.Subflow(path(a, "10.0.1.1:80"))
			f.Open(0)
			next := int64(0)
			for range 300 {
				f.Data(tracegen.A2B, time.Duration(from)*time.Second+time.Duration(r.Int64N(int64(to-from)*1e9)), next, 1000)
				next += 1000
			}
		}
		play(multi, "10.0.0.1:40000", 1, span)
		play(net.Session(tracegen.Config{Plain: true}), "10.0.0.1:50000", span/4, span+5)
		play(net.Session(tracegen.Config{Plain: true}), "10.0.0.1:50001", span/2, span-1)
		times := map[uint16][]int64{} // of packets of 1000 bytes, by port
		for _, p := range net.Packets(tracegen.HostA) {
			if p.WirePayload() > 0 {
				times[p.Src.Port()] = append(times[p.Src.Port()], p.Time)
			}
		}
		cell := int64(1 << 26)
		for _, list := range times {
			for list[len(list)-1]/cell-list[0]/cell >= 1024 {
				cell *= 2
			}
		}
		active := func(port uint16, k int64) bool {
			list := times[port]
			return k > list[0]/cell && k < list[len(list)-1]/cell
		}
		bytes, cells, both := map[uint16]int64{}, map[uint16]int64{}, int64(0)
		for k := times[40000][0] / cell; active(40000, k) || k <= times[40000][0]/cell; k++ {
			if !active(40000, k) || !active(50000, k) && !active(50001, k) {
				continue
			}
			both++
			for port, list := range times {
				if active(port, k) {
					cells[port]++
					for _, at := range list {
						if at/cell == k {
							bytes[port] += 1000
						}
					}
				}
			}
		}
		var k Collector
		conntest.Play(t, multi, tracegen.HostA, &k)
		got := k.Result()
		assert.Assert(t, len(got.Paths) == 1 && len(got.Paths[0].Flows) == 3, "seed %d: %+v", seed, got)
		p := got.Paths[0]
		near(t, "cell", p.Cell, float64(cell)/1e6)
		near(t, "both active", p.BothActive, float64(both*cell)/1e9)
		sum, squares := 0.0, 0.0
		for i := range p.Flows {
			x := &p.Flows[i]
			port := uint16(x.Sender.Port)
			rate := 8e3 * float64(bytes[port]) / float64(cells[port]*cell)
			near(t, "rate", x.Rate, rate)
			sum, squares = sum+rate, squares+rate*rate
		}
		near(t, "Jain", p.Jain, sum*sum/(3*squares))
		tcp := 0.0
		for _, port := range []uint16{50000, 50001} {
			tcp += 8e3 * float64(bytes[port]) / float64(cells[port]*cell) / 2
		}
		near(t, "plain TCP", p.TCP, tcp)
	}
}
