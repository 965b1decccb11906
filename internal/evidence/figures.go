package evidence

import (
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// figSRTT is the place of the smoothed round-trip time in [subflowFigures].
const figSRTT = 2

// reading is what a row says of a figure; has is false if it does not say it.
type reading func(r *hosts.Row) (v float64, has bool)

// figure is a figure of a socket that has a distribution. K is the part of the report that has it.
type figure[K any] struct {
	name   string // in reports
	value  reading
	to     func(*K) **report.KernelStat
	why    string // why it may be absent
	series string // of which each row is a value; empty for none
}

// subflowFigures are the figures of a TCP socket, in the order of the report.
var subflowFigures = [...]figure[report.SubflowKernel]{
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

// figUnacked is the place in [connectionFigures] of what is not acknowledged. A socket that fell back has no
// data sequence numbers.
const figUnacked = 4

// connectionFigures are the figures of a socket of Multipath TCP, in the order of the report.
var connectionFigures = [...]figure[report.ConnectionKernel]{
	{"receive_queue_bytes", receiveQueue, func(k *report.ConnectionKernel) **report.KernelStat { return &k.ReceiveQueue }, whyNoRow, "kernel_receive_queue_bytes"},
	{"send_buffer_bytes", valueOf(hosts.MemTB, 1), func(k *report.ConnectionKernel) **report.KernelStat { return &k.SendBuffer }, whyNotPrinted, ""},
	{"send_memory_bytes", valueOf(hosts.MemW, 1), func(k *report.ConnectionKernel) **report.KernelStat { return &k.SendMemory }, whyNotPrinted, "kernel_send_memory_bytes"},
	{"receive_buffer_bytes", valueOf(hosts.MemRB, 1), func(k *report.ConnectionKernel) **report.KernelStat { return &k.ReceiveBuffer }, whyNotPrinted, ""},
	figUnacked: {"unacknowledged_bytes", unackedNow, func(k *report.ConnectionKernel) **report.KernelStat { return &k.Unacknowledged }, whyNotPrinted, "kernel_unacknowledged_bytes"},
}

// addTo enters the figures that a row has into their distributions.
func addTo[K any](figs []stats.Dist, table []figure[K], r *hosts.Row) {
	for i := range table {
		if v, has := table[i].value(r); has {
			figs[i].Add(v)
		}
	}
}

// valueOf returns the value of a field that ss prints, in a unit that is scale times that of ss.
func valueOf(f hosts.Field, scale float64) reading {
	return func(r *hosts.Row) (float64, bool) { return r.Value(f) * scale, r.Has(f) }
}

// orZero returns the value of a field that ss leaves out if it is 0.
func orZero(f hosts.Field) reading {
	return func(r *hosts.Row) (float64, bool) { return r.Value(f), true }
}

func sendQueue(r *hosts.Row) (float64, bool)    { return float64(r.SendQ), true }
func receiveQueue(r *hosts.Row) (float64, bool) { return float64(r.RecvQ), true }

// unackedNow returns what is not acknowledged, of a socket that did not fall back.
func unackedNow(r *hosts.Row) (float64, bool) {
	return r.Value(hosts.Unacked), r.Has(hosts.Unacked) && !r.Has(hosts.Fallback)
}

// last is a number of the last row with information.
type last[K any] struct {
	name  string // in reports
	field hosts.Field
	group ability // of the versions of ss that print it
	to    func(k *K, v float64)
}

// subflowNumbers are those of a TCP socket, in the order of the report.
var subflowNumbers = []last[report.SubflowKernel]{
	{"bytes_sent", hosts.BytesSent, bytesSent, func(k *report.SubflowKernel, v float64) { k.BytesSent = new(int64(v)) }},
	{"bytes_acked", hosts.BytesAcked, always, func(k *report.SubflowKernel, v float64) { k.BytesAcked = new(int64(v)) }},
	{"bytes_received", hosts.BytesReceived, always, func(k *report.SubflowKernel, v float64) { k.BytesReceived = new(int64(v)) }},
	{"bytes_retransmitted", hosts.BytesRetrans, bytesSent, func(k *report.SubflowKernel, v float64) { k.BytesRetransmitted = new(int64(v)) }},
	{"data_segments_sent", hosts.DataSegsOut, bytesSent, func(k *report.SubflowKernel, v float64) { k.DataSegmentsSent = new(int64(v)) }},
	{"retransmitted_segments", hosts.RetransTotal, always, func(k *report.SubflowKernel, v float64) { k.RetransmittedSegments = new(int64(v)) }},
	{"min_rtt_ms", hosts.MinRTT, inRow, func(k *report.SubflowKernel, v float64) { k.MinRTT = &v }},
	{"busy_ms", hosts.Busy, timesBusy, func(k *report.SubflowKernel, v float64) { k.Busy = &v }},
	{"rwnd_limited_ms", hosts.RwndLimited, timesBusy, func(k *report.SubflowKernel, v float64) { k.RwndLimited = &v }},
	{"sndbuf_limited_ms", hosts.SndbufLimited, timesBusy, func(k *report.SubflowKernel, v float64) { k.SndbufLimited = &v }},
}

// connectionNumbers are those of a socket of Multipath TCP, in the order of the report.
var connectionNumbers = []last[report.ConnectionKernel]{
	{"bytes_sent", hosts.BytesSent, connectionCounters, func(k *report.ConnectionKernel, v float64) { k.BytesSent = new(int64(v)) }},
	{"bytes_received", hosts.BytesReceived, connectionCounters, func(k *report.ConnectionKernel, v float64) { k.BytesReceived = new(int64(v)) }},
	{"bytes_acked", hosts.BytesAcked, connectionCounters, func(k *report.ConnectionKernel, v float64) { k.BytesAcked = new(int64(v)) }},
	{"bytes_retransmitted", hosts.BytesRetrans, connectionCounters, func(k *report.ConnectionKernel, v float64) { k.BytesRetransmitted = new(int64(v)) }},
	{"retransmits", hosts.Retransmits, connectionCounters, func(k *report.ConnectionKernel, v float64) { k.Retransmits = new(int64(v)) }},
}

// fill fills in the distributions, and the numbers of the last row; of those that there are not, it notes why.
func fill[K any](k *K, figs []figure[K], numbers []last[K], s *socket, unavailable *report.Reasons) {
	for i := range figs {
		f, why := &figs[i], figs[i].why
		switch {
		case !s.mptcp && s.info == 0:
			why = whyNoRow
		case s.fallback && i == figUnacked:
			why = whyFallback
		}
		*f.to(k) = summary(&s.figs[i], f.name, why, unavailable)
	}
	for i := range numbers {
		n := &numbers[i]
		if s.info > 0 && s.of.prints(s.last.at.File, n.group) && (n.group != inRow || s.values.Has(n.field)) {
			n.to(k, s.values.Value(n.field))
		} else {
			unavailable.Set(n.name, s.without(whyNotPrinted))
		}
	}
}
