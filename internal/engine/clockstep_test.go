package engine_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// stepped are captures whose clock the tests set; all use TCP timestamps. Some have several
// interfaces, in one file or in a file for each.
var stepped = []string{
	"v1/b-lte-cubic/client.pcap.zst", "v1/b-lte-cubic/server.pcap.zst", "v1/f-handover/client.pcap.zst",
	"v1/a-sym-up/client.pcap.zst", "v0/upload/client.pcap.zst", "v1/l-spurious/server.pcap.zst",
	"v1/c-stream-bbr/client.pcapng.zst", "v1/c-stream-bbr/server.pcapng.zst", "v1/p-perif/client.p[12].pcap.zst",
}

// clockSteps are the sizes of the steps, ms.
var clockSteps = []float64{-500, -3600e3, 3600e3, 365 * 86400e3}

// TestClockStepIsTakenOut sets the clock of real captures after 40 % of the time. The
// report has the step with its place and size, and the figures are those of the unchanged
// capture.
func TestClockStepIsTakenOut(t *testing.T) {
	t.Parallel()
	for i, name := range testrun.Few(stepped) {
		captures, err := filepath.Glob(filepath.Join(sessions, name))
		if err != nil || len(captures) == 0 {
			t.Errorf("%s: no such capture", name)
			continue
		}
		base := analyzed(t, wholly(captures...))
		for k, size := range clockSteps {
			if !testrun.All() && (i+k)%2 == 1 {
				continue
			}
			t.Run(fmt.Sprintf("%s %v s", name, size/1e3), func(t *testing.T) {
				files, _, span := rewrite(t, captures, tamper{step: size})
				doc := analyzed(t, wholly(files...))
				judgeFoundStep(t, doc, size/1e3, 0.4*span)
				sameFigures(t, base, doc)
			})
		}
	}
}

// judgeFoundStep compares the warning and the event with the step that was made.
func judgeFoundStep(t *testing.T, doc *report.Document, size, at float64) {
	t.Helper()
	var found []report.Warning
	for _, w := range doc.Warnings {
		if w.Code == "clock_stepped" || w.Code == "packets_out_of_order" {
			found = append(found, w)
		}
	}
	if len(found) != 1 || found[0].Code != "clock_stepped" || found[0].Packet == nil {
		t.Fatalf("warnings: %+v", found)
	}
	if w := found[0]; math.Abs(*w.StepS-size) > 0.002 || *w.TS < at-0.002 || *w.TS > at+0.1 {
		t.Errorf("a step of %v s at %v s, want %v s at the first packet behind %v s", *w.StepS, *w.TS, size, at)
	}
	events := 0
	for _, c := range doc.Connections {
		for _, e := range c.Events {
			if e.Kind == report.EventClockStepped {
				events++
				if e.Packet == nil || *e.Packet != *found[0].Packet {
					t.Errorf("the event %+v is not of packet %d", e, *found[0].Packet)
				}
			}
		}
	}
	assert.Check(t, events != 0, "no connection has an event clock_stepped")
}

// sameFigures compares figures of time with those of the unchanged capture. The error of
// the step, a millisecond at most, is in the few samples across it.
func sameFigures(t *testing.T, base, doc *report.Document) {
	t.Helper()
	assert.Assert(t, len(doc.Connections) == len(base.Connections), "%d connections, want %d", len(doc.Connections), len(base.Connections))
	near := func(what string, got, want float64) {
		assert.Check(t, math.Abs(got-want) <= 0.005*math.Abs(want)+0.01, "%s is %v, want %v", what, got, want)
	}
	for i := range base.Connections {
		x, y := &base.Connections[i], &doc.Connections[i]
		near("duration", y.DurationS, x.DurationS)
		for _, dir := range report.Directions {
			if a, b := x.Dir(dir), y.Dir(dir); a.Throughput != nil {
				near(string(dir)+" throughput", b.Throughput.Avg, a.Throughput.Avg)
			}
			if a, b := x.Dir(dir).ProtocolDelay, y.Dir(dir).ProtocolDelay; a != nil {
				near(string(dir)+" protocol delay", b.Avg, a.Avg)
				near(string(dir)+" longest protocol delay", b.Max, a.Max)
			}
			for k := range x.Subflows {
				a, b, name := x.Subflows[k].Dir(dir), y.Subflows[k].Dir(dir), fmt.Sprintf("subflow %d, %s", k, dir)
				if a.SRTT != nil {
					near(name+" srtt", b.SRTT.Avg, a.SRTT.Avg)
					near(name+" largest srtt", b.SRTT.Max, a.SRTT.Max)
				}
				assert.Check(t, a.RetransmittedBytes == b.RetransmittedBytes, "%s: %d bytes retransmitted, want %d", name, b.RetransmittedBytes, a.RetransmittedBytes)
			}
		}
	}
}

// TestClockStepInPair: a step that is taken out of one of two captures is reported as a
// step of the offset, and delays are those of the unchanged captures.
func TestClockStepInPair(t *testing.T) {
	both := func(sender, receiver []string) *report.Document {
		o := wholly(sender...)
		o.Receiver = receiver
		return analyzed(t, o)
	}
	whole := [2][]string{{session("v1/b-lte-cubic/server.pcap.zst")}, {session("v1/b-lte-cubic/client.pcap.zst")}}
	base := both(whole[0], whole[1])
	for _, size := range []float64{-500, 3600e3} {
		for i, at := range []string{"server", "client"} {
			files, lead := whole, size
			if i == 0 {
				lead = -size
			}
			var span float64
			files[i], _, span = rewrite(t, whole[i], tamper{step: size})
			doc := both(files[0], files[1])
			k := doc.Clock
			if k.Step == nil || math.Abs(*k.Step-lead) > 2 || *k.StepS < 0.4*span-0.2 || *k.StepS > 0.4*span+0.2 {
				t.Errorf("%v ms at the %s: the clock is %+v", size, at, k)
				continue
			}
			sameFigures(t, base, doc)
			for i := range base.Connections[0].Subflows {
				x, y := base.Connections[0].Subflows[i].B2A, doc.Connections[0].Subflows[i].B2A
				if math.Abs(x.OWD.Avg-y.OWD.Avg) > 1 || x.Drops.Count != y.Drops.Count {
					t.Errorf("%v ms at the %s: delay %v ms and %d drops, want %v and %d", size, at, y.OWD.Avg, y.Drops.Count, x.OWD.Avg, x.Drops.Count)
				}
			}
		}
	}
}
