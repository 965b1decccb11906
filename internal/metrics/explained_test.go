package metrics

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// TestThroughputAsExplained computes the cells of throughput from the packets, by the words
// of its row alone.
func TestThroughputAsExplained(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 5))
		s, fast, slow := twoPaths(tracegen.Config{Version: 1})
		at, offset := 300*msec, int64(0)
		for range 80 {
			at += time.Duration(r.IntN(120)) * msec
			f := fast
			if at > 1500*msec && r.IntN(3) == 0 {
				f = slow
			}
			n := 1 + r.IntN(1300)
			f.Data(tracegen.A2B, at, offset, n)
			offset += int64(n)
		}
		const cell = int64(70 * msec)
		type sent struct{ at, bytes int64 }
		byPath := map[string][]sent{}
		for _, p := range s.Packets(tracegen.HostA) {
			if n := int64(p.WirePayload()); n > 0 && p.Dst.Port() == 80 {
				for _, path := range []string{"", p.Src.String()} {
					byPath[path] = append(byPath[path], sent{p.Time, n})
				}
			}
		}
		origin := byPath[""][0].at
		m := measure(t, s, tracegen.HostA, Config{Interval: time.Duration(cell)})
		for path, rate := range map[string]*Rate{
			"": m.Dir(conn.A).Throughput(), fast.Path().A.String(): m.Subs[0].Dir(conn.A).Rate(), slow.Path().A.String(): m.Subs[1].Dir(conn.A).Rate(),
		} {
			list := byPath[path]
			first, last := (list[0].at-origin)/cell, (list[len(list)-1].at-origin)/cell
			values, total := make([]float64, last-first), int64(0)
			for _, x := range list {
				if k := (x.at-origin)/cell - first; k < last-first {
					values[k] += 8e3 * float64(x.bytes) / float64(cell)
				}
				total += x.bytes
			}
			sum := 0.0
			for _, v := range values {
				sum += v
			}
			dist(t, "cells of "+path, &rate.Cells, last-first, sum/float64(last-first), slices.Min(values), slices.Max(values))
			near(t, "average of "+path, average(t, rate), 8e3*float64(total)/float64(list[len(list)-1].at-list[0].at))
		}
	}
}

// TestCwndSegmentsAsExplained: bursts leave each round trip of 20 ms, so each is a round.
// Packets have options of different lengths; the value in segments is the bytes of the
// burst by the room beside the options of the next burst's first packet, or for the last
// round of the last data packet.
func TestCwndSegmentsAsExplained(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 6))
		s, f := onePath(tracegen.Config{Version: 1, NoTimestamps: true, DSN4: true, DataAck4: true})
		const bursts = 6
		var bytes [bursts]int64
		var options [bursts][]int // option bytes of each packet
		offset := int64(0)
		for k := range bursts {
			at := time.Duration(100+20*k) * msec
			for range 1 + r.IntN(6) {
				n, more := 500+r.IntN(500), 4*r.IntN(4)
				f.Data(tracegen.A2B, at, offset, n).Edit(func(p *tracegen.Packet) {
					for range more {
						p.Options = append(p.Options, 1) // no operation
					}
					options[k] = append(options[k], (len(p.Options)+3)&^3)
				})
				offset, bytes[k] = offset+int64(n), bytes[k]+int64(n)
			}
			f.Ack(tracegen.B2A, at+10*msec)
		}
		s.Packets(tracegen.HostA) // plays, so that the options are known
		var want []float64
		for k := range bursts {
			by := options[k][len(options[k])-1]
			if k+1 < bursts {
				by = options[k+1][0]
			}
			want = append(want, float64(bytes[k])/float64(1460-by))
		}
		sum := 0.0
		for _, v := range want {
			sum += v
		}
		m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec, QoE: DefaultQoE})
		dist(t, "segments", &m.Subs[0].Dir(conn.A).Cwnd().Segments, bursts, sum/bursts, slices.Min(want), slices.Max(want))
	}
}
