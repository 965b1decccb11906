package report

// SubDir is one direction of one TCP connection: that of a subflow or of a
// plain one. A packet counts in the direction in which it travels; round trips
// count in the direction of the data that they time.
//
// A "segment" is an MSS unit: a captured packet of n payload bytes counts
// ceil(n / (MSS option of the receiver - option bytes of the packet)), which is
// the kernel's count whatever the offload. The MSS is taken for 1460 where the receiver's
// SYN was not captured or has no MSS option.
type SubDir struct {
	// Data segments, in MSS units; an MSS of 1460 is assumed where the receiver's SYN was not captured or has no MSS option.
	Segments int64 `json:"segments"`
	// Captured packets with payload.
	CapturedSegments int64 `json:"captured_segments"`
	// Payload bytes that were captured, by the lengths in the IP headers. On a Multipath TCP subflow: those under a mapping.
	Bytes *int64 `json:"bytes"`
	// The same, each position of the stream counted once.
	BytesUnique *int64 `json:"bytes_unique"`
	// Data segments of which any byte had been sent before on this subflow, in MSS units; at the receiver: duplicates.
	RetransmittedSegments int64 `json:"retransmitted_segments"`
	// Payload bytes that had been sent before on this subflow; at the receiver: duplicates.
	RetransmittedBytes int64 `json:"retransmitted_bytes"`
	// Segments that fill a gap left by an earlier loss, in MSS units; at the sender the loss was before the capture point.
	HoleFills *int64 `json:"hole_fills"`
	// Payload bytes that were acknowledged on the subflow and are not in the capture, although it holds others of this direction: the capture lost their packets.
	NotCapturedBytes int64 `json:"not_captured_bytes"`
	// Data segments with bytes new to this subflow whose data sequence numbers had been sent before, in MSS units.
	ReinjectedSegments *int64 `json:"reinjected_segments"`
	// Bytes new to this subflow whose data sequence numbers had been sent before.
	ReinjectedBytes *int64 `json:"reinjected_bytes"`
	// The part of these that had only been sent on this very subflow.
	ReinjectedSameSubflowBytes *int64 `json:"reinjected_same_subflow_bytes"`
	// Packets that acknowledge and carry neither payload nor SYN, FIN or RST.
	PureAcks int64 `json:"pure_acks"`
	// Pure ACKs that repeat the last one (RFC 5681, Section 2); one that advances the DATA_ACK or changes the window does not count.
	DupAcks *int64 `json:"dup_acks"`
	// SACK blocks (RFC 2018), DSACK blocks not counted.
	SACKBlocks *int64 `json:"sack_blocks"`
	// DSACK blocks (RFC 2883): reports of data received twice.
	DSACKBlocks *int64 `json:"dsack_blocks"`
	// Data segments below the highest position seen that are not retransmissions, in MSS units.
	OutOfOrderSegments int64 `json:"out_of_order_segments"`
	// Packets with RST.
	Resets int64 `json:"resets"`
	// Packets with RST and MP_TCPRST (RFC 8684, Section 3.6).
	TCPRSTs *int64 `json:"mp_tcprst"`
	// The same by what their options say.
	ResetReasons List[ResetReason] `json:"mp_tcprst_reasons"`
	// Packets with FIN.
	Fins int64 `json:"fins"`
	// MSS option that this side sent, bytes (RFC 9293, Section 3.7.1).
	MSS *int `json:"mss"`
	// Shift count that this side sent (RFC 7323, Section 2).
	WindowScale *int `json:"window_scale"`
	// Whether this side's SYN permits SACK (RFC 2018, Section 2).
	SACKPermitted *bool `json:"sack_permitted"`
	// Whether this side's SYN carries timestamps (RFC 7323, Section 3).
	Timestamps *bool `json:"timestamps"`
	// Times that this side's advertised window closed to 0.
	ZeroWindowEvents int64 `json:"zero_window_events"`
	// Bytes sent and not yet acknowledged cumulatively, a value after each data packet ("owin" of tcptrace).
	InFlightBytes *Stat `json:"in_flight_bytes"`
	// Longest pause between two packets, ms.
	IdleMax *float64 `json:"idle_max_ms"`

	// Round-trip time as the Linux sender samples it, ms; away from the sender the sum of two half round trips ("echo").
	RTT *SpreadStat `json:"rtt_ms"`
	// Round-trip time of the newest segment that an ACK covers, free of delayed-ACK inflation, ms.
	RTTNewest *Stat `json:"rtt_newest_ms"`
	// Smoothed round-trip time tau_i: 7/8 of the last plus 1/8 of each sample (RFC 6298, Section 2), ms.
	SRTT *SRTTStat `json:"srtt_ms"`
	// Round-trip time variation (RFC 6298, Section 2), ms.
	RTTVar *Stat `json:"rttvar_ms"`
	// Retransmission timeout that follows from these (RFC 6298, Section 2), ms.
	RTO *Stat `json:"rto_ms"`

	// Path delay T: first transmission of a chunk to the DATA_ACK that covers it, weighed by bytes, ms.
	PathDelay *Stat `json:"path_delay_ms"`
	// Waiting time theta: path delay less the SRTT at that moment, weighed by bytes, ms; may be negative.
	WaitingTime *Stat `json:"waiting_time_ms"`
	// Head-of-line wait of a chunk: its acknowledgment (at the receiver: arrival) on a subflow to the DATA_ACK that covers it, weighed by bytes, ms.
	HoLWait *WaitStat `json:"hol_wait_ms"`
	// Arrival of a chunk until every lower data sequence number has arrived, weighed by bytes, ms; receiver vantage only.
	InOrderWait *Stat `json:"in_order_wait_ms"`

	// Segments lost.
	Drops *Drops `json:"drops"`
	// Retransmitted / sent segments, percent.
	RetransmissionRatio *float64 `json:"retransmission_ratio_percent"`
	// Retransmitted segments and hole fills by cause.
	RetransmissionKinds *Retransmissions `json:"retransmission_kinds"`

	// Payload bytes, retransmissions included, Mbit/s.
	Throughput *RateStat `json:"throughput_mbps"`
	// Data bytes of the connection's direction that this subflow was the first to carry, percent.
	Share *float64 `json:"share_percent"`
	// Runs of consecutive data sequence numbers.
	Bursts *Bursts `json:"bursts"`

	// Estimate of the congestion window: the largest number of bytes in flight in each round of one SRTT, bytes.
	CwndEstimate *Stat `json:"cwnd_estimate_bytes"`
	// The same in MSS units.
	CwndEstimateMSS *Stat `json:"cwnd_estimate_mss"`
	// Throughput that this window gives (QoE24, eq. 1): window / mean round-trip time of the round, Mbit/s.
	ThroughputEstimate *Stat `json:"throughput_estimate_mbps"`
	// What the time of the subflow went to.
	TimeAccount *TimeAccount `json:"time_account"`
	// What a throughput-based congestion control would have decided.
	CwndDecisions *CwndDecisions `json:"cwnd_decisions"`
	// Figures whose fields are made from the rows of their metrics.
	SubDirFigures

	// One-way delay of each packet with payload, a super-segment weighed by its segments, ms; of packets without payload where no other arrived; two captures only.
	OWD *Stat `json:"owd_ms"`
	// One-way delay of packets without payload, mostly ACKs, RSTs left out, ms; two captures only.
	AckOWD *Stat `json:"ack_owd_ms"`
	// One-way delay less that of the packet sent before (RFC 3393), ms; two captures only.
	IPDV *Stat `json:"ipdv_ms"`
	// Interarrival jitter, the running value at each arrival (RFC 3550, Section 6.4.1), ms; two captures only.
	Jitter *Stat `json:"jitter_ms"`
	// What happened between the two captures; two captures only.
	Network *Network `json:"network"`

	// Keep-alives and window probes: packets that point at the last byte acknowledged while nothing is outstanding (RFC 9293, Sections 3.8.4 and 3.8.6.1).
	KeepAlives int64 `json:"keep_alives"`
	// Packets whose sequence number fits no window of the connection; nothing else counts them.
	StrayPackets int64 `json:"stray_packets"`
	// Segments that a DSACK reports although they were never sent again: the network duplicated them; sender vantage only.
	NetworkDuplicates *int64 `json:"network_duplicate_segments"`

	// What a player would have shown, of a connection of plain TCP; where --bitrate asks for it.
	Streaming *Streaming `json:"streaming"`

	// Why a metric of this direction is null, by its name; of a part of a metric by its path, as in "drops.percent".
	Unavailable Reasons `json:"unavailable"`
}

