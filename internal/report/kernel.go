package report

// KernelStat summarises what the kernel of a host printed in rows of ss, unweighted.
type KernelStat struct {
	// Mean.
	Avg float64 `json:"avg"`
	// Smallest value.
	Min float64 `json:"min"`
	// Largest value.
	Max float64 `json:"max"`
	// Median.
	P50 float64 `json:"p50"`
	// 95th percentile.
	P95 float64 `json:"p95"`
	// Standard deviation.
	Stddev float64 `json:"stddev"`
	// Number of values.
	Samples int64 `json:"samples"`
	// What the values rest on: "kernel".
	Evidence Evidence `json:"evidence"`
}

// ConnectionKernels is what the kernels of both hosts say about a connection.
type ConnectionKernels struct {
	// Host A, where a row of it joins.
	A *ConnectionKernel `json:"a"`
	// Host B, where a row of it joins.
	B *ConnectionKernel `json:"b"`
	// Why a value is null, by its name.
	Unavailable Reasons `json:"unavailable"`
}

// ConnectionKernel is what the rows of ss about a socket of Multipath TCP say.
type ConnectionKernel struct {
	// Token of this host; null where its rows have none.
	Token *string `json:"token" null:"none"`
	// Rows, of any state.
	Rows int64 `json:"rows"`
	// Time of the first row, seconds since the connection's start.
	FirstS *float64 `json:"first_s"`
	// Time of the last row, seconds since the connection's start.
	LastS *float64 `json:"last_s"`
	// Whether the socket fell back to TCP.
	Fallback bool `json:"fallback"`
	// Most further subflows that it allows: the largest in any row, 0 where none has it.
	SubflowsMax int64 `json:"subflows_max"`
	// Most announced addresses that it joins: the largest in any row, 0 where none has it.
	AddAddrAcceptedMax int64 `json:"add_addr_accepted_max"`
	// Data bytes sent, in the last row.
	BytesSent *int64 `json:"bytes_sent"`
	// Data bytes received in order, in the last row.
	BytesReceived *int64 `json:"bytes_received"`
	// Data bytes acknowledged by DATA_ACK, in the last row; the DATA_FIN counts 1.
	BytesAcked *int64 `json:"bytes_acked"`
	// Data bytes sent again, in the last row.
	BytesRetransmitted *int64 `json:"bytes_retransmitted"`
	// Retransmissions of data, in the last row.
	Retransmits *int64 `json:"retransmits"`
	// Bytes that the application has not read; those out of order count, too.
	ReceiveQueue *KernelStat `json:"receive_queue_bytes"`
	// Limit of the memory for data to send.
	SendBuffer *KernelStat `json:"send_buffer_bytes"`
	// Memory of data that is not acknowledged, with overhead.
	SendMemory *KernelStat `json:"send_memory_bytes"`
	// Limit of the memory for received data.
	ReceiveBuffer *KernelStat `json:"receive_buffer_bytes"`
	// Data bytes that are not acknowledged by DATA_ACK.
	Unacknowledged *KernelStat `json:"unacknowledged_bytes"`
	// Why a value is null, by its name.
	Unavailable Reasons `json:"unavailable"`
}

// SubflowKernels is what the kernels of both hosts say about a subflow.
type SubflowKernels struct {
	// Host A, where a row of it joins.
	A *SubflowKernel `json:"a"`
	// Host B, where a row of it joins.
	B *SubflowKernel `json:"b"`
	// Why a value is null, by its name.
	Unavailable Reasons `json:"unavailable"`
}

