package campaign

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// kernelRun is a run with records of b, the host that sends b2a: a mean window of 12 segments on
// the path LTE and 300 bytes unread.
func kernelRun(t *testing.T) *Run {
	t.Helper()
	stat := func(avg float64) *report.KernelStat { return &report.KernelStat{Avg: avg, Max: 2 * avg, Samples: 5} }
	c := report.Connection{
		A2B: &report.ConnDir{Bytes: new(int64(10))}, B2A: &report.ConnDir{Bytes: new(int64(5000))},
		Kernel: &report.ConnectionKernels{B: &report.ConnectionKernel{ReceiveQueue: stat(300)}},
		Subflows: []report.Subflow{{
			Path: "LTE", A2B: &report.SubDir{Bytes: new(int64(10))}, B2A: &report.SubDir{Bytes: new(int64(5000))},
			Kernel: &report.SubflowKernels{B: &report.SubflowKernel{Cwnd: stat(12), BytesSent: new(int64(5100)), Agreement: &report.Agreement{}}},
		}},
	}
	r, err := Extract(&report.Document{Connections: []report.Connection{c}}, AnyConnection)
	assert.NilError(t, err)
	return r
}

// Figures of records have the direction in which their host sends. How rows agree with packets is
// no figure.
func TestKernelFigures(t *testing.T) {
	r := kernelRun(t)
	for name, want := range map[string]float64{
		"b2a.LTE.kernel_cwnd_segments.avg": 12, "b2a.LTE.kernel_cwnd_segments.max": 24, "b2a.LTE.kernel_bytes_sent": 5100, "b2a.kernel_receive_queue_bytes.avg": 300,
	} {
		v, ok := r.Figure(name)
		assert.Check(t, ok && v == want, "%s: %v, %v, want %v", name, v, ok, want)
	}
	for _, name := range []string{"a2b.LTE.kernel_cwnd_segments.avg", "b2a.LTE.kernel_agreement.bytes_sent.rows"} {
		_, ok := r.Figure(name)
		assert.Check(t, !ok, "%s is a figure", name)
	}
}

// A name of a figure of records finds its mean on each path; its row has path, statistic and unit.
func TestKernelNames(t *testing.T) {
	s := &Set{Scenarios: []*Scenario{{Name: "x", Runs: []Member{{Run: kernelRun(t)}}}}}
	for pattern, want := range map[string][]string{
		"kernel_cwnd_segments":             {"b2a.LTE.kernel_cwnd_segments.avg"},
		"kernel_cwnd_segments.max":         {"b2a.LTE.kernel_cwnd_segments.max"},
		"kernel_bytes_sent":                {"b2a.LTE.kernel_bytes_sent"},
		"b2a.LTE.kernel_cwnd_segments.max": {"b2a.LTE.kernel_cwnd_segments.max"},
		"kernel_srtt_ms":                   nil,
	} {
		assert.Check(t, is.DeepEqual(s.Match(pattern, report.B2A), want), "%s", pattern)
		assert.Check(t, OfKernel(pattern), "%s is refused", pattern)
	}
	assert.Check(t, !OfKernel("srtt") && !OfKernel("kernel_nosuch"), "a name that no record has is taken")
	assert.Check(t, is.DeepEqual(heads("b2a.LTE.kernel_cwnd_segments.max"), []string{"kernel cwnd LTE", "max", "segments"}))
	for figure, want := range map[string]string{"b2a.LTE.kernel_srtt_ms.avg": "ms", "b2a.LTE.kernel_srtt_ms.samples": "", "a2b.X.kernel_pacing_mbps.avg": "Mbit/s", "a2b.X.kernel_bytes_acked": "bytes"} {
		assert.Check(t, is.Equal(unitOf(figure), want), "%s: unit", figure)
	}
}
