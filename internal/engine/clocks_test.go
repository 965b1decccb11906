package engine_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// outside names a directory with more real sessions, if there is one.
const outside = testrun.Shared

// clocked are sessions in that directory whose clocks are tested for what the bundled ones lack.
// The place of a session in the list decides which tampers it gets.
var clocked = []string{
	"campaign/bbr/run1", // seven congestion controls of version 0, each over ten seconds
	"campaign/cubic/run2",
	"campaign/lia/run3",
	"campaign/olia/run4",
	"campaign/reno/run2",
	"campaign/wvegas/run5",
	"campaign/balia/run1",
	"v0/addr",            // addresses come and go
	"v0/backup",          // a backup path takes over
	"v0/ndiffports",      // two subflows on a path
	"v0/sched-redundant", // all data on all subflows
	"v1/a-sym-down",      // equal paths
	"v1/b-lte-bbr",       // delays that vary
	"v1/c-stream-cubic",  // pauses between frames
	"v1/d-three-bulk",    // three unequal paths
	"v1/e-slow-reader",   // closed windows
	"v1/e-small-rcvbuf",  // a small buffer
	"v1/f-dead-stream",   // a path that dies
	"v1/f-ratechange",    // a delay that steps itself
	"v1/g-backup",        // a path that fails
	"v1/i-v4-v6",         // IPv4 and IPv6
	"v1/j-strip-data",    // a connection that falls back
	"v1/k-many-short",    // connections too short to follow
	"v1/l-lost-retrans",  // a short session with losses
	"v1/m-two-conns",     // two connections
	"v1/o-tso-emu",       // super-segments
	"v1/p-bidir",         // pcapng
	"v1/p-fullmesh",      // four subflows
	"v1/p-mtu",           // two sizes of segments
	"v1/p-no-ts",         // no timestamps
	"v1/p-reorder",       // late packets
	"v1/p-reqresp",       // requests and answers
}

// tamper says how the times of one capture are changed.
type tamper struct {
	receiver bool    // the receiver's capture, otherwise the sender's
	ppm      float64 // how much faster the clock runs from the first packet on
	step     float64 // ms, at 40 % of the time
}

// tampers are the changes that are tested.
var tampers = []tamper{
	{receiver: true, ppm: 80},
	{receiver: true, step: 25},
	{},
	{receiver: true, ppm: -80},
	{receiver: true, step: -25},
	{ppm: 80},
	{step: 25},
	{receiver: true, step: 5},
	{receiver: true, ppm: 20},
	{receiver: true, step: -5},
}

// skewed are the sessions whose captures have different clocks: the values are the offset
// of the receiver's clock, ms.
var skewed = map[string]float64{"p-skew": 357}

// faint are sessions in which a step cannot be found: without timestamps on paths whose
// delay varies by milliseconds; with a single packet after it; in connections too short to
// follow their hosts' timestamps.
var faint = map[string]bool{"p-no-ts": true, "h-csum-flip-one": true, "k-many-short": true}

