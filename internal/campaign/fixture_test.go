package campaign

import (
	"errors"
	"strconv"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// session is a report in a few numbers: one connection that downloads, so that b
// is the sender.
type session struct {
	delay float64 // average of the protocol delay, ms; its maximum is twice that
	zeta  float64 // maximum of the head-of-line degree, ms
	bytes int64
	paths []leg
	at    report.Vantage
	pair  bool        // two captures
	end   report.Host // with two captures: --end
}

type leg struct {
	label       string
	bytes, segs int64
	again       int64   // segments sent again
	share, srtt float64 // percent, ms
}

func (s session) document() *report.Document {
	c := report.Connection{Version: new(1), Vantage: s.at, A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
	c.B2A.Bytes = &s.bytes
	c.B2A.ProtocolDelay = &report.Stat{Avg: s.delay, Max: 2 * s.delay, Samples: 10}
	hol, order := report.Echo, report.Observed
	if s.at == report.VantageB {
		hol, order = report.Observed, report.SendOrder
	}
	c.B2A.HoLDegree = &report.Stat{Avg: s.zeta / 2, Max: s.zeta, Evidence: hol}
	c.B2A.HoLBlocking = &report.Stat{Avg: s.zeta/2 + 1, Max: s.zeta + 1, Evidence: hol}
	mbps := float64(s.bytes) / 10_000
	c.B2A.Throughput = &report.RateStat{Avg: mbps, Max: new(mbps + 2), CellMean: new(mbps - 1), Variance: new(s.delay / 10)}
	c.B2A.DSNOffset = &report.OffsetStat{Stat: report.Stat{Evidence: order}, Peak: 1000 * s.delay, Discontinuous: s.delay}
	c.B2A.OutOfOrder = &report.OutOfOrder{Ratio: s.delay / 100, Evidence: order}
	if s.pair {
		c.B2A.EndToEnd = &report.DeliveryStat{Stat: report.Stat{Avg: s.delay / 2, Max: s.delay}}
	}
	for i, p := range s.paths {
		f := report.Subflow{ID: i, Path: p.label, A2B: &report.SubDir{}, B2A: &report.SubDir{}}
		f.B2A.Bytes, f.B2A.Segments, f.B2A.RetransmittedSegments = &p.bytes, p.segs, p.again
		f.B2A.Share = &p.share
		f.B2A.SRTT = &report.SRTTStat{SpreadStat: report.SpreadStat{Stat: report.Stat{Avg: p.srtt, Max: p.srtt + 10}}, CellMean: new(p.srtt + 1)}
		f.B2A.RTT = &report.SpreadStat{Stat: report.Stat{Avg: p.srtt - 1}, Variance: p.srtt / 10}
		f.B2A.Drops = &report.Drops{PerS: new(p.srtt / 100)}
		if s.pair {
			f.B2A.Jitter = &report.Stat{Avg: p.srtt / 5, Max: p.srtt}
		}
		c.Subflows = append(c.Subflows, f)
		c.B2A.Segments += p.segs
		c.B2A.RetransmittedSegments += p.again
	}
	doc := &report.Document{Schema: report.SchemaName, Connections: report.List[report.Connection]{c}}
	if s.pair {
		doc.Clock = &report.Clock{Offset: new(0.0), Uncertainty: new(0.0)}
		doc.MadeBy = &report.MadeBy{Options: report.Options{End: string(s.end)}}
	}
	return doc
}

// campaignOf groups sessions by scenario. A scenario without a session gets one run that could
// not be used.
func campaignOf(t *testing.T, order []string, runs map[string][]session) *Set {
	t.Helper()
	var inputs []Input
	var outcomes []Outcome
	for _, name := range order {
		if len(runs[name]) == 0 {
			inputs = append(inputs, Input{Scenario: name, Name: "1", Files: []string{"x"}})
			outcomes = append(outcomes, Outcome{Err: errors.New("x: not a capture")})
		}
		for i, s := range runs[name] {
			run, err := Extract(s.document(), AnyConnection)
			assert.NilError(t, err)
			inputs = append(inputs, Input{Scenario: name, Name: strconv.Itoa(i + 1), Labels: map[string]string{"hour": strconv.Itoa(i % 2)}})
			outcomes = append(outcomes, Outcome{Run: run})
		}
	}
	return Group(inputs, outcomes, false)
}

// errorOf returns the error of a call that returns a value, too.
func errorOf[T any](_ T, err error) error { return err }

// result is what compare would write.
func result(s *Set, figures []string) *Result {
	r := &Result{Skipped: s.Skipped, Comparisons: s.Compare(figures)}
	for _, sc := range s.Scenarios {
		r.Scenarios = append(r.Scenarios, sc.Summarize(nil))
	}
	return r
}

// spread returns n sessions whose delays are first, first+1 ... as the receiver's
// capture shows them.
func spread(n int, first float64) (out []session) {
	for i := range n {
		d := first + float64(i)
		out = append(out, session{
			delay: d, zeta: d - 10, bytes: 1000 * int64(100-d), at: report.VantageA,
			paths: []leg{
				{label: "wifi", bytes: 800, segs: 80, again: 1, share: 80, srtt: d / 2},
				{label: "LTE", bytes: 200, segs: 20, again: 1, share: 20, srtt: d},
			},
		})
	}
	return out
}
