package engine_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/pair/clock"
)

// tamper says how the times of one capture are changed.
type tamper struct {
	receiver bool    // the receiver's capture, otherwise the sender's
	ppm      float64 // how much faster the clock runs from the first packet on
	step     float64 // ms, at 40 % of the time
}

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

// TestClocks changes the times of real captures, and expects the report to find exactly that change. The
// receiver's clock falls behind as much as the sender's gains. In the second session it is 357 ms ahead.
func TestClocks(t *testing.T) {
	t.Parallel()
	for name, offset := range map[string]float64{"v1/b-lte-cubic": 0, "v1/p-skew": 357} {
		for _, w := range []tamper{{receiver: true, ppm: 80}, {}, {ppm: 80}, {receiver: true, step: -5}, {step: 25}} {
			o, _, ok := bothEnds(t, filepath.Join(sessions, name, "expected.json"))
			assert.Assert(t, ok, "%s is not bundled whole", name)
			o.Swap, o.Clock = false, clock.Auto
			files, drift, step := &o.Paths, -w.ppm/(1+w.ppm/1e6), -w.step
			if w.receiver {
				files, drift, step = &o.Receiver, w.ppm, w.step
			}
			var begin, span float64
			*files, begin, span = rewrite(t, *files, w)
			doc := analyzed(t, o)
			k, at := doc.Clock, fmt.Sprintf("%s %+v", name, w)
			if off := math.Abs(k.Drift - drift); off > 2 || off > *k.DriftUncertainty {
				t.Errorf("%s: a drift of %v ppm, uncertainty %v, want %v", at, k.Drift, *k.DriftUncertainty, drift)
			}
			assert.Check(t, math.Abs(*k.Offset-offset) <= 0.5, "%s: offset %v ms, want %v", at, *k.Offset, offset)
			if (k.Step != nil) != (step != 0) || k.Step != nil && math.Abs(*k.Step-step) > 0.2 {
				t.Errorf("%s: the clock is %+v, want a step of %v ms", at, k, step)
			}
			if k.StepS != nil {
				first := math.Mod(float64(*doc.Captures[0].First)/1e9, 86400)
				assert.Check(t, math.Abs(first+*k.StepS-begin-0.4*span) <= 0.5, "%s: the step stands %v s after the first packet, want %v", at, *k.StepS, begin+0.4*span-first)
			}
		}
	}
}
