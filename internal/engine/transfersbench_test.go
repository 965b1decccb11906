package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/tracegen"
)

// BenchmarkTransfers measures everything from the capture of four long transfers at once, each
// over two paths with losses, to their report as JSON.
func BenchmarkTransfers(b *testing.B) {
	for _, at := range []struct {
		name string
		tracegen.View
	}{{"sender", tracegen.HostA}, {"receiver", tracegen.HostB}, {"between", tracegen.Middle}} {
		var all []tracegen.Packet
		for i := range 4 {
			all = append(all, transferOfTwo(i, 15_000).Packets(at.View)...)
		}
		slices.SortStableFunc(all, func(a, b tracegen.Packet) int { return cmp.Compare(a.Time, b.Time) })
		for name, link := range map[string]tracegen.LinkType{"Ethernet": tracegen.LinkEthernet, "SLL2": tracegen.LinkSLL2} {
			file := writeView(b, name+".pcap", all, tracegen.Format{SnapLen: 128, Link: link}, nil)
			for _, omit := range []catalogue.Families{0, catalogue.AllFamilies} {
				b.Run(fmt.Sprintf("%s/%s/omit=%d", at.name, name, omit), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						benchReport(b, engine.Options{Paths: []string{file}, Interval: 100 * time.Millisecond, Connection: engine.AllConnections, Omit: omit})
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)), "ns/packet")
				})
			}
		}
	}
}

// benchReport analyses captures and writes the report as JSON.
func benchReport(b *testing.B, o engine.Options) {
	b.Helper()
	s, err := engine.AnalyzeStored(context.Background(), o)
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(jsonreport.Write(io.Discard, s), s.Close()); err != nil {
		b.Fatal(err)
	}
}
