package evidence

import (
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// figSRTT is the place of the smoothed round-trip time in [subflowFigures].
const figSRTT = 2

// subflowFigures are the figures of a TCP socket that have a distribution, in the order of the report.
var subflowFigures = [...]struct {
	name   string // in reports
	value  func(*hosts.Row) (v float64, has bool)
	to     func(*report.SubflowKernel) **report.KernelStat
	why    string // why it may be absent
	series string // of which each row is a value; empty for none
}{
	{"cwnd_segments", valueOf(hosts.Cwnd, 1), func(k *report.SubflowKernel) **report.KernelStat { return &k.Cwnd }, whyNotPrinted, "kernel_cwnd_segments"},
	{"ssthresh_segments", valueOf(hosts.Ssthresh, 1), func(k *report.SubflowKernel) **report.KernelStat { return &k.Ssthresh }, whyNotSet, "kernel_ssthresh_segments"},
	figSRTT: {"srtt_ms", valueOf(hosts.RTT, 1), func(k *report.SubflowKernel) **report.KernelStat { return &k.SRTT }, whyNotPrinted, "kernel_srtt_ms"},
	{"rttvar_ms", valueOf(hosts.RTTVar, 1), func(k *report.SubflowKernel) **report.KernelStat { return &k.RTTVar }, whyNotPrinted, ""},
	{"rto_ms", valueOf(hosts.RTO, 1), func(k *report.SubflowKernel) **report.KernelStat { return &k.RTO }, whyNotPrinted, ""},
	{"pacing_mbps", valueOf(hosts.PacingRate, 1e-6), func(k *report.SubflowKernel) **report.KernelStat { return &k.Pacing }, whyNotPrinted, "kernel_pacing_mbps"},
	{"delivery_mbps", valueOf(hosts.DeliveryRate, 1e-6), func(k *report.SubflowKernel) **report.KernelStat { return &k.Delivery }, whyNotPrinted, "kernel_delivery_mbps"},
	{"not_sent_bytes", orZero(hosts.NotSent), func(k *report.SubflowKernel) **report.KernelStat { return &k.NotSent }, whyNoRow, "kernel_not_sent_bytes"},
	{"send_queue_bytes", sendQueue, func(k *report.SubflowKernel) **report.KernelStat { return &k.SendQueue }, whyNoRow, ""},
	{"receive_space_bytes", valueOf(hosts.RcvSpace, 1), func(k *report.SubflowKernel) **report.KernelStat { return &k.ReceiveSpace }, whyNotPrinted, "kernel_receive_space_bytes"},
	{"receive_ssthresh_bytes", valueOf(hosts.RcvSsthresh, 1), func(k *report.SubflowKernel) **report.KernelStat { return &k.ReceiveSsthresh }, whyNotPrinted, ""},
	{"receive_buffer_bytes", valueOf(hosts.MemRB, 1), func(k *report.SubflowKernel) **report.KernelStat { return &k.ReceiveBuffer }, whyNotPrinted, "kernel_receive_buffer_bytes"},
	{"send_window_bytes", valueOf(hosts.SndWnd, 1), func(k *report.SubflowKernel) **report.KernelStat { return &k.SendWindow }, whyNotPrinted, ""},
}

// valueOf returns the value of a field that ss prints, in a unit that is scale times that of ss.
func valueOf(f hosts.Field, scale float64) func(*hosts.Row) (float64, bool) {
	return func(r *hosts.Row) (float64, bool) { return r.Value(f) * scale, r.Has(f) }
}

// orZero returns the value of a field that ss leaves out if it is 0.
func orZero(f hosts.Field) func(*hosts.Row) (float64, bool) {
	return func(r *hosts.Row) (float64, bool) { return r.Value(f), true }
}

func sendQueue(r *hosts.Row) (float64, bool) { return float64(r.SendQ), true }
