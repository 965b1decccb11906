package engine_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/live"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// codes returns how often each verdict stands in a report.
func codes(doc *report.Document) map[report.VerdictCode]int {
	out := map[report.VerdictCode]int{}
	for i := range doc.Connections {
		for _, v := range report.Known(doc.Connections[i].Verdicts) {
			out[v.Code]++
		}
	}
	return out
}

// TestOnePacketLate: one packet of a capture is stamped 1 to 50 ms too late or too early. No
// figure of time is below zero, and there is no verdict that the capture does not give.
func TestOnePacketLate(t *testing.T) {
	for i, name := range testrun.Sample(bundled(t)) {
		f := framesOf(t, name)
		before := codes(analyzed(t, piped(f.pcapng())))
		r := rand.New(rand.NewPCG(1, uint64(i)))
		for range 4 {
			k, by := r.IntN(len(f.list)), int64(1e6)+r.Int64N(49e6)
			if r.IntN(2) == 0 {
				by = -by
			}
			doc := analyzeBytes(t, f.moved(func(i int) int64 {
				if i == k {
					return by
				}
				return 0
			}).pcapng()).doc
			durations(t, doc)
			for code, n := range codes(doc) {
				if n > before[code] {
					t.Errorf("verdict %s is there %d times, %d times without", code, n, before[code])
				}
			}
			assert.Assert(t, !t.Failed(), "%s: packet %d moved by %d ns", name, k+1, by)
		}
	}
}

// TestOnePacketLateIsTold: each of these captures has one packet whose time contradicts its
// place, by 1.49, 1.424 and 1.05 ms in a capture that is otherwise in order.
func TestOnePacketLateIsTold(t *testing.T) {
	for name, want := range map[string]int64{"one-packet-late-1": 55, "one-packet-late-2": 119, "negative-round-trip": 2} {
		doc := analyzed(t, wholly(cases+name+".pcap.zst"))
		durations(t, doc)
		found := false
		for _, w := range doc.Warnings {
			found = found || w.Code == "times_out_of_order" && w.Count == 1 && *w.Packet == want
		}
		assert.Check(t, found, "%s: no warning of packet %d alone: %v", name, want, doc.Warnings)
	}
}

// TestTimesOfAnotherClock: packets of a second clock, years away, are between the others. No
// figure of time is below zero, and connections with such a packet have none, in live either.
func TestTimesOfAnotherClock(t *testing.T) {
	for _, name := range []string{"live-negative", "negative-times-1", "negative-times-2"} {
		file, err := os.ReadFile(cases + name + ".pcap.zst")
		assert.NilError(t, err)
		doc := analyze(t, bytes.NewReader(file)).doc
		durations(t, doc)
		shown, _ := lived(t, liveOptions(cases+name+".pcap.zst"), engine.LiveOptions{Interval: time.Second, Top: 100, Keep: 100})
		assert.Check(t, len(shown) != 0, "%s: no interval", name)
		for _, v := range shown {
			for _, c := range v.Shown {
				for _, s := range c.Subflows {
					for _, d := range []*live.SubDir{&s.A2B, &s.B2A} {
						if d.SRTT != nil && !(0 <= *d.SRTT && *d.SRTT < 1e6) || d.Blocked != nil && *d.Blocked < 0 {
							t.Errorf("%s: SRTT %v, blocked %v", name, d.SRTT, d.Blocked)
						}
					}
				}
			}
		}
	}
}
