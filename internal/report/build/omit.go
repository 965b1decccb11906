package build

import (
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// unasked says of metrics that nobody asked for their family.
func (b *dirBuilder) unasked(names ...string) {
	for _, name := range names {
		b.why.Set(name, metrics.Unasked)
	}
}

// withoutSub takes the metrics of families that are not derived out of the report
// on a direction of a subflow.
func (b *dirBuilder) withoutSub(out *report.SubDir) {
	if b.m.Omits(metrics.FamilyDelays) {
		out.PathDelay, out.WaitingTime, out.HoLWait, out.InOrderWait = nil, nil, nil, nil
		b.unasked("path_delay_ms", "waiting_time_ms", "hol_wait_ms", "in_order_wait_ms")
	}
	if b.m.Omits(metrics.FamilyOrder) {
		out.Bursts = nil
		b.unasked("bursts")
	}
	if b.m.Omits(metrics.FamilyWindows) {
		out.CwndEstimate, out.CwndEstimateMSS, out.ThroughputEstimate, out.CwndDecisions, out.DSR = nil, nil, nil, nil, nil
		b.unasked("cwnd_estimate_bytes", "cwnd_estimate_mss", "throughput_estimate_mbps", "cwnd_decisions", "dsr_mbps")
	}
}

// withoutConn does so for a direction of a connection.
func (b *dirBuilder) withoutConn(out *report.ConnDir) {
	if b.m.Omits(metrics.FamilyDelays) {
		out.ProtocolDelay, out.HoLDegree, out.HoLBlocking, out.HoLDegreeAllPaths = nil, nil, nil, nil
		out.HoLQueueBytes, out.HoLQueueSegments = nil, nil
		b.unasked("protocol_delay_ms", "hol_degree_ms", "hol_blocking_ms", "hol_degree_all_paths_ms", "hol_queue_bytes", "hol_queue_segments")
	}
	if b.m.Omits(metrics.FamilyOrder) {
		out.DSNOffset, out.OutOfOrder = nil, nil
		b.unasked("dsn_offset_bytes", "out_of_order")
	}
	if b.m.Omits(metrics.FamilyWindows) {
		out.Rwnd, out.RwndFree, out.RwndLimited, out.AwndDelta, out.RB2Loc, out.RecPathList = nil, nil, nil, nil, nil, nil
		b.unasked("rwnd_bytes", "rwnd_free_bytes", "rwnd_limited_ms", "awnd_delta", "rb2loc", "rec_path_list")
	}
	if b.m.Omits(metrics.FamilyVerdicts) {
		out.Handovers = nil
		b.unasked("handovers")
	}
}
