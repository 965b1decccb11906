package diagnose_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// tenth sends 120 segments, one every 30 ms. It calls change for every tenth of them and, if
// copied is set, sends a copy of it 100 ms later.
func tenth(change func(*tracegen.Sent), copied bool) *tracegen.Session {
	s, f := begin()
	for i := range 120 {
		at := 100*ms + time.Duration(i)*30*ms
		d := f.Data(tracegen.A2B, at, int64(i)*1000, 1000)
		if i%10 == 5 {
			change(d)
			if copied {
				d.Again(at + 100*ms)
			}
		}
	}
	return s
}

// TestLossBeforeCapture: host A drops 12 of 120 segments before its capture sees
// them, and sends each again. 120 packets are captured of 132 segments sent.
func TestLossBeforeCapture(t *testing.T) {
	dropped := func(x *tracegen.Sent) { x.LoseEarly().Unseen() }
	files := ends(t, tenth(dropped, true))
	for name, x := range map[string]engine.Options{
		"a alone": {Paths: files[:1]},
		"pair":    {Paths: files[:1], Receiver: files[1:], Clock: clock.None},
	} {
		t.Run(name, func(t *testing.T) {
			x.Interval, x.Connection = 100*ms, engine.AllConnections
			doc, err := engine.Analyze(context.Background(), x)
			assert.NilError(t, err)
			d := doc.Connections[0].Subflows[0].A2B
			if d.Drops.Count != 12 || report.Known(d.Drops.BeforeCapture) != 12 || *d.Drops.Percent != 100*12/132.0 {
				t.Errorf("%d drops, %d before the capture, %v %%; want 12, 12 and 100 * 12 / 132",
					d.Drops.Count, report.Known(d.Drops.BeforeCapture), *d.Drops.Percent)
			}
			if d.RetransmittedSegments != 0 || *d.HoleFills != 12 || d.NotCapturedBytes != 0 {
				t.Errorf("%d retransmitted, %d fills, %d bytes not captured; want 0, 12, 0", d.RetransmittedSegments, *d.HoleFills, d.NotCapturedBytes)
			}
			if v := find(t, doc, report.VerdictHeavyLoss); !strings.Contains(v.Text, "the sending host itself dropped them") {
				t.Errorf("the verdict says %q", v.Text)
			} else {
				wantNumber(t, v, "dropped before the capture point", 12)
			}
			if k := d.RetransmissionKinds; k.Fast != 12 || k.Timeout+k.TailProbe+k.Unknown+k.Spurious != 0 {
				t.Errorf("copies by cause %+v, want 12 fast", *k)
			}
		})
	}
}

// TestLossOnBothSides: 12 segments are lost before the capture and 12 behind it.
func TestLossOnBothSides(t *testing.T) {
	n := 0
	doc := see(t, tenth(func(x *tracegen.Sent) {
		x.LoseEarly().Unseen()
		x.Again(x.SentAt() + 50*ms).LoseEarly()
		n++
	}, true), tracegen.HostA)
	v := find(t, doc, report.VerdictHeavyLoss)
	wantNumber(t, v, "drops", 24)
	wantNumber(t, v, "dropped before the capture point", float64(n))
	assert.Check(t, strings.Contains(v.Text, "12 of 24 before the capture point"), "the verdict says %q", v.Text)
}

// TestCaptureLostPackets: the capture at A misses 12 segments of 1000 bytes that
// arrive. They are no loss, and the report says what it lacks.
func TestCaptureLostPackets(t *testing.T) {
	s := tenth(func(x *tracegen.Sent) { x.Unseen() }, false)
	doc := see(t, s, tracegen.HostA)
	d := doc.Connections[0].Subflows[0].A2B
	if d.Drops.Count != 0 || *d.Drops.BeforeCapture != 0 || d.Drops.Unresolved != 0 || d.NotCapturedBytes != 12_000 {
		t.Errorf("drops %+v, %d bytes not captured; want none and 12000", *d.Drops, d.NotCapturedBytes)
	}
	i := slices.IndexFunc(doc.Warnings, func(w report.Warning) bool { return w.Code == "capture_lost_packets" })
	assert.Check(t, i >= 0 && doc.Warnings[i].Count == 12, "warnings %+v, want 12 segments that the capture lost", doc.Warnings)
	without(t, "no loss", doc, report.VerdictHeavyLoss)
}