// ConnDir is one direction of a connection's data sequence space.
type ConnDir struct {
	// Application bytes: data sequence numbers seen, each counted once, DATA_FIN not counted.
	Bytes *int64 `json:"bytes"`
	// Data segments on all subflows, in MSS units.
	Segments int64 `json:"segments"`
	// Bytes retransmitted on their subflow, payload without a mapping left out.
	RetransmittedBytes int64 `json:"retransmitted_bytes"`
	// Data segments retransmitted on their subflow, in MSS units.
	RetransmittedSegments int64 `json:"retransmitted_segments"`
	// Data segments with bytes new to their subflow whose data sequence numbers had been sent before, in MSS units.
	ReinjectedSegments *int64 `json:"reinjected_segments"`
	// Bytes new to their subflow whose data sequence numbers had been sent before.
	ReinjectedBytes *int64 `json:"reinjected_bytes"`
	// The part of these that had only been sent on the very subflow.
	ReinjectedSameSubflowBytes *int64 `json:"reinjected_same_subflow_bytes"`

	// Protocol delay T_over: per cell of the sampling grid the largest mean path delay among the subflows, ms.
	ProtocolDelay *Stat `json:"protocol_delay_ms"`
	// Head-of-line blocking degree zeta: protocol delay less the largest SRTT among the subflows that delivered in the cell, ms.
	HoLDegree *Stat `json:"hol_degree_ms"`
	// Head-of-line blocking degree zeta' from the waits that were measured: largest SRTT plus mean wait among the subflows that delivered in the cell, less their largest SRTT, ms; never negative.
	HoLBlocking *Stat `json:"hol_blocking_ms"`
	// Protocol delay less the largest SRTT among all open subflows, ms.
	HoLDegreeAllPaths *Stat `json:"hol_degree_all_paths_ms"`
	// Bytes that had arrived (at the sender: were acknowledged on their subflow) and waited for a lower data sequence number, weighed by time.
	HoLQueueBytes *Stat `json:"hol_queue_bytes"`
	// The same in segments.
	HoLQueueSegments *Stat `json:"hol_queue_segments"`

	// Out-of-order offset O3-DSN: start of a chunk less the start of the one received before it, bytes.
	DSNOffset *OffsetStat `json:"dsn_offset_bytes"`
	// Reordering over data sequence numbers.
	OutOfOrder *OutOfOrder `json:"out_of_order"`

	// Payload bytes on all subflows, retransmissions and reinjections included, Mbit/s.
	Throughput *RateStat `json:"throughput_mbps"`
	// Data bytes when first sent (at the receiver: first arrived), Mbit/s.
	Goodput *RateStat `json:"goodput_mbps"`
	// What each path carried.
	Paths List[PathShare] `json:"paths"`
	// Retransmitted and reinjected bytes / data bytes, percent.
	Overhead *float64 `json:"overhead_percent_of_data"`
	// How useful reinjected bytes were.
	ReinjectionWorth *ReinjectionWorth `json:"reinjection_worth"`
	// Goodput of the connection / goodput of its best path.
	AggregationBenefit *float64 `json:"aggregation_benefit"`
	// What the time went to.
	TimeAccount *TimeAccount `json:"time_account"`
	// Gaps between the last progress on a path that died and the first on another.
	Handovers *List[Handover] `json:"handovers"`

	// Figures whose fields are made from the rows of their metrics.
	ConnDirFigures
	// Window less its mean so far, as a part of the span between its extremes so far.
	AwndDelta *Stat `json:"awnd_delta"`
	// Spells in which that was negative and fell: the receive buffer fills up.
	RB2Loc *BufferBlocking `json:"rb2loc"`
	// Which paths MPTCP-rec would have used for how long.
	RecPathList *RecPathList `json:"rec_path_list"`

	// End-to-end delay: first transmission of a byte until it and every lower one are at the receiver, weighed by bytes, ms; two captures only.
	EndToEnd *DeliveryStat `json:"end_to_end_delay_ms"`

	// What the choices of the scheduler cost, by ECF's estimates; sender vantage only.
	SchedulerRegret *SchedulerRegret `json:"scheduler_regret"`
	// What a player would have shown that uses the data up at a constant rate; where --bitrate asks for it.
	Streaming *Streaming `json:"streaming"`

	// Why a metric of this direction is null, by its name; of a part of a metric by its path, as in "drops.percent" or "paths[].share_percent".
	Unavailable Reasons `json:"unavailable"`
}

// Figures is a part of a report with fields that are made from the rows of metrics:
// [SubDirFigures] or [ConnDirFigures]. Each method returns the address of a field, by
// its name in JSON; nil if no field of that type has the name.
type Figures interface {
	StatField(name string) **Stat
	NumberField(name string) **float64
	CountField(name string) **int64
}

// Volume returns the data bytes or, if they are not known, the segments, which hold at
// least a byte each. It serves to rank connections and directions.
func (d *ConnDir) Volume() int64 {
	if d == nil {
		return 0
	}
	return volume(d.Bytes, d.Segments)
}

// Volume does the same for a subflow as [ConnDir.Volume] for a connection.
func (d *SubDir) Volume() int64 {
	if d == nil {
		return 0
	}
	return volume(d.Bytes, d.Segments)
}

func volume(bytes *int64, segments int64) int64 {
	if bytes != nil {
		return *bytes
	}
	return segments
}

// Known returns the count; 0 where it is not known.
func Known(count *int64) int64 {
	if count == nil {
		return 0
	}
	return *count
}
