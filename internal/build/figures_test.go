package build_test

import (
	"encoding/json"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/tracegen"
)

// byHand plays nine chunks of 1000 bytes, D0 to D8, from A to B. The fast path takes 10 ms each way, the slow
// one 50 ms. Times in ms, as A sees them:
//
//	fast: D0 1000-1024 (its ACK leaves 4 ms late), D2 1016-1036, D4 1400 lost, D5 to D7 1401-1421 to 1403-1423,
//	      D4 again 1424-1444, D8 again 1605-1625
//	slow: D1 1000-1100, D3 1200-1300, D8 1600-1700
//
// The fast path's ACK of 1260 has the DATA_ACK of D3, 40 ms before the slow path's own.
func byHand() *tracegen.Session {
	const ms = time.Millisecond
	addr := netip.MustParseAddrPort
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	fast := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80"), Window: 12800, MSS: 1400, WScale: 5})
	slow := s.Subflow(tracegen.Path{A: addr("10.0.2.1:40001"), B: addr("10.0.1.1:80"), Window: 12800, Nonce: [2]uint32{1, 2}, Delay: [2]time.Duration{50 * ms, 50 * ms}})
	fast.Open(0)
	slow.Open(200 * ms)
	fast.Data(tracegen.A2B, 1000*ms, 0, 1000)
	fast.Ack(tracegen.B2A, 1014*ms)
	slow.Data(tracegen.A2B, 1000*ms, 1000, 1000)
	fast.Data(tracegen.A2B, 1016*ms, 2000, 1000)
	fast.Ack(tracegen.B2A, 1026*ms)
	slow.Ack(tracegen.B2A, 1050*ms)
	slow.Data(tracegen.A2B, 1200*ms, 3000, 1000)
	fast.Ack(tracegen.B2A, 1250*ms)
	slow.Ack(tracegen.B2A, 1250*ms)
	lost := fast.Data(tracegen.A2B, 1400*ms, 4000, 1000).Lose()
	for i := range 3 {
		x := fast.Data(tracegen.A2B, time.Duration(1401+i)*ms, int64(5000+1000*i), 1000)
		fast.Ack(tracegen.B2A, x.ArrivesAt())
	}
	fast.Ack(tracegen.B2A, lost.Again(1424*ms).ArrivesAt())
	slow.Data(tracegen.A2B, 1600*ms, 8000, 1000)
	fast.Ack(tracegen.B2A, fast.Data(tracegen.A2B, 1605*ms, 8000, 1000).ArrivesAt())
	slow.Ack(tracegen.B2A, 1650*ms)
	return s
}

// smoothed returns the smoothed round trips of samples, and their deviations (RFC 6298, Section 2).
func smoothed(samples ...float64) (srtt, rttvar []float64) {
	s, v := samples[0], samples[0]/2
	for i, r := range samples {
		if i > 0 {
			v += (math.Abs(s-r) - v) / 4
			s += (r - s) / 8
		}
		srtt, rttvar = append(srtt, s), append(rttvar, v)
	}
	return srtt, rttvar
}

func mean(values ...float64) (sum float64) {
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

// deviation is that of a population.
func deviation(values ...float64) float64 {
	m, sum := mean(values...), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)))
}