// SubflowKernel is what the rows of ss about a TCP socket say. Figures come from rows that carry TCP information.
type SubflowKernel struct {
	// Rows, of any state.
	Rows int64 `json:"rows"`
	// Time of the first row, seconds since the connection's start.
	FirstS *float64 `json:"first_s"`
	// Time of the last row, seconds since the connection's start.
	LastS *float64 `json:"last_s"`
	// Congestion controls, in the order in which they were in use.
	CongestionControl List[string] `json:"congestion_control"`
	// Congestion window, segments.
	Cwnd *KernelStat `json:"cwnd_segments"`
	// Slow start threshold, segments, over the rows in which it is set.
	Ssthresh *KernelStat `json:"ssthresh_segments"`
	// Smoothed round-trip time.
	SRTT *KernelStat `json:"srtt_ms"`
	// Variation of the round-trip time.
	RTTVar *KernelStat `json:"rttvar_ms"`
	// Retransmission timeout.
	RTO *KernelStat `json:"rto_ms"`
	// Rate at which the kernel paces.
	Pacing *KernelStat `json:"pacing_mbps"`
	// Rate at which data was delivered lately.
	Delivery *KernelStat `json:"delivery_mbps"`
	// Bytes given to the subflow and not sent.
	NotSent *KernelStat `json:"not_sent_bytes"`
	// Bytes not acknowledged or not sent.
	SendQueue *KernelStat `json:"send_queue_bytes"`
	// Receive space of the kernel's autotuning.
	ReceiveSpace *KernelStat `json:"receive_space_bytes"`
	// Largest window that the kernel offers.
	ReceiveSsthresh *KernelStat `json:"receive_ssthresh_bytes"`
	// Limit of the memory for received data.
	ReceiveBuffer *KernelStat `json:"receive_buffer_bytes"`
	// Window that the peer offers.
	SendWindow *KernelStat `json:"send_window_bytes"`
	// Payload bytes sent, copies included, in the last row.
	BytesSent *int64 `json:"bytes_sent"`
	// Bytes acknowledged, in the last row; at the host that opened the subflow the SYN counts 1.
	BytesAcked *int64 `json:"bytes_acked"`
	// Bytes received in order, in the last row.
	BytesReceived *int64 `json:"bytes_received"`
	// Bytes retransmitted, in the last row.
	BytesRetransmitted *int64 `json:"bytes_retransmitted"`
	// Data segments sent, in the last row.
	DataSegmentsSent *int64 `json:"data_segments_sent"`
	// Segments retransmitted, in the last row.
	RetransmittedSegments *int64 `json:"retransmitted_segments"`
	// Least round-trip time, in the last row, ms.
	MinRTT *float64 `json:"min_rtt_ms"`
	// Time in which data was outstanding, in the last row, ms.
	Busy *float64 `json:"busy_ms"`
	// The part of busy_ms in which the kernel holds the receive window for the limit. Of a subflow it proves nothing: under Multipath TCP it stays at 0.
	RwndLimited *float64 `json:"rwnd_limited_ms"`
	// The part of busy_ms in which the kernel holds the send buffer for the limit. Of a subflow it proves nothing: under Multipath TCP it grows whatever limits.
	SndbufLimited *float64 `json:"sndbuf_limited_ms"`
	// Most segments that the kernel held for lost at once.
	LostMax int64 `json:"lost_segments_max"`
	// Largest exponent of the retransmission timer.
	BackoffMax int64 `json:"backoff_max"`
	// Rows whose last rate sample was limited by the application.
	ApplicationLimited int64 `json:"application_limited_rows"`
	// Address id of this host's end; null where no row has it.
	AddressIDLocal *int `json:"address_id_local" null:"none"`
	// Address id of the other end; null where no row has it.
	AddressIDRemote *int `json:"address_id_remote" null:"none"`
	// State of the socket in the last row.
	StateLast string `json:"state_last"`
	// How rows agree with the packets.
	Agreement *Agreement `json:"agreement"`
	// Why a value is null, by its name.
	Unavailable Reasons `json:"unavailable"`
}

// Agreement is how the rows of a host agree with the packets that it captured.
type Agreement struct {
	// Payload bytes sent: a row agrees if the packets had the same sum.
	BytesSent Agreeing `json:"bytes_sent"`
	// Bytes acknowledged: a row agrees if the packets had the same sum.
	BytesAcked Agreeing `json:"bytes_acked"`
	// Data segments sent: a row agrees if the packets had the same sum.
	DataSegmentsSent Agreeing `json:"data_segments_sent"`
	// Smoothed round-trip time: a row agrees within 2 % or 0.1 ms.
	SRTT AgreeingSRTT `json:"srtt_ms"`
	// Congestion window: a row agrees if what was in flight fits into it.
	Cwnd Agreeing `json:"cwnd_segments"`
}

// Agreeing is how the rows of a host agree with the packets in one field.
type Agreeing struct {
	// Rows that have the field.
	Rows int64 `json:"rows"`
	// Rows that agree.
	Agree int64 `json:"agree"`
	// Largest difference, kernel less packets, in the unit of the field; null where no row could be compared.
	Worst *float64 `json:"worst" null:"none"`
}

// AgreeingSRTT is the same of the smoothed round-trip time.
type AgreeingSRTT struct {
	Agreeing
	// Mean difference, ms. Above 0 a queue of this host delays packets before they are captured; null where no row could be compared.
	KernelMinusPackets *float64 `json:"kernel_minus_packets_avg" null:"none"`
}

// TCPKernels is what the kernels of both hosts say about a connection that does not use Multipath TCP.
type TCPKernels struct {
	// Host A, where a row of it joins.
	A *TCPKernel `json:"a"`
	// Host B, where a row of it joins.
	B *TCPKernel `json:"b"`
	// Why a value is null, by its name.
	Unavailable Reasons `json:"unavailable"`
}

// TCPKernel is what the rows of ss say about such a connection at one host.
type TCPKernel struct {
	// Token of this host; null where the socket is plain TCP.
	Token *string `json:"token" null:"none"`
	// Whether the socket is one of Multipath TCP that fell back.
	Fallback bool `json:"fallback"`
	// Rows of the socket of Multipath TCP.
	ConnectionRows int64 `json:"connection_rows"`
	SubflowKernel
}

// Differ notes a difference, kernel less packets.
func (a *Agreeing) Differ(d float64) {
	if a.Worst == nil {
		a.Worst = new(d)
	} else if max(d, -d) > max(*a.Worst, -*a.Worst) {
		*a.Worst = d
	}
}
