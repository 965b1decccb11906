package diagnose_test

import (
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestOneDirection: b sends 800 kB over two paths, which a acknowledges, and a third join of a gets no
// answer. A capture of both directions says so. One that lacks the packets of b does not: a
// acknowledges data of b, so its packets take another route, perhaps an answer, too.
func TestOneDirection(t *testing.T) {
	const (
		code       = report.VerdictOneDirection
		unanswered = report.VerdictJoinUnanswered
	)
	from := func(p *tracegen.Packet, sub int) bool { return p.Src.Addr() == path(sub, 10*ms).A.Addr() }
	for name, c := range map[string]struct {
		keep    func(i int, p *tracegen.Packet) bool
		missing bool
		subflow int // that the verdict names; -1 for none
		answers bool
	}{
		"both directions":         {func(int, *tracegen.Packet) bool { return true }, false, -1, true},
		"a alone":                 {func(_ int, p *tracegen.Packet) bool { return from(p, 0) || from(p, 1) || from(p, 2) }, true, -1, false},
		"b alone":                 {func(_ int, p *tracegen.Packet) bool { return !from(p, 0) && !from(p, 1) && !from(p, 2) }, true, -1, false},
		"a alone on the 2nd path": {func(_ int, p *tracegen.Packet) bool { return !on(p, 1) || from(p, 1) }, true, 1, false},
	} {
		s, first := begin()
		second, third := s.Subflow(path(1, 10*ms)), s.Subflow(path(2, 10*ms))
		second.Open(50 * ms)
		third.SYN(60 * ms)
		inTurns(first, second, 300*ms, 10*ms, 400)
		d := seeOnly(t, s, tracegen.Middle, c.keep)
		assert.Assert(t, len(d.Connections) == 1, "%s: %d connections", name, len(d.Connections))
		all := *d.Connections[0].Verdicts
		at := slices.IndexFunc(all, func(v report.Verdict) bool { return v.Code == code })
		assert.Check(t, (at == 0) == c.missing && at <= 0, "%s: the verdict is at %d of %v", name, at, all)
		if at == 0 {
			if v := &all[0]; v.Severity != report.Major || (v.Subflow == nil) != (c.subflow < 0) || v.Subflow != nil && *v.Subflow != c.subflow {
				t.Errorf("%s: %+v", name, v)
			}
			for _, v := range all[1:] {
				t.Errorf("%s: %s, which takes packets of both ends: %s", name, v.Code, v.Text)
			}
		}
		if got := says(d, unanswered); got != c.answers {
			t.Errorf("%s: a join without an answer: %t", name, got)
		}
	}
}

// TestNoAnswerInOneDirection: where the capture as a whole has one direction, a SYN without an answer
// proves nothing in another connection, either.
func TestNoAnswerInOneDirection(t *testing.T) {
	for _, oneWay := range []bool{false, true} {
		s, first := begin()
		lone := s.Network().Session(tracegen.Config{Version: 1}).Subflow(path(1, 10*ms))
		lone.SYN(60 * ms)
		for i := range int64(20) {
			first.Data(tracegen.B2A, 300*ms+200*ms*time.Duration(i), 1000*i, 1000)
		}
		d := seeOnly(t, s, tracegen.Middle, func(_ int, p *tracegen.Packet) bool {
			return !oneWay || p.Src.Addr() == path(0, 10*ms).A.Addr() || on(p, 1)
		})
		assert.Assert(t, len(d.TCP) == 1, "%d plain connections", len(d.TCP))
		if got := len(d.TCP[0].Verdicts) > 0; got == oneWay {
			t.Errorf("one direction %t: %v", oneWay, d.TCP[0].Verdicts)
		}
	}
}