// TestFiguresByHand: figures of the session as each host sees it. Cells of 100 ms begin at 1000 ms; data is
// delivered in cells 0, 1, 2, 4 and 6.
func TestFiguresByHand(t *testing.T) {
	srtt, rttvar := smoothed(20, 24, 20, 20, 20, 20, 20, 20) // handshake, D0, D2, three SACKs, D4 by its stamp, D8
	fastRate := []float64{0.16, 0, 0, 0, 0.4, 0}             // Mbit/s: 2 chunks in cell 0, 5 in cell 4
	waits := []float64{0, 64, 0, 23, 22, 21}                 // D2 waits for D1 until 1100, D5 to D7 for D4 until 1444
	const fast, slow = "subflows.0.a2b.", "subflows.1.a2b."
	for view, want := range map[tracegen.View]map[string]float64{
		tracegen.HostA: {
			fast + "captured_segments": 8, fast + "segments": 8, fast + "bytes": 8000, fast + "bytes_unique": 7000, fast + "pure_acks": 1, "subflows.0.b2a.pure_acks": 8,
			"subflows.0.b2a.dup_acks": 3, "subflows.0.b2a.sack_blocks": 3, fast + "retransmitted_bytes": 1000, fast + "retransmission_ratio_percent": 100. / 8, fast + "retransmission_kinds.fast": 1,
			fast + "drops.count": 1, fast + "drops.percent": 100. / 8, fast + "drops.per_s": 1 / 0.605, fast + "reinjected_segments": 1, fast + "reinjected_bytes": 1000,
			fast + "mss": 1400, fast + "window_scale": 5, slow + "mss": 1460, slow + "window_scale": 7, fast + "timestamps": 1, fast + "sack_permitted": 1,
			fast + "idle_max_ms": 1000 - 20, "subflows.0.b2a.idle_max_ms": 1024 - 20, "subflows.1.join_delay_ms": 200, "subflows.1.handshake_rtt_ms": 100,
			fast + "in_flight_bytes.avg": mean(1000, 2000, 1000, 2000, 3000, 4000, 4000, 1000), fast + "in_flight_bytes.max": 4000,
			fast + "rtt_ms.avg": mean(20, 24, 20, 20, 20, 20, 20, 20), fast + "rtt_ms.variance": 1.75, fast + "rtt_ms.cov": math.Sqrt(1.75) / 20.5, fast + "rtt_ms.samples": 8,
			fast + "rtt_newest_ms.avg": mean(24, 20, 20, 20, 20, 20, 20), fast + "srtt_ms.avg": mean(srtt...), fast + "srtt_ms.max": 20.5, fast + "srtt_ms.cell_mean": mean(srtt[2], srtt[2], srtt[2], srtt[6], srtt[7]),
			fast + "rttvar_ms.avg": mean(rttvar...), fast + "rttvar_ms.max": 10, fast + "rto_ms.avg": 200 + mean(srtt...), // 4 RTTVAR are less than 200 ms
			fast + "path_delay_ms.avg": mean(24, 84, 44, 43, 42, 41), slow + "path_delay_ms.avg": mean(100, 60, 25), fast + "waiting_time_ms.max": 84 - srtt[2], fast + "waiting_time_ms.min": 24 - srtt[1],
			fast + "hol_wait_ms.avg": mean(waits...), fast + "hol_wait_ms.stddev": deviation(waits...), fast + "hol_wait_ms.max": 64, slow + "hol_wait_ms.clipped": 1, fast + "hol_wait_ms.clipped": 0,
			fast + "throughput_mbps.avg": 8 * 8000 / 605e3, fast + "throughput_mbps.cell_mean": mean(fastRate...), fast + "throughput_mbps.max": 0.4, fast + "throughput_mbps.samples": 6,
			fast + "throughput_mbps.variance": math.Pow(deviation(fastRate...), 2), fast + "throughput_mbps.cov": deviation(fastRate...) / mean(fastRate...), fast + "share_percent": 100 * 6. / 9,
			fast + "bursts.count": 4, fast + "bursts.bytes.avg": mean(1000, 1000, 4000, 1000), fast + "bursts.duration_ms.max": 3, slow + "bursts.count": 3,
			fast + "cwnd_estimate_bytes.avg": mean(2000, 4000, 4000), fast + "cwnd_estimate_mss.max": 4000. / 1360, // 40 bytes of the MSS are options
			fast + "throughput_estimate_mbps.avg": mean(8*2000/22e3, 8*4000/20e3, 8*4000/20e3), slow + "cwnd_decisions.hold": 1, slow + "cwnd_decisions.next_mss.avg": 1000. / 1420, slow + "cwnd_decisions.gamma": 0.1,
			fast + "time_account.duration_ms": 625, fast + "time_account.recovery.ms": 1444 - 1421, fast + "time_account.idle.ms": 100 + 140 + 156, fast + "time_account.idle.percent": 100 * 396. / 625,
			"a2b.bytes": 9000, "a2b.segments": 11, "a2b.reinjected_segments": 1, "a2b.retransmitted_segments": 1, "a2b.overhead_percent_of_data": 100 * 2. / 9, "a2b.aggregation_benefit": 9. / 6, "a2b.reinjection_worth.first_bytes": 1000,
			"a2b.protocol_delay_ms.avg": mean(24, 100, 60, 42.5, 25), "a2b.hol_degree_all_paths_ms.avg": mean(24, 100, 60, 42.5, 25) - 100, "a2b.hol_degree_ms.max": 42.5 - srtt[6], "a2b.hol_degree_ms.min": 25 - 100,
			"a2b.hol_blocking_ms.avg": 16.5 / 5, "a2b.hol_blocking_ms.max": mean(0, 23, 22, 21), "a2b.hol_queue_bytes.max": 3000, "a2b.hol_queue_segments.max": 3,
			"a2b.dsn_offset_bytes.avg": 8000. / 10, "a2b.dsn_offset_bytes.peak": 4000, "a2b.dsn_offset_bytes.min": -3000, "a2b.dsn_offset_bytes.discontinuous_percent": 30,
			"a2b.throughput_mbps.avg": 8 * 11000 / 605e3, "a2b.goodput_mbps.avg": 8 * 9000 / 600e3, fast + "in_flight_bytes.p95": 4000,
			"a2b.throughput_mbps.p50": 0.04, "a2b.throughput_mbps.p95": 0.24 + 0.75*0.16, "a2b.throughput_mbps.p99": 0.24 + 0.95*0.16, // of the cells 0, 0, 0, 0.08, 0.24, 0.4
			"a2b.rwnd_bytes.avg": 400 << 5, "a2b.rwnd_free_bytes.min": 12800 - 4000, "a2b.rwnd_free_bytes.max": 12800,
			"a2b.scheduler_regret.worse_chunks": 3, "a2b.scheduler_regret.worse_bytes": 3000, "a2b.scheduler_regret.worse_percent": 100 / 3., "a2b.scheduler_regret.lost_ms.max": 100 - 20, "a2b.scheduler_regret.chunks": 9,
		},
		// At B, D1 comes 24 ms after D2, and D4 23 ms after D5: 2 of 9 chunks are late. The buffer holds D2, then D5 to D7.
		tracegen.HostB: {
			fast + "hole_fills": 1, fast + "out_of_order_segments": 1, slow + "reinjected_bytes": 1000, fast + "in_order_wait_ms.avg": mean(0, 24, 0, 23, 22, 21, 0), fast + "in_order_wait_ms.max": 24, // D0, D2, D4 to D7, D8
			"a2b.out_of_order.chunks": 2, "a2b.out_of_order.ratio": 2. / 9, "a2b.out_of_order.extent_chunks.avg": mean(1, 3), "a2b.out_of_order.extent_bytes.avg": mean(1000, 3000), "a2b.out_of_order.extent_ms.avg": mean(24, 23),
			"a2b.out_of_order.n_reordering_max": 3, "a2b.out_of_order.n_reordering_percent.0": 100 * 2. / 9, "a2b.out_of_order.n_reordering_percent.2": 100 / 9., "a2b.out_of_order.buffer_chunks.avg": mean(0, 1, 0, 0, 1, 2, 3, 0, 0),
			"a2b.out_of_order.buffer_density_percent.0": 100 * 5. / 9, "a2b.out_of_order.buffer_density_percent.1": 100 * 2. / 9, "a2b.out_of_order.buffer_density_percent.2": 100 * 2. / 9,
			slow + "dsr_mbps.max": 8 * 1000 / 100e3, "a2b.hol_queue_bytes.max": 4000, "a2b.rec_path_list.all_paths_ms": 1650 - 350, "a2b.streaming.bitrate_mbps": 0.016, "a2b.streaming.playout_ms": 200, // windows from the third ACK of the slow path on
		},
	} {
		figuresAre(t, byHand(), view, want)
	}
}

