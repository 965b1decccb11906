package engine_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

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

// rewrite changes the times of one host's captures. It returns their new names, when they begin, in
// seconds of the day, and how long they last.
func rewrite(t *testing.T, names []string, w tamper) (out []string, begin, span float64) {
	t.Helper()
	first, last := int64(math.MaxInt64), int64(0)
	all := make([]frames, len(names))
	for i, name := range names {
		all[i] = framesOf(t, name)
		for k := range all[i].list {
			first, last = min(first, all[i].list[k].Time), max(last, all[i].list[k].Time)
		}
	}
	for _, f := range all {
		out = append(out, f.moved(func(k int) int64 {
			since := float64(f.list[k].Time - first)
			if since > 0.4*float64(last-first) {
				return int64(since*w.ppm/1e6 + w.step*1e6)
			}
			return int64(since * w.ppm / 1e6)
		}).saved(t))
	}
	return out, float64(first%86400e9) / 1e9, float64(last-first) / 1e9
}

// TestClocks changes the times of real captures whose clocks agree, and expects the report to find
// exactly that change.
func TestClocks(t *testing.T) {
	t.Parallel()
	inside, err := filepath.Glob(sessions + "/v*/*/expected.json")
	assert.NilError(t, err)
	var n clockCounts
	share := len(tampers) / testrun.Cases(len(tampers)) // one in so many cases is tested
	for i, name := range inside {
		for j, w := range tampers {
			if (i+j)%share == 0 {
				judgeClock(t, name, w, &n)
			}
		}
	}
	assert.Check(t, n.drifts >= 50/share && n.steps >= 60/share, "only %d drifts were judged and %d steps found", n.drifts, n.steps)
	assert.Check(t, 4*n.close >= 3*n.long, "of %d drifts over 3 s and more only %d are right within 2 ppm", n.long, n.close)
}

// clockCounts counts what was judged.
type clockCounts struct {
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
	o.Swap, o.Clock = false, clock.Auto
	files := &o.Paths
	if w.receiver {
		files = &o.Receiver
	}
	var begin, span float64
	*files, begin, span = rewrite(t, *files, w)
	doc := analyzed(t, o)
	if !w.receiver { // the receiver's clock falls behind as much as the sender's gains
		w.ppm, w.step = -w.ppm/(1+w.ppm/1e6), -w.step
	}
	session := filepath.Base(filepath.Dir(name))
	t.Run(fmt.Sprintf("%s %+v", session, w), func(t *testing.T) {
		judgeDrift(t, doc.Clock, w, span, n)
		if w.step != 0 {
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
		assert.Check(t, k.Drift == 0, "a drift of %v ppm, but the clocks do not drift", k.Drift)
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