// TestClocks changes the times of real captures whose clocks agree, and expects the report
// to find exactly that change.
func TestClocks(t *testing.T) {
	t.Parallel()
	inside, err := filepath.Glob(sessions + "/v*/*/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var n clockCounts
	share := len(tampers) / testrun.Cases(len(tampers)) // one in so many cases is tested
	for i, name := range inside {
		for j, w := range tampers {
			if (i+j)%share == 0 {
				judgeClock(t, name, w, &n)
			}
		}
	}
	if n.drifts < 50/share || n.steps < 60/share {
		t.Errorf("only %d drifts were judged and %d steps found", n.drifts, n.steps)
	}
}

// TestClocksOutside does the same to more sessions, with two kinds of tampering each.
func TestClocksOutside(t *testing.T) {
	if !testrun.All() {
		t.Skip("not asked for: " + testrun.Variable + "=all analyses them")
	}
	t.Parallel()
	var names []string
	for _, session := range clocked {
		names = append(names, session+"/expected.json")
	}
	paths := testrun.SharedFiles(t, names...)
	if len(paths) == 0 {
		t.Skip("none of these sessions is there")
	}
	var n clockCounts
	for i, path := range paths {
		judgeClock(t, path, tampers[i%len(tampers)], &n)
		judgeClock(t, path, tampers[(i+3)%len(tampers)], &n)
	}
	if n.judged != 2*len(paths) {
		t.Errorf("only %d of %d changes were judged: a session lacks a capture, or says nothing of its clocks", n.judged, 2*len(paths))
	}
	if len(paths) < len(names) {
		return
	}
	if n.drifts < 20 || n.steps < 25 {
		t.Errorf("only %d drifts were judged and %d steps found", n.drifts, n.steps)
	}
	if n.long < 10 || 4*n.close < 3*n.long {
		t.Errorf("of %d drifts over 3 s and more only %d are right within 2 ppm", n.long, n.close)
	}
}

// clockCounts counts what was judged.
type clockCounts struct {
	judged int // sessions
	drifts int // drifts that were made
	long   int // drifts that lasted 3 s or more
	close  int // long drifts that were found within 2 ppm
	steps  int // steps that were found
}

// judgeClock analyses one session with changed times.
func judgeClock(t *testing.T, name string, w tamper, n *clockCounts) {
	t.Helper()
	o, _, ok := bothEnds(t, name)
	if !ok {
		return
	}
	n.judged++
	o.Swap, o.Clock = false, clock.Auto
	files := &o.Paths
	if w.receiver {
		files = &o.Receiver
	}
	var begin, span float64
	*files, begin, span = rewrite(t, *files, w)
	doc, err := engine.Analyze(context.Background(), o)
	if err != nil || doc.Clock == nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !w.receiver { // the receiver's clock falls behind as much as the sender's gains
		w.ppm, w.step = -w.ppm/(1+w.ppm/1e6), -w.step
	}
	session := filepath.Base(filepath.Dir(name))
	t.Run(fmt.Sprintf("%s %+v", session, w), func(t *testing.T) {
		judgeDrift(t, doc.Clock, w, span, n)
		if w.step != 0 && !faint[session] {
			judgeStep(t, doc.Clock, w, skewed[session], n)
			first := math.Mod(float64(*doc.Captures[0].First)/1e9, 86400)
			if at := begin + 0.4*span; doc.Clock.StepS != nil && math.Abs(first+*doc.Clock.StepS-at) > 0.5 {
				t.Errorf("the step stands %v s after the first packet, want %v", *doc.Clock.StepS, at-first)
			}
		}
		if w.step == 0 {
			if doc.Clock.Step != nil {
				t.Errorf("a step of %v ms, but no clock was set", *doc.Clock.Step)
			}
			judgeLead(t, doc.Clock, w, skewed[session], span)
		}
	})
}

// judgeDrift checks the drift: its error is never more than stated, and below 2 ppm if the
// stated two standard errors allow that.
func judgeDrift(t *testing.T, k *report.Clock, w tamper, span float64, n *clockCounts) {
	if w.ppm == 0 {
		if k.Drift != 0 {
			t.Errorf("a drift of %v ppm, but the clocks do not drift", k.Drift)
		}
		return
	}
	off := math.Abs(k.Drift - w.ppm)
	if u := k.DriftUncertainty; u != nil && (off > *u || *u <= 4 && off > 2) {
		t.Errorf("drift %v ppm, uncertainty %v; it is %v", k.Drift, *u, w.ppm)
	}
	n.drifts++
	if span > 3 {
		n.long++
		if off <= 2 {
			n.close++
		}
	}
}

// judgeStep checks the size of the step, and the offset before it.
func judgeStep(t *testing.T, k *report.Clock, w tamper, offset float64, n *clockCounts) {
	switch {
	case k.Step == nil:
		t.Errorf("no step of %v ms was noticed", w.step)
	case math.Abs(*k.Step-w.step) > 0.2:
		t.Errorf("a step of %v ms, want %v", *k.Step, w.step)
	case math.Abs(*k.Offset-offset) > 0.5:
		t.Errorf("offset %v ms, want %v", *k.Offset, offset)
	default:
		n.steps++
	}
}

// judgeLead checks the offset in the middle of the captures: without a step its error is
// within what is stated for offset and drift. If nothing was changed, nothing is corrected.
func judgeLead(t *testing.T, k *report.Clock, w tamper, offset, span float64) {
	if w.ppm == 0 && offset == 0 && math.Abs(*k.Offset) >= 0.1 {
		t.Errorf("an offset of %v ms that is not there", *k.Offset)
	}
	if math.Abs(*k.Offset-offset) > 0.5 {
		t.Errorf("offset %v ms, want %v", *k.Offset, offset)
	}
	if k.DriftUncertainty == nil {
		return
	}
	middle := span / 2e3 // ms for each part per million
	if off := math.Abs(*k.Offset - offset + (k.Drift-w.ppm)*middle); off > *k.Uncertainty+*k.DriftUncertainty*middle {
		t.Errorf("the lead is wrong by %v ms in the middle", off)
	}
}