// TestHandoverByHand: the first path's last progress is its ACK of 600, the other one's first is that of 1500;
// the first comes on again with the ACK of 3020. Host B resets the other path,
// which had data outstanding, twice for reason 3.
func TestHandoverByHand(t *testing.T) {
	const ms = time.Millisecond
	s, f, g := twoPaths(50 * ms)
	f.Open(0)
	g.Open(200 * ms)
	f.Data(tracegen.A2B, 580*ms, 0, 1000)
	x := f.Data(tracegen.A2B, 600*ms, 1000, 1000).Lose()
	for i := range 20 {
		g.Data(tracegen.A2B, time.Duration(1400+20*i)*ms, int64(1000+1000*i), 1000)
	}
	x.Again(3000 * ms)
	g.Data(tracegen.A2B, 4990*ms, 21_000, 1000).Lose()
	for range 2 {
		g.RST(tracegen.B2A, 5000*ms, &mptcp.TCPRST{Reason: 3})
	}
	f.Data(tracegen.A2B, 5100*ms, 21_000, 1000)
	figuresAre(t, s, tracegen.HostA, map[string]float64{
		"a2b.handovers.1.from": 1, "a2b.handovers.1.reset": 1, "a2b.handovers.0.to": 1, "a2b.handovers.0.t_s": 0.6, "a2b.handovers.0.gap_ms": 900, "a2b.handovers.0.recovered_s": 3.02, "subflows.1.b2a.resets": 2, "subflows.1.b2a.mp_tcprst": 2,
		"subflows.1.b2a.mp_tcprst_reasons.0.reason_code": 3, "subflows.1.b2a.mp_tcprst_reasons.0.packets": 2, "subflows.0.a2b.retransmission_kinds.tail_probe": 1,
	})
}

