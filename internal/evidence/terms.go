package evidence

import (
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// term is a figure of records in the words of explain.
type term struct {
	field      string // in reports
	unit       string
	of         holder
	ss         string // where ss prints it
	definition string
	caveats    string
}

// holder is the part of a report that has a figure.
type holder uint8

const (
	ofSubflow    holder = iota
	ofConnection        // a socket of Multipath TCP
	ofSeries            // of a subflow, in series.csv only
)

// suffixes are the units at the ends of names.
var suffixes = []string{"_segments", "_bytes", "_mbps", "_ms", "_rows"}

// Terms returns what explain says of the figures of records. Their names begin with kernel_, as in
// series.csv and compare.
func Terms() (all []catalogue.Metric) {
	series := map[string]bool{}
	for _, name := range SeriesNames() {
		series[name] = true
	}
	for i := range terms {
		t := &terms[i]
		full := "kernel_" + t.field
		m := catalogue.Metric{
			Name: full, JSON: []string{"subflows.kernel.", "kernel.", ""}[t.of] + t.field, Also: []string{}, Unit: t.unit, Levels: []catalogue.Level{catalogue.OfReport}, Better: catalogue.NeitherIsBetter,
			Definition: t.definition, Formula: t.ss, Source: "Linux, struct " + []string{"tcp_info", "mptcp_info", "tcp_info"}[t.of] + ", as ss prints it",
			Evidence: catalogue.Evidence{Sender: string(report.FromKernel), Receiver: string(report.FromKernel), Both: string(report.FromKernel)},
			Caveats:  t.caveats, Series: series[full],
		}
		for _, suffix := range suffixes {
			if short, cut := strings.CutSuffix(full, suffix); cut {
				m.Also = []string{short}
			}
		}
		if full == "kernel_bytes_sent" && t.of == ofSubflow {
			m.Also = []string{"kernel_bytes_sent_all_paths"}
		}
		if t.of == ofSeries {
			m.JSON = ""
		}
		all = append(all, m)
	}
	return all
}

const (
	zeroes    = "ss prints no field whose value is 0: a row without it counts 0."
	lastRow   = "The value of the last row with TCP information: what came after that row is not in it. compare takes a log of ss alone less its first sample."
	nothing   = "Of a subflow it proves nothing: under Multipath TCP rwnd_limited stays at 0, and sndbuf_limited grows whatever limits."
	lastOfTwo = "The value of the last row. Printed by newer versions of ss only."
)

// terms are in the order of the report.
var terms = []term{
	{"cwnd_segments", "segments", ofSubflow, "cwnd of a TCP row", "Congestion window that the kernel holds, over the rows of ss.", "cwnd_estimate is what packets show of it: most of the flight, which is below the window where the application, a buffer or the receive window limits."},
	{"ssthresh_segments", "segments", ofSubflow, "ssthresh of a TCP row", "Slow start threshold, over the rows in which it is set.", "Not set until the first loss: such rows do not count."},
	{"srtt_ms", "ms", ofSubflow, "the first number of rtt of a TCP row", "Smoothed round-trip time of the kernel (RFC 6298), over the rows of ss.", "Where a queue of this host delays packets, it is above srtt of a capture behind that queue."},
	{"rttvar_ms", "ms", ofSubflow, "the second number of rtt of a TCP row", "Variation of the round-trip time (RFC 6298).", ""},
	{"rto_ms", "ms", ofSubflow, "rto of a TCP row", "Retransmission timeout, with its backoff.", ""},
	{"pacing_mbps", "Mbit/s", ofSubflow, "pacing_rate of a TCP row", "Rate at which the kernel paces.", ""},
	{"delivery_mbps", "Mbit/s", ofSubflow, "delivery_rate of a TCP row", "Rate of the latest delivery sample.", "Where the application limited the sample, it is no measure of the path: see application_limited_rows."},
	{"not_sent_bytes", "bytes", ofSubflow, "notsent of a TCP row", "Bytes given to the subflow and not sent yet.", zeroes},
	{"send_queue_bytes", "bytes", ofSubflow, "Send-Q of a TCP row", "Bytes of the subflow that are not acknowledged or not sent.", ""},
	{"receive_space_bytes", "bytes", ofSubflow, "rcv_space of a TCP row", "Receive space of the kernel's autotuning.", ""},
	{"receive_ssthresh_bytes", "bytes", ofSubflow, "rcv_ssthresh of a TCP row", "Largest window that the kernel offers.", ""},
	{"receive_buffer_bytes", "bytes", ofSubflow, "rb of skmem of a TCP row", "Limit of the memory for received data of the subflow.", ""},
	{"send_window_bytes", "bytes", ofSubflow, "snd_wnd of a TCP row", "Window that the peer offers.", "Under Multipath TCP it is that of the connection."},
	{"bytes_sent", "bytes", ofSubflow, "bytes_sent of a TCP row", "Payload bytes that the kernel sent, copies included.", lastRow + " Above the bytes of the capture where a queue of this host drops: each try counts. compare adds those of all paths: kernel_bytes_sent_all_paths."},
	{"bytes_acked", "bytes", ofSubflow, "bytes_acked of a TCP row", "Bytes that were acknowledged.", lastRow + " The SYN counts 1 at the host that opened the subflow, and the FIN 1."},
	{"bytes_received", "bytes", ofSubflow, "bytes_received of a TCP row", "Bytes received in order.", lastRow},
	{"bytes_retransmitted", "bytes", ofSubflow, "bytes_retrans of a TCP row", "Bytes that were sent again.", lastRow},
	{"data_segments_sent", "segments", ofSubflow, "data_segs_out of a TCP row", "Segments with data that the kernel sent, copies included.", lastRow},
	{"retransmitted_segments", "segments", ofSubflow, "the second number of retrans of a TCP row", "Segments that were sent again.", lastRow},
	{"min_rtt_ms", "ms", ofSubflow, "minrtt of a TCP row", "Least round-trip time of the kernel's window, in the last row.", ""},
	{"busy_ms", "ms", ofSubflow, "busy of a TCP row", "Time in which data of the subflow was outstanding.", lastRow},
	{"rwnd_limited_ms", "ms", ofSubflow, "rwnd_limited of a TCP row", "Part of busy_ms in which the kernel holds the receive window for the limit.", nothing},
	{"sndbuf_limited_ms", "ms", ofSubflow, "sndbuf_limited of a TCP row", "Part of busy_ms in which the kernel holds the send buffer for the limit.", nothing},
	{"lost_segments_max", "segments", ofSubflow, "lost of a TCP row", "Most segments that the kernel held for lost at once, of all rows.", zeroes},
	{"backoff_max", "1", ofSubflow, "backoff of a TCP row", "Largest exponent of the retransmission timer, of all rows.", zeroes},
	{"application_limited_rows", "rows", ofSubflow, "the word app_limited of a TCP row", "Rows whose latest delivery sample was limited by the application.", "It stays set on subflows that do nothing."},
	{"unacked_segments", "segments", ofSeries, "unacked of a TCP row", "Segments sent and not acknowledged, in each row.", zeroes},
	{"receive_queue_bytes", "bytes", ofConnection, "Recv-Q of a row of Multipath TCP", "Bytes that the application has not read.", "Data out of order counts, too: a full queue proves no slow application while data is missing."},
	{"send_buffer_bytes", "bytes", ofConnection, "tb of skmem of a row of Multipath TCP", "Limit of the memory for data to send.", ""},
	{"send_memory_bytes", "bytes", ofConnection, "w of skmem of a row of Multipath TCP", "Memory of data that is not acknowledged, with overhead.", ""},
	{"receive_buffer_bytes", "bytes", ofConnection, "rb of skmem of a row of Multipath TCP", "Limit of the memory for received data of the connection.", ""},
	{"unacknowledged_bytes", "bytes", ofConnection, "write_seq - snd_una of a row of Multipath TCP", "Data bytes that are not acknowledged by DATA_ACK.", "None after a fallback, which has no data sequence numbers."},
	{"bytes_sent", "bytes", ofConnection, "bytes_sent of a row of Multipath TCP", "Data bytes that the connection sent.", lastOfTwo},
	{"bytes_received", "bytes", ofConnection, "bytes_received of a row of Multipath TCP", "Data bytes received in order.", lastOfTwo},
	{"bytes_acked", "bytes", ofConnection, "bytes_acked of a row of Multipath TCP", "Data bytes acknowledged by DATA_ACK; the DATA_FIN counts 1.", lastOfTwo},
	{"bytes_retransmitted", "bytes", ofConnection, "bytes_retrans of a row of Multipath TCP", "Data bytes that were sent again on another subflow or the same.", lastOfTwo},
	{"retransmits", "1", ofConnection, "retransmits of a row of Multipath TCP", "Retransmissions of data.", lastOfTwo},
	{"subflows_max", "1", ofConnection, "subflows_max of a row of Multipath TCP", "Most further subflows that the host allows: the largest in any row.", zeroes},
	{"add_addr_accepted_max", "1", ofConnection, "add_addr_accepted_max of a row of Multipath TCP", "Most announced addresses that the host joins: the largest in any row.", zeroes},
}