// TestCopiesByHand: of the first path, D0 is sent again although its ACK came, which a DSACK tells; D1 is sent again
// after 2 s and, when that copy is lost as well, after 4 s; D2 is never acknowledged there and sent on
// the other path, too, where a copy of D0 arrives 5 ms late.
// D3 is sent again there after 5 ms, before any timer or ACK,
// and is not the last segment then.
func TestCopiesByHand(t *testing.T) {
	const ms = time.Millisecond
	s, f, g := twoPaths(10 * ms)
	f.Open(0)
	g.Open(200 * ms)
	f.Data(tracegen.A2B, 400*ms, 0, 1000).Again(430 * ms)
	g.Data(tracegen.A2B, 405*ms, 0, 1000)
	lost := f.Data(tracegen.A2B, 1000*ms, 1000, 1000).Lose()
	lost.Again(3000 * ms).Lose()
	lost.Again(7000 * ms)
	f.Data(tracegen.A2B, 8000*ms, 2000, 1000).Lose()
	g.Data(tracegen.A2B, 8500*ms, 2000, 1000)
	g.Data(tracegen.A2B, 9000*ms, 3000, 1000).Again(9005 * ms)
	g.Data(tracegen.A2B, 9001*ms, 4000, 1000)
	figuresAre(t, s, tracegen.HostA, map[string]float64{
		"subflows.0.a2b.retransmission_kinds.spurious": 1, "subflows.0.a2b.retransmission_kinds.timeout": 1, "subflows.0.b2a.dsack_blocks": 1, "subflows.1.a2b.retransmission_kinds.unknown": 1, "a2b.reinjection_worth.undecided_bytes": 1000, "a2b.reinjection_worth.wasted_bytes": 1000,
	})
}

// TestWindowsByHand: B offers 2048, 1792, 512 and twice 2048 bytes; of these less their mean so far, as a part of
// their range, the third is below the second until 40 ms later. Data fills a window of 1024 bytes for 30 ms. A second
// path, whose handshake offers 2048 bytes once more 360 ms before the end, carries 10 bytes each 10 ms, so
// MPTCP-rec would leave that one out for 40 ms.
func TestWindowsByHand(t *testing.T) {
	const ms = time.Millisecond
	falls := []uint16{16, 14, 4, 16, 16}
	for _, c := range []struct {
		view    tracegen.View
		paths   int
		windows []uint16 // in units of 128 bytes, at 120, 220, 250, 290 and 420 ms
		want    map[string]float64
	}{
		{tracegen.HostA, 1, falls, map[string]float64{
			"a2b.rwnd_bytes.avg": mean(2048, 1792, 512, 2048, 2048), "a2b.rb2loc.count": 1, "a2b.rb2loc.total_ms": 40, "a2b.rb2loc.depth": (mean(2048, 1792, 512) - 512) / 1536,
			"a2b.awnd_delta.avg": mean((1792-1920.)/256, (512-1450-2/3.)/1536, (2048-1600.)/1536, (2048-1689.6)/1536),
		}},
		{tracegen.HostA, 1, []uint16{8, 4, 0, 16, 16}, map[string]float64{"a2b.rwnd_limited_ms": 30, "subflows.0.b2a.zero_window_events": 1, "a2b.rb2loc.count": 0}},
		{tracegen.HostB, 2, falls, map[string]float64{
			"a2b.rb2loc.depth": (mean(2048, 2048, 1792, 512) - 512) / 1536, "a2b.rec_path_list.all_paths_ms": 360 - 40,
			"a2b.rec_path_list.without.0.subflow": 1, "a2b.rec_path_list.without.0.count": 1, "a2b.rec_path_list.without.0.total_ms": 40,
		}},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		addr := netip.MustParseAddrPort
		f := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80"), Window: 2048})
		f.Open(0)
		if c.paths == 2 {
			g := s.Subflow(tracegen.Path{A: addr("10.0.2.1:40001"), B: addr("10.0.1.1:80"), Window: 2048, Nonce: [2]uint32{1, 2}})
			g.Open(30 * ms)
			for i := range 20 {
				g.Data(tracegen.A2B, time.Duration(60+10*i)*ms, int64(9000+10*i), 10)
			}
		}
		for i, at := range []time.Duration{100 * ms, 103 * ms, 200 * ms, 400 * ms} {
			f.Data(tracegen.A2B, at, int64(1024*i), 1024)
		}
		for i, at := range []time.Duration{120 * ms, 220 * ms, 250 * ms, 290 * ms, 420 * ms} {
			f.Ack(tracegen.B2A, at).Edit(func(p *tracegen.Packet) { p.Window = c.windows[i] })
		}
		figuresAre(t, s, c.view, c.want)
	}
}

// figuresAre compares the report on what a view saw with numbers, by their paths in its JSON form.
func figuresAre(t *testing.T, s *tracegen.Session, view tracegen.View, want map[string]float64) {
	t.Helper()
	text, err := json.Marshal(document(t, s, view).Connections[0])
	assert.NilError(t, err)
	var c any
	assert.NilError(t, json.Unmarshal(text, &c))
	for path, w := range want {
		got, ok := numberAt(c, path)
		assert.Check(t, ok && math.Abs(got-w) <= 1e-6*math.Max(1, math.Abs(w)), "view %d: %s is %v, want %v", view, path, got, w)
	}
}

// numberAt returns the number at a path, 1 for true.
func numberAt(v any, path string) (float64, bool) {
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(x) {
				return 0, false
			}
			v = x[i]
		}
	}
	if v == true {
		return 1, true
	}
	n, ok := v.(float64)
	return n, ok
}
